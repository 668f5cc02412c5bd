"""The table of docs/*/hardware.md says what validation says of every method and profile."""

import re
from pathlib import Path

import pytest

from starforge.catalog.load import load_catalog
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare

DOCS = Path(__file__).parents[3] / "docs"
PROFILES = ("cpu:2", "gpu:1", "gpu:2")  # the columns
ROW = re.compile(r"^\| \[`(\S+/\S+)`\]\(methods/(\S+)\.md\) \| (.+) \| (.+) \| (.+) \|$", re.M)
WORDS = {
    "en": {"trains": True, "runs": True, "planned": True, "your script": True, "no": False},
    "zh": {"实际训练": True, "实际运行": True, "计划已验证": True, "取决于脚本": True,
           "不能": False},
}  # fmt: skip


def table(lang):
    found = ROW.findall((DOCS / lang / "hardware.md").read_text("utf-8"))
    for name, page, *_ in found:
        assert (DOCS / lang / "methods" / f"{page}.md").is_file(), name
    return {name: tuple(cells) for name, _, *cells in found}


@pytest.fixture(scope="module")
def possible(tmp_path_factory):
    """Which profiles take the experiment that ``sf new`` makes of each method."""
    root = tmp_path_factory.mktemp("lab") / "lab"
    init_lab(root)
    catalog, made = load_catalog(), {}
    for number, name in enumerate(catalog.names()):
        folder = new_experiment(Lab(root), f"t{number}", catalog.recipe(name), catalog, lang="en")
        file = folder / "experiment.yaml"
        text = file.read_text("utf-8")
        answers = []
        for profile in PROFILES:
            line = f"resources: {profile}"
            changed, count = re.subn(r"(?m)^#? ?resources:.*$", line, text)
            file.write_text(changed if count else f"{text}\n{line}\n", "utf-8")
            answers.append(prepare(folder).plan is not None)
        made[name] = tuple(answers)
    return made


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_table_is_what_validation_says(lang, possible):
    said = {name: tuple(WORDS[lang][cell] for cell in cells) for name, cells in table(lang).items()}
    assert said == possible


def test_both_languages_say_the_same():
    english, chinese = table("en"), table("zh")
    pairs = {
        (one, other)
        for name, cells in english.items()
        for one, other in zip(cells, chinese[name], strict=True)
    }
    assert len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})

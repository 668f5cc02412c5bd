import json
import os

import pytest

from starforge.catalog.load import load_catalog
from starforge.errors import StarForgeError
from starforge.lab.experiment import load_experiment
from starforge.lab.lab import Lab, find_experiment, find_lab
from starforge.lab.resolve import resolve
from starforge.lab.scaffold import check_name, init_lab, new_experiment
from starforge.lab.templates import comment
from starforge.lab.wrap import cells


@pytest.fixture
def lab(tmp_path):
    init_lab(tmp_path / "lab", "en")
    return Lab(tmp_path / "lab")


def files(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_init_makes_a_lab_and_keeps_what_is_there(tmp_path):
    folder = tmp_path / "我的 lab"
    folder.mkdir()
    (folder / "README.md").write_text("mine")
    created = init_lab(folder, "zh")
    assert folder / "README.md" not in created
    assert (folder / "README.md").read_text() == "mine"
    assert {"starforge.yaml", ".gitignore"} <= {p.name for p in created}
    assert find_lab(folder / "experiments") == Lab(folder)
    with pytest.raises(StarForgeError, match="is a lab already"):
        init_lab(folder)


def test_init_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StarForgeError, match="can't be written"):
        init_lab(tmp_path / "file/lab")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_new_experiment_has_everything(lab, catalog, lang):
    recipe = catalog.recipe("mini/train")
    folder = new_experiment(lab, "我的-sft.v1", recipe, catalog, lang=lang)
    assert files(folder) == [
        "README.md", "config.yaml", "data/train.jsonl", "experiment.yaml", "recipe.lock.json",
        "run.sh", "train.py",
    ]  # fmt: skip
    rows = [json.loads(line) for line in (folder / "data/train.jsonl").read_text().splitlines()]
    assert len(rows) == 8
    assert rows[0] == recipe.data.example[0]
    assert os.access(folder / "run.sh", os.X_OK)
    assert ("训练" in (folder / "train.py").read_text("utf-8")) is (lang == "zh")
    experiment, findings = load_experiment(folder)
    config, more = resolve(experiment, recipe, catalog.contract(recipe))
    assert findings + more == []
    assert experiment.model == "starforge:tiny"
    assert experiment.params == {"batch_size": 2}
    assert config.get("shuffle") is False
    text = (folder / "experiment.yaml").read_text("utf-8")
    assert "  # save_mode: steps" in text
    assert all(cells(line) <= 94 for line in text.splitlines())
    assert find_experiment("我的-sft.v1", lab.root) == folder.resolve()


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", load_catalog().names())
def test_every_shipped_method_scaffolds_without_findings(lab, name, lang):
    catalog = load_catalog()
    recipe = catalog.recipe(name)
    folder = new_experiment(lab, "exp", recipe, catalog, lang=lang)
    experiment, findings = load_experiment(folder)
    _, more = resolve(experiment, recipe, catalog.contract(recipe))
    assert findings + more == []


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "../a", ".hidden", "-flag", "_x", "a b", "a\n", "a" * 200, "a:b"]
)
def test_bad_names(lab, catalog, name):
    with pytest.raises(StarForgeError, match="can't be the name"):
        new_experiment(lab, name, catalog.recipe("mini/train"), catalog)
    assert lab.experiments() == []


@pytest.mark.parametrize("name", ["a", "A-1_b.c", "实验1", "1"])
def test_good_names(name):
    assert check_name(name) == name


def test_a_name_that_is_taken(lab, catalog):
    recipe = catalog.recipe("mini/script")
    folder = new_experiment(lab, "one", recipe, catalog)
    (folder / "notes").write_text("mine")
    with pytest.raises(StarForgeError, match="there is an experiment `one` already"):
        new_experiment(lab, "one", recipe, catalog)
    assert (folder / "notes").read_text() == "mine"


def test_a_broken_template_leaves_nothing_behind(lab, catalog, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(catalog), "scaffold_file", fail)
    with pytest.raises(StarForgeError, match="No space left"):
        new_experiment(lab, "one", catalog.recipe("mini/train"), catalog)
    assert files(lab.root / "experiments") == [".gitkeep"]


def test_copying_an_experiment(lab, catalog):
    recipe = catalog.recipe("mini/train")
    first = new_experiment(lab, "first", recipe, catalog)
    (first / "extra.py").write_text("x")
    (first / "__pycache__").mkdir()
    (first / "__pycache__/x.pyc").write_text("")
    second = new_experiment(lab, "second", recipe, catalog, from_=first)
    assert files(second) == [file for file in files(first) if "__pycache__" not in file]
    assert (second / "experiment.yaml").read_text() == (first / "experiment.yaml").read_text()
    with pytest.raises(StarForgeError, match="uses mini/train, not mini/script"):
        new_experiment(lab, "third", catalog.recipe("mini/script"), catalog, from_=first)
    assert [e.name for e in lab.experiments()] == ["first", "second"]


def test_finding_experiments(lab, catalog):
    folder = new_experiment(lab, "my-sft", catalog.recipe("mini/train"), catalog)
    inside = folder / "data"
    for text, start in [("my-sft", lab.root), ("my-sft", inside), (str(folder), "/"),
                        (".", folder), ("experiment.yaml", folder)]:  # fmt: skip
        assert find_experiment(text, type(folder)(start)) == folder.resolve()
    with pytest.raises(StarForgeError) as caught:
        find_experiment("my-sfl", lab.root)
    assert "`my-sft`" in caught.value.hint.en
    with pytest.raises(StarForgeError) as caught:
        find_experiment("zebra", lab.root)
    assert "sf ls" in caught.value.hint.zh
    with pytest.raises(StarForgeError) as caught:
        find_experiment("zebra", lab.root.parent)
    assert "sf init" in caught.value.hint.en


def test_comments_wrap_by_width_and_never_inside_code():
    for text in ("word " * 60, "汉字，" * 60, "中文 and English " * 20):
        lines = comment(text)
        assert all(cells(line) <= 94 for line in lines)
        assert not any(line.startswith("# ，") for line in lines)
    lines = comment("x " * 40 + "`sf submit one --watch` and more " * 3)
    assert all(line.count("`") % 2 == 0 for line in lines)

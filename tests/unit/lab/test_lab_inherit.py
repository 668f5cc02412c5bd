"""`defaults:` and `_override_`: what a chain of files comes to, and where findings point."""

import pytest

from starforge.lab.document import load_document
from starforge.lab.experiment import CONFIG_FILE, load_experiment
from starforge.lab.inherit import inherit

BASE = "examples/configs/base.yaml"
KEYS = {"a.x", "a.y", "a.deep.z", "b.x", "b.y", "top", "data.validation"}


@pytest.fixture
def chain(tmp_path):
    """Write files of an experiment and return what they come to."""

    def made(**files):
        (tmp_path / "experiment.yaml").write_text("method: nemo-rl/sft\n")
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_yaml", ".yaml")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        experiment, _ = load_experiment(tmp_path)
        document, _ = load_document(tmp_path / CONFIG_FILE, CONFIG_FILE)
        found, findings = inherit(experiment, document, BASE, KEYS)
        values = {path: one.value for path, one in sorted(found.values.items())}
        return values, found, findings

    return made


def test_a_file_without_parents_is_what_it_says(chain):
    values, found, findings = chain(config_yaml="a: {x: 1, deep: {z: 2}}\ntop: 3\n")
    assert values == {"a.x": 1, "a.deep.z": 2, "top": 3}
    assert not findings and not found.dropped


def test_later_parents_win_and_the_file_wins_over_them(chain):
    values, found, _ = chain(
        config_yaml="defaults: [one.yaml, more/two.yaml]\na: {y: 30}\n",
        one_yaml="a: {x: 1, y: 1}\nb: {x: 1}\n",
        more__two_yaml="defaults: three.yaml\na: {x: 2, y: 2}\n",
        more__three_yaml="b: {x: 3, y: 3}\na: {x: 3}\n",
    )
    assert values == {"a.x": 2, "a.y": 30, "b.x": 3, "b.y": 3}
    assert found.values["a.x"].at.file == "more/two.yaml"
    assert found.values["b.y"].at.line == 1


def test_override_replaces_a_section_of_parents_and_of_the_defaults(chain):
    values, found, _ = chain(
        config_yaml="defaults: one.yaml\na: {_override_: true, y: 5}\n",
        one_yaml="a: {x: 1}\nb: {x: 1}\n",
    )
    assert values == {"a.y": 5, "b.x": 1}
    assert found.dropped == {"a"}


def test_a_marker_is_spent_where_its_file_is_merged_as_upstream_does(chain):
    """A second parent's marker replaces what the first set, but not when its own parent took it."""
    values, _, _ = chain(
        config_yaml="defaults: [one.yaml, two.yaml]\n",
        one_yaml="a: {x: 1}\n",
        two_yaml="a: {_override_: true, y: 2}\n",
    )
    assert values == {"a.y": 2}
    values, found, _ = chain(
        config_yaml="defaults: [one.yaml, two.yaml]\n",
        one_yaml="a: {x: 1}\n",
        two_yaml="defaults: three.yaml\na: {y: 2}\n",
        three_yaml="a: {_override_: true, deep: {z: 1}}\n",
    )
    assert values == {"a.x": 1, "a.y": 2, "a.deep.z": 1}
    assert not found.dropped


def test_upstreams_own_defaults_may_be_named(chain):
    values, _, findings = chain(
        config_yaml=f"defaults: [../../{BASE}, one.yaml]\ntop: 1\n", one_yaml="a: {x: 1}\n"
    )
    assert (values, findings) == ({"a.x": 1, "top": 1}, [])
    values, _, _ = chain(
        config_yaml="defaults: [one.yaml, base.yaml]\nb: {x: 9}\n", one_yaml="a: {x: 1, new: 2}\n"
    )
    assert values == {"a.new": 2, "b.x": 9}  # the defaults, named last, win over `a.x`


def test_a_scalar_replaces_a_section_and_a_section_a_scalar(chain):
    values, _, _ = chain(
        config_yaml="defaults: one.yaml\na: null\nb: {x: 1}\n", one_yaml="a: {x: 1}\nb: 5\n"
    )
    assert values == {"a": None, "b.x": 1}


@pytest.mark.parametrize(
    ("files", "code", "file", "line"),
    [
        ({"config_yaml": "top: 1\ndefaults: none.yaml\n"}, "parent-missing", "config.yaml", 2),
        ({"config_yaml": "defaults: ../x.yaml\n"}, "parent-outside", "config.yaml", 1),
        ({"config_yaml": "defaults: /etc/x.yaml\n"}, "parent-outside", "config.yaml", 1),
        ({"config_yaml": "defaults: config.yaml\n"}, "cycle", "config.yaml", 1),
        ({"config_yaml": "defaults: a.yaml\n", "a_yaml": "top: 1\ndefaults: b.yaml\n",
          "b_yaml": "\n\ndefaults: a.yaml\n"}, "cycle", "b.yaml", 3),
        ({"config_yaml": "defaults: {a: 1}\n"}, "defaults-form", "config.yaml", 1),
        ({"config_yaml": "defaults: a.yaml\n",
          "a_yaml": "a:\n  deep:\n    _override_: true\n"}, "override-place", "a.yaml", 3),
    ],
)  # fmt: skip
def test_findings_name_file_and_line(chain, files, code, file, line):
    _, _, findings = chain(**files)
    assert [(f.code, f.at.file, f.at.line) for f in findings] == [(f"inherit/{code}", file, line)]


def test_a_broken_parent_is_reported_and_the_rest_still_read(chain):
    values, _, findings = chain(config_yaml="defaults: a.yaml\ntop: 1\n", a_yaml="a: [\n")
    assert values == {"top": 1}
    assert [f.at.file for f in findings] == ["a.yaml"]

"""Cases for upstream's parser: every published parameter is away from its default in one."""

from pathlib import Path

import msgspec
import pytest

from starforge.catalog.load import load_catalog
from starforge.catalog.models import ContractKey, Parameter
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.proofs import Outcome, UnprovedError, cases_of, prove
from starforge.proofs import run as proofs_run
from starforge.proofs.away import away

TEXT = Text("x", "x")


def parameter(default, **fields):
    known = {"name": "p", "path": "p", "type": "Any", "group": "run", "description": TEXT}
    return Parameter(**known, default=default, **fields)


AWAY = [
    ("int", 8, {}, 16), ("int", 0, {"minimum": 0}, 2), ("int", -1, {"minimum": -1}, 1),
    ("float", 1.0, {"maximum": 1}, 0.5), ("float", 0.0, {"minimum": 0, "maximum": 1}, 1.0),
    ("bool", True, {}, False), ("bool | None", None, {}, True), ("str", "a", {}, "sf_proof"),
    ("str | None", None, {"choices": [None, "x"]}, "x"), ("str", "a", {"choices": ["a", "b"]}, "b"),
    ("list[str]", ["a"], {"choices": ["a", "b"]}, ["b"]),
    ("list[str] | None", None, {}, ["sf_proof"]), ("tuple[float, float]", [0.9, 0.95], {},
                                                   [0.25, 0.75]),
    ("int | None", None, {"minimum": 1}, 2), ("str", "a", {"example": "c"}, "c"),
    ("Any", None, {}, True),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "default", "fields", "expected"), AWAY)
def test_a_legal_value_that_is_not_the_default(kind, default, fields, expected):
    found = away(parameter(default, **fields), ContractKey(type=kind, default=default))
    assert found == expected and type(found) is type(expected)


def test_every_parameter_is_away_in_some_case(tmp_path):
    catalog = load_catalog()
    recipe = catalog.recipe("trl/sft")
    cases = cases_of(catalog, "trl/sft", tmp_path)
    assert cases[0].name == "trl/sft/fresh"
    seen = {
        path: value for case in cases[1:] for path, value in case.expect.items()
    }  # fmt: skip
    missing = [p.name for p in recipe.parameters if p.path not in seen]
    assert missing == []
    assert all("${" not in str(value) for case in cases for value in case.expect.values())
    assert all(case.processes and "record/config.json" in case.files for case in cases)
    assert 2 <= len(cases) <= 12


def test_a_broken_recipe_is_named(tmp_path, monkeypatch):
    catalog = load_catalog()
    recipe = catalog.recipe("trl/sft")
    broken = msgspec.structs.replace(
        recipe, scaffold=msgspec.structs.replace(recipe.scaffold, params={"max_steps": -9})
    )
    monkeypatch.setattr(type(catalog), "recipe", lambda self, name: broken)
    with pytest.raises(StarForgeError, match="trl/sft") as caught:
        cases_of(catalog, "trl/sft", tmp_path)
    assert caught.value.code == "proof/refused"


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Let a framework's proof be this script."""

    def script(source):
        file = tmp_path / "proof.py"
        file.write_text(source)
        monkeypatch.setattr(proofs_run, "proof_script", lambda framework: file)
        return Path(__import__("sys").executable)

    return script


def test_outcomes_are_read_behind_whatever_a_framework_prints(script):
    python = script(
        "import json, sys\ncases = json.load(sys.stdin)\nprint('noise')\n"
        "print(json.dumps([{'name': 'a', 'ok': True, 'checked': len(cases)}]))\n"
    )
    assert prove("trl", [], python) == [Outcome(name="a", ok=True, checked=0)]


@pytest.mark.parametrize(
    ("source", "problem"),
    [("raise SystemExit('no module x')", "no module x"), ("print('{}')", "can't be read"),
     ("pass", "can't be read")],
)  # fmt: skip
def test_a_proof_that_can_not_run_says_why(script, source, problem):
    with pytest.raises(UnprovedError, match="trl") as caught:
        prove("trl", [], script(source))
    assert problem in caught.value.message.en

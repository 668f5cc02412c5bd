"""The form of the console knows every policy of experiment.yaml, with its kind and default."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from starforge.lab import experiment
from starforge.plan import Policies

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "console/src/pages/new/form/policies.ts"
KINDS = {
    "bool": "switch", "list[str]": "names", "duration": "duration", "size": "size",
    "int": "count", "float": "factor",
}  # fmt: skip
LINE = re.compile(r'\{ name: "(\w+)", kind: "(\w+)", group: "\w+", usual: ([^ ]+) \}')


@pytest.fixture(scope="module")
def fields():
    return {name: (kind, json.loads(usual)) for name, kind, usual in LINE.findall(
        SOURCE.read_text("utf-8")
    )}  # fmt: skip


def test_every_policy_has_a_field_of_its_kind(fields):
    known = {name: KINDS[kind] for name, kind in experiment._POLICIES.items()}
    assert {name: kind for name, (kind, _) in fields.items()} == known


def test_fields_show_the_defaults_that_hold(fields):
    usual = {one.name: one.default for one in msgspec.structs.fields(Policies)}
    usual["nan_metrics"] = None  # no names: every loss, which the texts say
    assert {name: value for name, (_, value) in fields.items()} == usual

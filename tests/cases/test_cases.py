"""Mistakes from real reports, each with the verdict that validation owes (``*.yaml`` here)."""

import copy
from pathlib import Path

import pytest
from case_lab import prepare_case, read_cases

from starforge.catalog.load import load_catalog

CASES = [case for case in read_cases(Path(__file__).parent) if "decided" not in case]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['case']}-{case['method']}")
def test_the_verdict_on_a_case(case, tmp_path):
    catalog = load_catalog()
    assert catalog.recipe(case["method"]).pin == case["pin"]
    assert case["source"]
    prepared = prepare_case(copy.deepcopy(case), tmp_path / "lab", catalog)
    serious = [one for one in prepared.findings if one.severity != "info"]
    if case["verdict"] == "accepted":
        assert serious == []
        assert prepared.plan is not None
        argv = [word for process in prepared.plan.processes for word in process.argv]
        assert set(case.get("argv", ())) <= set(argv)
        assert case.get("told") in {None, *(found.code for found in prepared.findings)}
        return
    wanted = case["verdict"]
    found = [one for one in serious if one.code == wanted["code"]]
    assert len(found) == wanted.get("times", 1), serious
    one = found[-1]
    assert one.severity == wanted["severity"]
    assert {other.code for other in serious if other.severity == "error"} <= {wanted["code"]}
    assert prepared.ok is (one.severity != "error")
    if "key" in case:
        assert one.at.key == case["key"]
    hint = one.hint.en if one.hint else ""
    assert all(word in hint for word in case.get("hint", ())), hint
    assert all(word in one.message.en for word in case.get("message", ())), one.message.en

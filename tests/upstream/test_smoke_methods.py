"""`sf smoke` of every method, as `sf new` makes its experiment."""

import importlib
from pathlib import Path

import pytest

from starforge.catalog.load import load_catalog

pytestmark = pytest.mark.upstream

SCRIPTS = Path(__file__).parents[2] / "scripts"
# Those that take seconds; `test_smoke_run.py` has the supervised ones of verl and OpenRLHF.
QUICK = ("trl/dpo", "custom/custom", "nemo-rl/")
METHODS = [
    name if name.startswith(QUICK) else pytest.param(name, marks=pytest.mark.slow)
    for name in load_catalog().names()
]


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("method", METHODS)
def test_a_method_as_it_is_made(tmp_path, request, monkeypatch, method):
    runtime = load_catalog().recipe(method).runtime
    if runtime not in ("none", "nemo-rl"):
        request.getfixturevalue(f"{runtime}_python")
    monkeypatch.syspath_prepend(str(SCRIPTS))
    table = importlib.import_module("smoke_table")
    row = table.try_method(method, tmp_path / "lab")
    assert row.ok, (row.reason, row.report and row.report.tail)
    report = row.report
    if report.mode == "look":
        assert method.startswith("nemo-rl/")
        assert report.steps == []
        assert any("needs a GPU" in text.en for text in report.open)
    elif report.mode == "score":
        assert report.scores
    else:
        assert len(report.steps) >= 2
    assert f"| {method} |" in table.line(row)

"""Property: every published parameter at the ends of its range, and at every choice.

The experiment of ``sf new`` with that one value validates, or has one finding: one mistake
is said once. Some three thousand experiments are prepared, which takes a minute.
"""

import json

import pytest
from case_lab import scaffold

from starforge.catalog.load import load_catalog
from starforge.prepare import prepare

CATALOG = load_catalog()


def values(parameter):
    """Return the ends of the range, or all choices; nothing where neither is said."""
    if parameter.choices:
        return list(parameter.choices)
    if parameter.type.startswith("bool"):
        return [True, False]
    low, high = parameter.minimum, parameter.maximum
    whole = parameter.type.startswith("int")
    if low is not None and parameter.exclusive_minimum:
        low = low + 1 if whole else low + 1e-9
    return [int(end) if whole else float(end) for end in (low, high) if end is not None]


def told(findings):
    """Return what the findings say, without those for information."""
    return [(one.code, one.at.key) for one in findings if one.severity != "info"]


@pytest.mark.slow
@pytest.mark.parametrize("method", CATALOG.names())
def test_a_value_at_the_end_of_its_range_has_one_finding_at_most(method, tmp_path):
    folder = scaffold(tmp_path / "lab", method, CATALOG)
    before = told(prepare(folder, catalog=CATALOG).findings)
    assert before == []
    wrong, tried = {}, 0
    for parameter in CATALOG.recipe(method).parameters:
        for value in values(parameter):
            one = f"{parameter.name}={json.dumps(value)}"
            found = prepare(folder, sets=[one], catalog=CATALOG)
            tried += 1
            assert found.ok is (found.plan is not None)
            if len(told(found.findings)) > 1:
                wrong[one] = told(found.findings)
    assert wrong == {}
    assert tried > 0 or method == "custom/custom"

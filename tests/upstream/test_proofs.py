"""Upstream's own parser accepts what the catalog publishes: every method, every parameter."""

import pytest

from starforge.catalog.load import load_catalog
from starforge.home import starforge_home
from starforge.proofs import cases_of, prove
from starforge.proofs.environment import how_to_get, python_for

pytestmark = pytest.mark.upstream
METHODS = [name for name in load_catalog().names() if load_catalog().recipe(name).runtime != "none"]


def interpreter_of(recipe, request):
    if recipe.framework == "nemo-rl":
        request.getfixturevalue("nemo_rl_src")
    else:
        request.getfixturevalue(f"{recipe.runtime}_python")  # skips or fails, as set
    python = python_for(recipe, starforge_home())
    if python is None:
        pytest.skip(how_to_get(recipe))
    return python


@pytest.mark.parametrize("method", METHODS)
def test_plans_are_accepted_and_values_arrive(method, request, tmp_path):
    catalog = load_catalog()
    recipe = catalog.recipe(method)
    cases = cases_of(catalog, method, tmp_path)
    outcomes = prove(recipe.framework, cases, interpreter_of(recipe, request))
    assert [one.problems for one in outcomes if not one.ok] == []
    assert [one.name for one in outcomes] == [case.name for case in cases]
    compared = sum(one.checked for one in outcomes)
    assert compared >= len(recipe.parameters)

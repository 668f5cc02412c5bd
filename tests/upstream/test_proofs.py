"""Upstream's own parser accepts what the catalog publishes: every method, every parameter."""

import pytest

from starforge.catalog.load import load_catalog
from starforge.home import starforge_home
from starforge.proofs import cases_of, prove
from starforge.proofs.environment import how_to_get, python_for

pytestmark = pytest.mark.upstream
METHODS = [name for name in load_catalog().names() if load_catalog().recipe(name).runtime != "none"]


@pytest.fixture(scope="module")
def proved(tmp_path_factory):
    """Prove all methods of a framework at once: importing it takes longer than all the rest."""
    known = {}

    def proved(framework, python):
        if framework not in known:
            catalog = load_catalog()
            own = [n for n in METHODS if catalog.recipe(n).framework == framework]
            cases = {n: cases_of(catalog, n, tmp_path_factory.mktemp("lab")) for n in own}
            every = [case for of_one in cases.values() for case in of_one]
            known[framework] = cases, {o.name: o for o in prove(framework, every, python)}
        return known[framework]

    return proved


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
def test_plans_are_accepted_and_values_arrive(method, request, proved):
    recipe = load_catalog().recipe(method)
    cases, outcomes = proved(recipe.framework, interpreter_of(recipe, request))
    own = [outcomes[case.name] for case in cases[method]]
    assert [problem for one in own for problem in one.problems] == []
    assert all(one.ok for one in own)
    assert sum(one.checked for one in own) >= len(recipe.parameters)

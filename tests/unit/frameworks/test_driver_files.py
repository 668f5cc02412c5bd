"""A plan carries every file that its drivers import: a missing one fails only in the runtime."""

import ast
from pathlib import Path

import pytest

from starforge.catalog.load import load_catalog
from starforge.lab.lab import find_lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare

FRAMEWORKS = Path("src/starforge/frameworks")
METHODS = ["trl/sft", "trl/grpo", "trl/opsd", "verl/sft", "verl/grpo", "openrlhf/sft",
           "openrlhf/ppo", "nemo-rl/grpo", "evalkit/benchmark"]  # fmt: skip


@pytest.fixture(scope="module")
def ours():
    """The names of all modules that lie among drivers."""
    root = Path(__file__).parents[3] / FRAMEWORKS
    return {
        file.stem for place in ("*/drivers", "_drivers") for file in root.glob(f"{place}/**/*.py")
    }


def imported(text, *, everywhere):
    """Modules that a file imports: when it is loaded, or ``everywhere``, in functions as well."""
    tree = ast.parse(text)
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("method", METHODS)
def test_what_drivers_import_is_in_the_plan(method, tmp_path, ours):
    catalog = load_catalog()
    recipe = catalog.recipe(method)
    init_lab(tmp_path / "lab")
    made = prepare(new_experiment(find_lab(tmp_path / "lab"), "e", recipe, catalog))
    assert made.plan is not None, made.findings
    files = {Path(one.path).stem: one.content for one in made.plan.files
             if one.path.startswith("record/driver/") and one.path.endswith(".py")}  # fmt: skip
    assert len(files) > 2
    start = Path(str(recipe.entry.driver)).stem
    seen, rest = set(), [start] if start in files else sorted(files)
    missing = set()
    while rest:
        name = rest.pop()
        if name in seen:
            continue
        seen.add(name)
        # Functions for rewards are not called, and their files not sent, without one.
        for other in imported(files[name], everywhere=recipe.algorithm != "sft"):
            if other in files:
                rest.append(other)
            elif other in ours:
                missing.add(f"{name} imports {other}")
    assert not missing

"""The rows of ``make demo-all``: what they run is valid, and what they call resumed is."""

import importlib
import sys
from pathlib import Path

import pytest

from starforge.catalog.load import load_catalog
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare

DEMO_ALL = Path(__file__).parents[3] / "scripts" / "demo_all"
PARTS = ("demo_rows", "places", "trial", "chain")


@pytest.fixture
def part(monkeypatch, tmp_path):
    """Import a module of the demonstration with everything below a temporary folder."""
    monkeypatch.syspath_prepend(str(DEMO_ALL))
    monkeypatch.setenv("STARFORGE_DEMO_ALL", str(tmp_path))
    for name in ("STARFORGE_HOME", "STARFORGE_RUNTIMES"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for name in PARTS:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module
    for name in PARTS:
        sys.modules.pop(name, None)


def test_every_row_is_valid_on_half_of_a_small_machine(part, tmp_path):
    rows = part("demo_rows")
    catalog = load_catalog()
    init_lab(tmp_path)
    cases = [*rows.TRAINING, *(job for chain in rows.CHAINS for job in chain.jobs)]
    for number, case in enumerate(cases):
        recipe = catalog.recipe(case.method)
        folder = new_experiment(Lab(root=tmp_path), f"row-{number}", recipe, catalog)
        made = prepare(folder, sets=case.sets, profile="cpu:1")
        assert [f for f in made.findings if f.severity == "error"] == [], case.name


def test_every_method_that_a_cpu_can_carry_has_a_row(part):
    rows = part("demo_rows")
    carried = {case.method for case in rows.TRAINING} | {"evalkit/benchmark"}
    catalog = load_catalog()
    assert carried == {n for n in catalog.names() if catalog.recipe(n).minimum.gpus == 0}
    assert len(set(rows.names())) == len(rows.names())


@pytest.mark.parametrize(
    ("steps", "attempts", "killed_at", "one"),
    [
        ([1, 2, 3, 4], [0, 0, 1, 1], 2, True),
        ([1, 2, 3, 4], [0, 1, 1, 1], 2, False),  # it went back behind its checkpoint
        ([1, 2, 3, 4], [1, 1, 1, 1], 2, False),  # it began anew
        ([1, 2, 4], [0, 0, 1], 2, False),  # a step is lost
        ([2, 3, 4], [1, 1, 1], 1, False),  # the first attempt left no curve
        ([1, 2, 3, 3], [0, 0, 0, 1], 2, False),  # a step is there twice
        ([1, 2], [0, 0], 2, False),  # nothing came of the second attempt
        ([], [], 1, False),
    ],
)
def test_a_resumed_curve_is_one_curve(part, steps, attempts, killed_at, one):
    assert part("trial").is_one(steps, attempts, killed_at) is one


@pytest.mark.parametrize(
    ("primary", "metric"),
    [
        (["train/loss", "train/reward"], "train/reward"),
        (["validation/loss", "train/distillation_loss"], "train/distillation_loss"),
        (["train/accuracy"], "train/loss"),
        ([], "train/loss"),
    ],
)
def test_the_curve_of_the_table_says_how_training_went(part, primary, metric):
    there = {"train/reward", "train/distillation_loss", "train/loss"}
    assert part("trial").shown(primary, there) == metric
    assert part("trial").shown(primary, set()) is None

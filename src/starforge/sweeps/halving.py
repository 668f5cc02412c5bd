"""Which trials go on: successive halving, without waiting for all (Optuna's pruner).

Li et al., A System for Massively Parallel Hyperparameter Tuning, MLSys 2020. Rungs lie at
``first``, ``first * factor``, ``first * factor**2``, ... steps. At each, a trial goes on if it is
among the best of every ``factor`` that have come so far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from starforge.sweeps.search import Goal, quiet, study_of

RUNGS = 2
"""Rungs of a sweep that leaves the first step to us."""


def first_rung(total: int, factor: int) -> int:
    """Return the step of the first rung, so that :data:`RUNGS` lie before step ``total``."""
    return int(max(1, total // factor**RUNGS))


def step_of(rung: int, first: int, factor: int) -> int:
    """Return the step at which a rung lies."""
    return int(first * factor**rung)


def goes_on(
    value: float, others: Sequence[float], *, rung: int, first: int, factor: int, goal: Goal
) -> bool:
    """Say whether a trial that comes to a rung with ``value`` goes on.

    ``others`` are the values of those that came to it before, whether they went on or not.
    The first to come always goes on, if its value is finite.
    """
    quiet()
    from optuna.pruners import SuccessiveHalvingPruner
    from optuna.trial import TrialState, create_trial

    if not math.isfinite(value):
        return False
    finite = [one for one in others if math.isfinite(one)]
    # The pruner remembers what it saw at a rung in these attributes.
    came = [
        create_trial(state=TrialState.RUNNING, system_attrs={f"completed_rung_{rung}": one})
        for one in finite
    ]
    passed = {f"completed_rung_{before}": value for before in range(rung)}
    step = step_of(rung, first, factor)
    me = create_trial(
        state=TrialState.RUNNING, system_attrs=passed, intermediate_values={step: value}
    )
    study = study_of([*came, me], goal)
    pruner = SuccessiveHalvingPruner(min_resource=first, reduction_factor=factor)
    return not pruner.prune(study, study.get_trials(deepcopy=False)[-1])

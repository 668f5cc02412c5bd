"""What to try next: Optuna's tree-structured Parzen estimator (TPE).

Bergstra et al., Algorithms for Hyper-Parameter Optimization, NeurIPS 2011. A study is made anew
in memory of the trials so far at each question, and the sampler's seed comes from the sweep's
and the number of the trial; so the answer depends on nothing else, and is the same in a server
that was started again. Optuna is imported when it is needed: that takes about a second.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from starforge.sweeps.space import Choice, Range, Trial, unseen

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.study import Study
    from optuna.trial import FrozenTrial

Goal = Literal["max", "min"]
Outcome = Literal["running", "value", "pruned", "none"]

TRIES = 8  # questions to TPE until a trial differs from all before
_STEP = 1_000_003  # between the seeds of two trials; a prime, so that sweeps rarely share one


class Past(msgspec.Struct, frozen=True):
    """A trial so far. ``step`` is where it was pruned, with ``value`` there."""

    parameters: Trial
    outcome: Outcome
    value: float | None = None
    step: int | None = None


def startup(count: int) -> int:
    """Return how many of ``count`` trials are drawn at random before TPE has a say.

    Optuna's own 10 would leave nothing to learn for the short sweeps that training affords.
    """
    return max(3, min(10, count // 4))


def propose(
    found: dict[str, Choice | Range], past: Sequence[Past], *, goal: Goal, seed: int, count: int
) -> Trial | None:
    """Return the next of ``count`` trials, unlike all before; ``None`` when there is no other.

    ``past`` are all trials before it, in order.
    """
    quiet()
    from optuna.samplers import TPESampler

    known = {tuple(sorted(one.parameters.items())) for one in past}
    distributions = {name: _distribution(part) for name, part in found.items()}
    base = (seed * _STEP + len(past)) * _STEP
    for again in range(TRIES):
        sampler = TPESampler(
            n_startup_trials=startup(count), constant_liar=True, seed=(base + again) % 2**32
        )
        study = study_of([_frozen(found, distributions, one) for one in past], goal, sampler)
        asked = study.ask(distributions)
        one = {name: _text(part, asked.params[name]) for name, part in found.items()}
        if tuple(sorted(one.items())) not in known:
            return one
    source = random.Random(base)  # noqa: S311 - nothing secret
    return unseen(found, [one.parameters for one in past], source)


def quiet() -> None:
    """Keep Optuna from writing to the server's log: it tells each question it is asked."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)


def study_of(trials: Sequence[FrozenTrial], goal: Goal, sampler: Any = None) -> Study:
    """Return a study in memory that holds ``trials``."""
    import optuna

    direction = "minimize" if goal == "min" else "maximize"
    study = optuna.create_study(direction=direction, sampler=sampler)
    study.add_trials(trials)
    return study


def _distribution(part: Choice | Range) -> BaseDistribution:
    from optuna.distributions import (
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

    if isinstance(part, Choice):
        return CategoricalDistribution(part.values)
    if part.whole:
        return IntDistribution(int(part.low), int(part.high), log=part.log)
    return FloatDistribution(float(part.low), float(part.high), log=part.log)


def _text(part: Choice | Range, value: Any) -> str:
    """Return a proposal as ``--set`` would have it."""
    return value if isinstance(part, Choice) else part.text(value)


def _frozen(
    found: dict[str, Choice | Range], distributions: dict[str, BaseDistribution], one: Past
) -> FrozenTrial:
    from optuna.trial import TrialState, create_trial

    state = {
        "running": TrialState.RUNNING,
        "value": TrialState.COMPLETE,
        "pruned": TrialState.PRUNED,
        "none": TrialState.FAIL,
    }[one.outcome]
    reached = {}
    if one.outcome == "pruned" and one.step is not None and one.value is not None:
        reached = {one.step: one.value}
    return create_trial(
        state=state,
        value=one.value if one.outcome == "value" else None,
        params={name: found[name].parsed(text) for name, text in one.parameters.items()},
        distributions=distributions,
        intermediate_values=reached,
    )

"""Trials of a sweep that are chosen as it goes: each from what those before it came to."""

from __future__ import annotations

import math

import structlog
from sqlalchemy.exc import IntegrityError

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.errors import FindingsError
from starforge.server.services.sweeps import check_trial
from starforge.server.store import sweeps
from starforge.server.store.sweeps import NewTrial, SweepRow, TrialChange, TrialRow
from starforge.sweeps import search, space
from starforge.wire.jobs import SubmitRequest

log = structlog.get_logger("starforge.sweeps")

TEMPORARY = 500  # errors of this status and above are about the server, not the trial


def planned(row: SweepRow, trials: list[TrialRow]) -> int:
    """Return how many trials a sweep is to have."""
    return len(trials) if row.search is None else row.search.count


def extend(core: Core, row: SweepRow, trials: list[TrialRow]) -> TrialRow | None:
    """Choose and keep the next trial; ``None`` when there are all, or no other is left.

    What is chosen depends on the sweep and its trials alone, so after a crash before it was
    kept the same is chosen again. A combination that can't be prepared is kept as a failed
    trial: it counts, and the search learns nothing from it.
    """
    if row.search is None or len(trials) >= row.search.count:
        return None
    found = space.space(row.search.space)
    past = [_past(one) for one in trials]
    chosen = search.propose(
        found, past, goal=row.goal, seed=row.search.seed, count=row.search.count
    )
    if chosen is None:
        return None
    digest, refused = "", None
    try:
        digest = check_trial(core, SubmitRequest.model_validate(row.request), chosen).digest
    except StarForgeError as error:
        if error.status >= TEMPORARY:
            raise
        refused = _why(error)
    number = len(trials)
    try:
        with core.db.write() as tx:
            sweeps.add_trial(tx, row.id, number, NewTrial(chosen, digest))
            if refused is not None:
                made = sweeps.of_sweep(tx, row.id)[number]
                change = TrialChange(state="failed", message=refused)
                sweeps.change_trial(tx, made, change, expect={"waiting"})
    except IntegrityError:  # the sweep was deleted, or its trial made, in the meantime
        log.warning("trial not kept", sweep=row.id, trial=number)
        return None
    core.bus.publish("sweep", data=row.id)
    with core.db.read() as tx:
        return sweeps.of_sweep(tx, row.id)[number]


def _past(one: TrialRow) -> search.Past:
    if one.state in ("waiting", "running"):
        return search.Past(one.parameters, "running")
    if one.state == "succeeded" and one.value is not None:
        return search.Past(one.parameters, "value", one.value)
    if one.state == "pruned" and one.rungs and one.pruned_at is not None:
        reached = one.rungs[-1]
        if reached is not None and math.isfinite(reached):
            return search.Past(one.parameters, "pruned", reached, one.pruned_at)
    return search.Past(one.parameters, "none")


def _why(error: StarForgeError) -> Text:
    if isinstance(error, FindingsError):
        wrong = [one for one in error.findings if one.severity == "error"]
        if wrong:
            return wrong[0].message
    return error.message

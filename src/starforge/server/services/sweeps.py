"""Sweeps: checked and kept whole, shown, stopped, resumed."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import msgspec

from starforge.errors import StarForgeError
from starforge.findings import Finding
from starforge.i18n import Lang, Text
from starforge.server.core import Core
from starforge.server.errors import FindingsError
from starforge.server.services import models, published, views
from starforge.server.services.job_names import require_name
from starforge.server.services.preparation import prepared
from starforge.server.services.submit import require_place
from starforge.server.services.sweep_metric import require_metric, validates
from starforge.server.store import sweeps
from starforge.server.store.sweeps import NewSweep, NewTrial, SweepChange, SweepRow, TrialRow
from starforge.sweeps import space as spaces
from starforge.wire import sweeps as wire
from starforge.wire.base import from_unix
from starforge.wire.jobs import SubmitRequest


def create(core: Core, request: wire.SweepRequest, lang: Lang) -> tuple[str, bool]:
    """Keep a sweep that is to run; return its id and whether it is new.

    Every trial is prepared as its job will be, and refused for the same reasons; nothing is
    kept of a sweep with a trial that is refused.
    """
    require_name(request.name)
    _require_trials(request)
    with core.db.read() as tx:
        known = sweeps.of_key(tx, request.idempotency_key) if request.idempotency_key else None
    if known is not None:
        return known, False
    base = request.job
    if base.method is not None:
        published.require(core, base.method, base.recipe_digest)
    method, made = _checked(core, request)
    early = request.early_stop
    new = NewSweep(
        name=request.name, method=method, metric=request.metric, goal=request.goal,
        jobs=request.jobs, request=base.model_dump(mode="json", exclude_none=True), lang=lang,
        idempotency_key=request.idempotency_key,
        search=sweeps.Search(**request.search.model_dump()) if request.search else None,
        early_stop=sweeps.EarlyStop(**early.model_dump()) if early else None,
    )  # fmt: skip
    with core.db.write() as tx:
        known = sweeps.of_key(tx, new.idempotency_key) if new.idempotency_key else None
        if known is not None:
            return known, False
        ident = sweeps.create(tx, new, made)
    core.bus.publish("sweep", data=ident)
    core.bus.publish("wake")
    return ident, True


def _require_trials(request: wire.SweepRequest) -> None:
    """Refuse a sweep of no trials, or one that says twice what they are."""
    if bool(request.trials) == (request.search is not None):
        raise StarForgeError(
            "sweep/space",
            Text("a sweep has either trials or a search", "搜索要么给出各次尝试，要么给出搜索空间"),
            Text("send one of `trials` and `search`", "请只给出 `trials` 和 `search` 之一"),
            status=422,
        )
    if request.search is not None:
        spaces.require_size(spaces.space(request.search.space), request.search.count)


def _checked(core: Core, request: wire.SweepRequest) -> tuple[str, list[NewTrial]]:
    """Check all that is known of a sweep; return the method and the trials."""
    probes = list(request.probes)
    if request.search is not None:
        probes += spaces.probes(spaces.space(request.search.space))
    checked = [check_trial(core, request.job, one) for one in [*probes, *request.trials]]
    method = checked[0].method
    validates = all(one.validates for one in checked)
    require_metric(core, method, request.metric, validates=validates)
    tried = checked[len(probes) :]
    return method, [
        NewTrial(parameters, one.digest)
        for parameters, one in zip(request.trials, tried, strict=True)
    ]


class Checked(NamedTuple):
    """A trial that is fine: its method, the digest of its plan, whether it validates."""

    method: str
    digest: str
    validates: bool


def varied(base: SubmitRequest, parameters: dict[str, str], **more: Any) -> SubmitRequest:
    """Return the submission of a trial."""
    sets = [*base.sets, *(f"{name}={value}" for name, value in parameters.items())]
    return base.model_copy(update={"sets": sets, **more})


def check_trial(core: Core, base: SubmitRequest, parameters: dict[str, str]) -> Checked:
    """Check one set of values; raises :class:`StarForgeError` where it can't be a job."""
    with prepared(core, varied(base, parameters)) as made:
        done = made.prepared
        if not done.ok or done.plan is None:
            raise _refused(done.findings, parameters)
        require_place(core, done.plan)
        models.locations(core, done.plan)
        return Checked(done.plan.method, done.plan.digest(), validates(done))


def _refused(findings: list[Finding], parameters: dict[str, str]) -> FindingsError:
    """Return the refusal of a sweep for one set of its values."""
    said = FindingsError.counted(findings)
    values = ", ".join(f"{name}={value}" for name, value in parameters.items())
    return FindingsError(
        findings,
        Text(f"with {values} {said.en}; nothing was started",
             f"取 {values} 时{said.zh}；没有启动任何任务"),
        Text("change the values of the sweep, or what they don't go together with in the "
             "experiment",
             "请修改搜索的取值，或实验中与之不相容的设置"),
    )  # fmt: skip


def find(core: Core, ref: str) -> SweepRow:
    """Return a sweep by id, unique prefix of an id, or name (the newest)."""
    with core.db.read() as tx:
        return sweeps.find(tx, ref)


def stop(core: Core, row: SweepRow) -> None:
    """Have running trials stopped and no more started; an ended sweep stays as it is."""
    with core.db.write() as tx:
        sweeps.change(tx, row.id, SweepChange(desired="stop"), expect={"running"})
    core.bus.publish("sweep", data=row.id)
    core.bus.publish("wake")


def resume(core: Core, row: SweepRow) -> None:
    """Go on with a stopped sweep: trials that were stopped or never began are run.

    One that was stopped goes on from its last checkpoint when it has one.
    """
    with core.db.write() as tx:
        change = SweepChange(state="running", desired="run", ended_at=None)
        if not sweeps.change(tx, row.id, change, expect={"stopped"}):
            raise StarForgeError(
                "sweep/not-stopped",
                Text(f"sweep {row.id} is not stopped", f"搜索 {row.id} 并未停止"),
                Text("only a stopped sweep can be resumed; start a new one with `sf sweep EXP`",
                     "只有已停止的搜索可以继续；用 `sf sweep EXP` 开始新的搜索"),
                status=409,
            )  # fmt: skip
        for trial in sweeps.of_sweep(tx, row.id):
            again = sweeps.TrialChange(state="waiting", message=None)  # see sweep_runs._begin
            sweeps.change_trial(tx, trial, again, expect={"stopped"})
    core.bus.publish("sweep", data=row.id)
    core.bus.publish("wake")


def best(row: SweepRow, trials: list[TrialRow]) -> TrialRow | None:
    """Return the best trial that succeeded with a finite value: the first of equal ones."""
    sign = 1.0 if row.goal == "min" else -1.0
    done = [(one.value * sign, one.number, one) for one in trials
            if one.state == "succeeded" and one.value is not None]  # fmt: skip
    return min(done)[2] if done else None


def listing(core: Core, limit: int) -> list[wire.Sweep]:
    """Return the newest sweeps, newest first."""
    with core.db.read() as tx:
        return [
            wire.Sweep(**_fields(row, sweeps.of_sweep(tx, row.id)))
            for row in sweeps.newest(tx, max(1, min(limit, 200)))
        ]


def summary(core: Core, ident: str) -> wire.Sweep:
    """Return a sweep as lists show it."""
    with core.db.read() as tx:
        row = sweeps.find(tx, ident)
        return wire.Sweep(**_fields(row, sweeps.of_sweep(tx, row.id)))


def detail(core: Core, ident: str, lang: Lang) -> wire.SweepDetail:
    """Return everything about a sweep."""
    with core.db.read() as tx:
        row = sweeps.find(tx, ident)
        rows = sweeps.of_sweep(tx, row.id)
    shown = [
        wire.Trial(
            number=one.number, parameters=one.parameters, state=one.state, attempt=one.attempt,
            job_id=one.job_id, value=views.finite(one.value),
            message=views.pick(one.message, lang), pruned_at=one.pruned_at,
        )
        for one in rows
    ]  # fmt: skip
    return wire.SweepDetail(**_fields(row, rows), trials=shown)


def _fields(row: SweepRow, trials: list[TrialRow]) -> dict[str, Any]:
    found = best(row, trials)
    return {
        "id": row.id,
        "name": row.name,
        "state": "stopping" if row.state == "running" and row.desired == "stop" else row.state,
        "method": row.method,
        "metric": row.metric,
        "goal": row.goal,
        "jobs": row.jobs,
        "planned": len(trials) if row.search is None else row.search.count,
        "early_stop": row.early_stop and wire.EarlyStop(**msgspec.structs.asdict(row.early_stop)),
        "counts": dict(Counter(one.state for one in trials)),
        "best": found.number if found else None,
        "best_value": views.finite(found.value) if found else None,
        "created_at": from_unix(row.created_at),
        "ended_at": from_unix(row.ended_at),
    }

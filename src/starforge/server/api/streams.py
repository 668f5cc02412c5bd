"""Logs, metrics and samples of a job."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response, StreamingResponse

from starforge.server.api import follow
from starforge.server.api.deps import CoreDep, JobDep, LangDep, require_user
from starforge.server.api.sse import stream
from starforge.server.services import curves, logs, samples
from starforge.wire.logs import LogPage
from starforge.wire.metrics import Curve, Series
from starforge.wire.samples import SamplePage

router = APIRouter(prefix="/jobs/{job}", tags=["streams"], dependencies=[Depends(require_user)])


@router.get("/logs")
def read_logs(
    *,
    found: JobDep,
    core: CoreDep,
    attempt: int | None = None,
    role: str | None = None,
    rank: int | None = None,
    tail: int | None = None,
    from_line: int | None = None,
    limit: int = 1000,
    search: str | None = None,
) -> LogPage:
    """Lines of one log: the last ones unless ``from_line`` or ``search`` say otherwise."""
    which = logs.Which(attempt=attempt, role=role, rank=rank)
    window = logs.Window(tail=tail, from_line=from_line, limit=limit, search=search)
    return logs.page(core, found, which, window)


@router.get("/logs/raw")
def raw_log(
    *,
    found: JobDep,
    core: CoreDep,
    attempt: int | None = None,
    role: str | None = None,
    rank: int | None = None,
) -> Response:
    """The bytes of one log as the job wrote them."""
    which = logs.Which(attempt=attempt, role=role, rank=rank)
    return StreamingResponse(logs.raw(core, found, which), media_type="text/plain; charset=utf-8")


@router.get("/logs/follow")
async def follow_logs(
    *,
    found: JobDep,
    core: CoreDep,
    attempt: int | None = None,
    role: str | None = None,
    rank: int | None = None,
    tail: int | None = None,
    from_line: int | None = None,
) -> StreamingResponse:
    """Lines as they come, until the job has ended: from the first one, or the last ``tail``."""
    which = logs.Which(attempt=attempt, role=role, rank=rank)
    follower = follow.LogFollower(core, found, which, tail=tail, from_line=from_line)
    return stream(follow.log_lines(core, found, follower))


@router.get("/metrics")
def metrics(
    *,
    found: JobDep,
    core: CoreDep,
    name: Annotated[list[str] | None, Query()] = None,
    buckets: Annotated[int | None, Query(ge=1, le=100_000)] = None,
    lo: float | None = None,
    hi: float | None = None,
    x: Literal["step", "time"] = "step",
    attempt: int | None = None,
) -> dict[str, Curve]:
    """Curves by name."""
    window = curves.Window(lo=lo, hi=hi, x=x, buckets=buckets, attempt=attempt)
    return curves.read(core, found.id, name, window)


@router.get("/series")
def series(found: JobDep, core: CoreDep, lang: LangDep) -> list[Series]:
    """What metrics there are, without points."""
    return curves.series(core, found, lang)


@router.get("/samples")
def read_samples(
    *,
    found: JobDep,
    core: CoreDep,
    step: int | None = None,
    search: str | None = None,
    sort: Literal["step", "-step", "reward", "-reward", "length", "-length"] = "-step",
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
    attempt: int | None = None,
    group: str | None = None,
    truncated: bool | None = None,
) -> SamplePage:
    """Logged prompts and completions."""
    which = samples.Which(step, search, sort, attempt, group, truncated)
    return samples.page(core, found.id, which, limit=limit, offset=offset)


@router.get("/events/follow")
async def follow_events(found: JobDep, core: CoreDep, lang: LangDep) -> StreamingResponse:
    """Changes, events and new points as they come, until the job has ended."""
    return stream(follow.job_events(core, found.id, lang))

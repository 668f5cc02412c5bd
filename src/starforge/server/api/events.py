"""Changes of all jobs, pipelines and sweeps as they come."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from fastapi.responses import StreamingResponse

from starforge.server.api import follow
from starforge.server.api.deps import CoreDep, LangDep, TasksDep, require_user
from starforge.server.api.sse import stream

router = APIRouter(tags=["events"], dependencies=[Depends(require_user)])


@router.get("/events")
async def all_events(core: CoreDep, tasks: TasksDep, lang: LangDep) -> StreamingResponse:
    """Every change of every job, pipeline and sweep."""
    return stream(follow.all_events(core, tasks, lang))

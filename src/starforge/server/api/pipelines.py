"""Pipelines: start, list, look, stop, resume."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from starforge.server.api.deps import CoreDep, LangDep, require_user
from starforge.server.services import pipeline_resume, pipelines
from starforge.server.store.pipelines import PipelineRow
from starforge.wire import pipelines as wire

router = APIRouter(tags=["pipelines"], dependencies=[Depends(require_user)])


def get_pipeline(pipeline: str, core: CoreDep) -> PipelineRow:
    """Return the pipeline that the path names."""
    return pipelines.find(core, pipeline)


PipelineDep = Annotated[PipelineRow, Depends(get_pipeline)]


@router.post("/pipelines", status_code=201)
def create(
    body: wire.PipelineRequest, core: CoreDep, lang: LangDep, response: Response
) -> wire.PipelineDetail:
    """Check a whole pipeline and run it; the same idempotency key always answers the same."""
    ident, is_new, findings = pipelines.create(core, body, lang)
    response.status_code = 201 if is_new else 200
    return pipelines.detail(core, ident, lang, findings)


@router.get("/pipelines")
def listing(
    *,
    core: CoreDep,
    lang: LangDep,
    state: wire.PipelineState | None = None,
    search: str | None = None,
    page: int = 1,
    size: int = 50,
) -> wire.PipelinePage:
    """List pipelines, newest first."""
    return pipelines.page(core, lang, state=state, search=search, number=page, size=size)


@router.get("/pipelines/{pipeline}")
def show(found: PipelineDep, core: CoreDep, lang: LangDep) -> wire.PipelineDetail:
    """Everything about a pipeline, with the jobs of its stages."""
    return pipelines.detail(core, found.id, lang)


@router.post("/pipelines/{pipeline}/stop")
def stop(found: PipelineDep, core: CoreDep, lang: LangDep) -> wire.PipelineDetail:
    """Have running stages stopped, and start no more."""
    pipelines.stop(core, found)
    return pipelines.detail(core, found.id, lang)


@router.post("/pipelines/{pipeline}/resume")
def resume(found: PipelineDep, core: CoreDep, lang: LangDep) -> wire.PipelineDetail:
    """Go on with a failed or stopped pipeline; finished stages are not run again."""
    pipeline_resume.resume(core, found)
    return pipelines.detail(core, found.id, lang)

"""Jobs: submit, list, look, act."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import FileResponse

from starforge.i18n import Text
from starforge.server.api.deps import CoreDep, JobDep, LangDep, require_user
from starforge.server.errors import not_found
from starforge.server.services import edits, jobs, records, views
from starforge.server.store import artifacts, events, scores
from starforge.server.store.records import JobFilter
from starforge.wire import jobs as wire
from starforge.wire.board import Score
from starforge.wire.edits import BulkRequest, BulkResult, JobEdit

router = APIRouter(tags=["jobs"], dependencies=[Depends(require_user)])


@router.post("/jobs", status_code=201)
def create(
    body: wire.SubmitRequest, core: CoreDep, lang: LangDep, response: Response
) -> wire.JobDetail:
    """Submit a job; the same idempotency key always answers the same job."""
    from starforge.server.services.submit import submit  # loads the lab: not at every start

    job_id, is_new = submit(core, body, lang)
    response.status_code = 201 if is_new else 200
    return jobs.detail(core, job_id, lang)


@router.post("/jobs/import", status_code=201)
def import_folder(body: wire.ImportRequest, core: CoreDep, lang: LangDep) -> wire.JobDetail:
    """Bring in what ``starforge.report`` wrote without a server."""
    from starforge.server.services.importer import import_folder as bring_in

    return jobs.detail(core, bring_in(core, body), lang)


@router.get("/jobs", response_model=wire.JobPage)
def listing(
    *,
    core: CoreDep,
    lang: LangDep,
    state: Annotated[list[str] | None, Query()] = None,
    method: Annotated[list[str] | None, Query()] = None,
    search: str | None = None,
    lab: str | None = None,
    tag: str | None = None,
    model: str | None = None,
    owner: str | None = None,
    pipeline: str | None = None,
    page: int = 1,
    size: int = 50,
    sort: str = "-created_at",
) -> Response:
    """List jobs; ``state`` and ``method`` may hold several, with commas or repeated."""
    which = JobFilter(
        states=_several(state),
        methods=_several(method),
        search=search,
        lab=lab,
        tag=tag,
        model=model,
        owner=owner,
        pipeline=pipeline,
    )
    found = jobs.page(core, which, lang, sort=sort, number=page, size=size)
    # Written at once: checking 50 jobs again on their way out takes longer than finding them.
    return Response(found.model_dump_json(), media_type="application/json")


def _several(given: list[str] | None) -> list[str]:
    return [one for part in given or [] for one in part.split(",") if one]


@router.post("/jobs/bulk")
def bulk(body: BulkRequest, core: CoreDep, lang: LangDep) -> list[BulkResult]:
    """Do one thing to several jobs; each has a result of its own."""
    return edits.bulk(core, body, lang)


@router.get("/jobs/{job}")
def show(found: JobDep, core: CoreDep, lang: LangDep) -> wire.JobDetail:
    """Everything about a job but its streams."""
    return jobs.detail(core, found.id, lang)


@router.patch("/jobs/{job}")
def edit(found: JobDep, body: JobEdit, core: CoreDep, lang: LangDep) -> wire.JobDetail:
    """Change name, description, tags, or the priority of a job that waits."""
    edits.edit(core, found, body)
    return jobs.detail(core, found.id, lang)


@router.delete("/jobs/{job}", status_code=204)
def delete(found: JobDep, core: CoreDep, force: bool = False) -> Response:
    """Remove an ended job; with ``force`` a live one is stopped first."""
    jobs.delete(core, found, force=force)
    return Response(status_code=204)


@router.post("/jobs/{job}/stop")
def stop(
    found: JobDep, core: CoreDep, lang: LangDep, body: wire.StopRequest | None = None
) -> wire.JobDetail:
    """Ask a job to stop."""
    jobs.stop(core, found, force=bool(body and body.force))
    return jobs.detail(core, found.id, lang)


@router.post("/jobs/{job}/resume")
def resume(found: JobDep, core: CoreDep, lang: LangDep) -> wire.JobDetail:
    """Go on from the last checkpoint in a new attempt."""
    jobs.resume(core, found)
    return jobs.detail(core, found.id, lang)


@router.post("/jobs/{job}/retry")
def retry(found: JobDep, core: CoreDep, lang: LangDep) -> wire.JobDetail:
    """Start from scratch in a new attempt."""
    jobs.retry(core, found)
    return jobs.detail(core, found.id, lang)


@router.get("/jobs/{job}/plan")
def plan(found: JobDep) -> dict[str, Any]:
    """The launch plan exactly as submitted."""
    shown: dict[str, Any] = msgspec.to_builtins(found.plan)
    return shown


@router.get("/jobs/{job}/record")
def record(found: JobDep, core: CoreDep) -> wire.Record:
    """The files of the job's record."""
    return records.read(core, found.id)


@router.get("/jobs/{job}/artifacts")
def outputs(found: JobDep, core: CoreDep) -> list[wire.Output]:
    """What the job left."""
    with core.db.read() as tx:
        return [views.output(one) for one in artifacts.of_job(tx, found.id)]


@router.get("/jobs/{job}/artifacts/file")
def artifact_file(found: JobDep, core: CoreDep, path: str) -> FileResponse:
    """The bytes of one file in the job's folder."""
    target = records.public_file(core, found.id, path)
    if target is None:
        raise not_found(
            Text(
                f"job {found.id} has no output file `{path}`",
                f"任务 {found.id} 没有产出文件 `{path}`",
            ),
            code="job/no-file",
        )
    return FileResponse(target, filename=target.name)


@router.get("/jobs/{job}/scores")
def job_scores(found: JobDep, core: CoreDep) -> list[Score]:
    """Scores the job measured."""
    with core.db.read() as tx:
        return [views.score(one) for one in scores.of_job(tx, found.id)]


@router.get("/jobs/{job}/events")
def job_events(found: JobDep, core: CoreDep, lang: LangDep, after: int = 0) -> list[wire.Event]:
    """What happened to the job, oldest first."""
    with core.db.read() as tx:
        return [views.event(one, lang) for one in events.after(tx, after, job_id=found.id)]

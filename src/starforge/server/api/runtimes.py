"""Runtimes of the server's machine, and background tasks."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Response

from starforge.server.api.deps import CoreDep, LangDep, TasksDep, require_user
from starforge.server.services import runtimes
from starforge.server.services.tasks import shape
from starforge.wire.runtimes import Runtime, RuntimeInstall, RuntimeReport, Task

router = APIRouter(tags=["runtimes"], dependencies=[Depends(require_user)])


@router.get("/runtimes")
def listing(core: CoreDep) -> list[Runtime]:
    """All runtimes, installed or not."""
    return runtimes.listing(core)


@router.post("/runtimes", status_code=202)
def install(body: RuntimeInstall, core: CoreDep, tasks: TasksDep, lang: LangDep) -> Task:
    """Build a runtime in the background."""
    return shape(runtimes.start_install(core, tasks, body.name, body.device), lang)


@router.delete("/runtimes/{name}/{device}", status_code=204)
def remove(name: str, device: str, core: CoreDep) -> Response:
    """Remove a runtime no running job uses."""
    runtimes.remove(core, name, device)
    return Response(status_code=204)


@router.get("/runtimes/{name}/{device}/doctor")
def doctor(name: str, device: str, core: CoreDep) -> RuntimeReport:
    """Compare a runtime with its lock."""
    return runtimes.doctor(core, name, device)


@router.get("/tasks")
def tasks_listing(tasks: TasksDep, lang: LangDep) -> list[Task]:
    """Background tasks, newest first."""
    return [shape(task, lang) for task in tasks.all()]


@router.get("/tasks/{task}")
def task(task: str, tasks: TasksDep, lang: LangDep) -> Task:
    """One background task."""
    return shape(tasks.get(task), lang)

"""What routes need: the core, the language, who asks, and which job is meant."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Request

from starforge.i18n import Lang
from starforge.server.core import Core
from starforge.server.errors import request_lang
from starforge.server.services import jobs
from starforge.server.services.tasks import Tasks
from starforge.server.store.records import Job


def get_core(request: Request) -> Core:
    """Return the server's core."""
    core: Core = request.app.state.core
    return core


def get_tasks(request: Request) -> Tasks:
    """Return the server's background tasks."""
    tasks: Tasks = request.app.state.tasks
    return tasks


def get_lang(accept_language: Annotated[str | None, Header()] = None) -> Lang:
    """Return the language of the request."""
    return request_lang(accept_language)


CoreDep = Annotated[Core, Depends(get_core)]
TasksDep = Annotated[Tasks, Depends(get_tasks)]
LangDep = Annotated[Lang, Depends(get_lang)]


def require_user(core: CoreDep, authorization: Annotated[str | None, Header()] = None) -> None:
    """Refuse a request without the server's token."""
    core.tokens.require_user(authorization)


def require_runner(
    job: str, core: CoreDep, authorization: Annotated[str | None, Header()] = None
) -> None:
    """Refuse an ingest request without the job's own token."""
    core.tokens.require_job(authorization, job)


def get_job(job: str, core: CoreDep) -> Job:
    """Return the job that the path names."""
    return jobs.find(core, job)


JobDep = Annotated[Job, Depends(get_job)]

"""What routes need: the core, the language, who asks, and which job is meant."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Request

from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Lang, Text
from starforge.server.core import Core
from starforge.server.errors import request_lang
from starforge.server.services import jobs
from starforge.server.services.tasks import Tasks
from starforge.server.sessions import Session
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


SAFE = ("GET", "HEAD", "OPTIONS")
PAGE_HEADER = "X-StarForge"

CoreDep = Annotated[Core, Depends(get_core)]
TasksDep = Annotated[Tasks, Depends(get_tasks)]
LangDep = Annotated[Lang, Depends(get_lang)]


def session_of(
    request: Request, core: CoreDep, authorization: Annotated[str | None, Header()] = None
) -> Session | None:
    """Return the session of the request's cookie; a token goes before it."""
    if authorization:
        return None
    return core.sessions.find(request.cookies.get(core.sessions.cookie))


def require_user(
    request: Request,
    core: CoreDep,
    session: Annotated[Session | None, Depends(session_of)],
    authorization: Annotated[str | None, Header()] = None,
) -> None:
    """Refuse a request without the server's token or the cookie of a session."""
    if session is None:
        core.tokens.require_user(authorization)
    elif request.method not in SAFE:
        require_page(request)


def require_page(request: Request) -> None:
    """Refuse a change that our own page did not send: browsers add cookies to any request.

    A foreign ``Origin`` was refused by the guard; the header of our own is one that a form
    can't send and that a foreign page may not.
    """
    if request.headers.get("origin") and request.headers.get(PAGE_HEADER) == "console":
        return
    raise StarForgeError(
        "auth/not-from-console",
        Text(
            "changes with a session's cookie come from the console's own pages only",
            "凭登录会话的 Cookie 只能从控制台页面发起修改",
        ),
        Text(
            "programs send `Authorization: Bearer TOKEN` instead",
            "程序请改用 `Authorization: Bearer 令牌`",
        ),
        exit_code=ExitCode.NOT_ALLOWED,
        status=403,
    )


def require_runner(
    job: str, core: CoreDep, authorization: Annotated[str | None, Header()] = None
) -> None:
    """Refuse an ingest request without the job's own token."""
    core.tokens.require_job(authorization, job)


def get_job(job: str, core: CoreDep) -> Job:
    """Return the job that the path names."""
    return jobs.find(core, job)


JobDep = Annotated[Job, Depends(get_job)]

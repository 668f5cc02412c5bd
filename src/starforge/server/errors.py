"""How errors leave the server: a clear body for what is expected, an id for our defects."""

from __future__ import annotations

import errno
import secrets
from collections.abc import Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from starforge.errors import StarForgeError
from starforge.findings import Finding
from starforge.i18n import Lang, Text, normalize_lang
from starforge.server.home import home_error

log = structlog.get_logger("starforge.server")


class FindingsError(StarForgeError):
    """An experiment that was refused; carries everything the checks had to say."""

    def __init__(
        self, findings: Sequence[Finding], message: Text | None = None, hint: Text | None = None
    ) -> None:
        super().__init__(
            "submit/findings",
            message or self.counted(findings),
            hint or Text("fix what `sf validate` shows", "请按 `sf validate` 的提示修改"),
            status=422,
        )
        self.findings = list(findings)

    @staticmethod
    def counted(findings: Sequence[Finding]) -> Text:
        """Say how many of ``findings`` are errors."""
        count = sum(1 for finding in findings if finding.severity == "error")
        errors = "1 error" if count == 1 else f"{count} errors"
        return Text(f"the experiment has {errors}", f"实验有 {count} 处错误")


class DetailedError(StarForgeError):
    """An error with data for programs beside its text."""

    def __init__(
        self, code: str, message: Text, hint: Text | None, *, status: int, detail: dict[str, Any]
    ) -> None:
        super().__init__(code, message, hint, status=status)
        self.detail = detail


def not_found(what: Text, hint: Text | None = None, code: str = "not-found") -> StarForgeError:
    """Return a 404 with a text."""
    return StarForgeError(code, what, hint, status=404)


def request_lang(header: str | None) -> Lang:
    """Return the language an ``Accept-Language`` header asks for first."""
    return normalize_lang((header or "en").split(",")[0].strip())


def error_response(error: StarForgeError, lang: Lang) -> JSONResponse:
    """Render an expected error."""
    body: dict[str, Any] = {
        "error": {
            "code": error.code,
            "message": error.message.pick(lang),
            "hint": error.hint.pick(lang) if error.hint else None,
        }
    }
    if isinstance(error, FindingsError):
        body["findings"] = [finding.to_public(lang) for finding in error.findings]
    if isinstance(error, DetailedError):
        body["detail"] = error.detail
    return JSONResponse(body, status_code=error.status)


def install(app: FastAPI) -> None:
    """Register the handlers."""

    @app.exception_handler(StarForgeError)
    async def expected(request: Request, error: StarForgeError) -> JSONResponse:
        return error_response(error, _lang(request))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return error_response(_bad_request(error), _lang(request))

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> JSONResponse:
        refused = StarForgeError(
            f"http/{error.status_code}",
            Text(
                f"{request.method} {request.url.path}: {error.detail}",
                f"{request.method} {request.url.path}：{error.detail}",
            ),
            status=error.status_code,
        )
        return error_response(refused, _lang(request))

    @app.exception_handler(OSError)
    async def system(request: Request, error: OSError) -> JSONResponse:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
            return await defect(request, error)
        log.warning("disk refused", path=request.url.path, error=str(error))
        refused = home_error(request.app.state.core.settings.home, error)
        refused.status = 507
        return error_response(refused, _lang(request))

    @app.exception_handler(Exception)
    async def defect(request: Request, error: Exception) -> JSONResponse:
        return error_response(_defect(request, error), _lang(request))


def _defect(request: Request, error: Exception) -> StarForgeError:
    """Log what went wrong under an id; return what the client is told of it."""
    ident = secrets.token_hex(6)
    log.error("internal error", id=ident, path=request.url.path, exc_info=error)
    return DetailedError(
        "server/internal",
        Text(
            f"the server failed on this request (id {ident})",
            f"服务处理该请求时出错（编号 {ident}）",
        ),
        Text(
            "a defect of StarForge: report it with that id's entry in server.log",
            "这是 StarForge 的缺陷：请附上 server.log 中该编号的记录提交问题",
        ),
        status=500,
        detail={"id": ident},
    )


def _lang(request: Request) -> Lang:
    return request_lang(request.headers.get("accept-language"))


def _bad_request(error: RequestValidationError) -> StarForgeError:
    parts = []
    for problem in error.errors()[:5]:
        where = ".".join(str(part) for part in problem.get("loc", ()))
        parts.append(f"{where}: {problem.get('msg', '')}")
    text = "; ".join(parts)
    return StarForgeError(
        "request/invalid",
        Text(f"the request is not valid: {text}", f"请求无效：{text}"),
        Text("see /openapi.json for the shapes", "各接口的格式见 /openapi.json"),
        status=400,
    )

"""ASGI middleware: counts requests and refuses JSON bodies that are too large."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from starforge.server.api.body import too_large
from starforge.server.core import Core
from starforge.server.errors import error_response, request_lang

# Routes that read their body piece by piece and keep their own limits.
STREAMED = ("/api/v1/blobs/", "/api/v1/ingest/")


class Limits:
    """Keeps JSON requests below ``settings.max_json_bytes``, also without Content-Length."""

    def __init__(self, app: ASGIApp, core: Core) -> None:
        self._app = app
        self._core = core
        self._limit = core.settings.max_json_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._core.counters.requests += 1
        if scope["path"].startswith(STREAMED):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        declared = headers.get("content-length", "")
        if declared.isdigit() and int(declared) > self._limit:
            lang = request_lang(headers.get("accept-language"))
            await error_response(too_large(self._limit), lang)(scope, receive, send)
            return
        await self._app(scope, self._counted(receive), send)

    def _counted(self, receive: Receive) -> Receive:
        total = 0

        async def counted() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self._limit:
                raise too_large(self._limit)
            return message

        return counted

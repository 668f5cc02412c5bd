"""Refuses requests meant for somebody else: foreign ``Host`` and ``Origin`` headers.

A page in the user's browser can send requests to loopback (DNS rebinding, cross-site
forms). Such requests carry a Host or an Origin that is not ours.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text
from starforge.server.errors import error_response, request_lang
from starforge.server.settings import LOOPBACK, Settings


class Guard:
    """ASGI middleware that checks ``Host`` and ``Origin`` before anything else runs."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        names = {*LOOPBACK, *settings.allowed_hosts}
        if settings.host not in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
            names.add(settings.host.lower())
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 403."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            error = self._check(headers.get("host"), headers.get("origin"))
            if error is not None:
                lang = request_lang(headers.get("accept-language"))
                await error_response(error, lang)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check(self, host: str | None, origin: str | None) -> StarForgeError | None:
        if host is None or host_name(host) not in self._names:
            return _refused("Host", host or "")
        if origin is not None and origin_name(origin) not in self._names:
            return _refused("Origin", origin)
        # A page of another port on this machine is foreign too.
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return _refused("Origin", origin)
        return None


def host_name(host: str) -> str:
    """Return the name in a ``Host`` header, without port and brackets, lower case."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def origin_name(origin: str) -> str:
    """Return the host name of an ``Origin`` header; empty for ``null`` and nonsense."""
    try:
        return (urlsplit(origin).hostname or "").lower()
    except ValueError:
        return ""


def _refused(header: str, value: str) -> StarForgeError:
    return StarForgeError(
        "auth/foreign-request",
        Text(
            f"the request's {header} `{value[:200]}` is not this server",
            f"请求的 {header} `{value[:200]}` 不是本服务",
        ),
        Text(
            "use the address the server printed; further names go into STARFORGE_ALLOWED_HOSTS",
            "请使用服务启动时给出的地址；其他域名需写入 STARFORGE_ALLOWED_HOSTS",
        ),
        exit_code=ExitCode.NOT_ALLOWED,
        status=403,
    )

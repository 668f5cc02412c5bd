"""Serves the built web console: the files of ``static/`` beside this module.

Every address of the console's own router answers ``index.html``. Nothing here needs a sign-in:
the files hold no data, and the pages ask the API for everything.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
import threading
from dataclasses import dataclass
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from starforge.i18n import Text
from starforge.server.errors import request_lang

STATIC = Path(__file__).parent / "static"
RESERVED = ("api", "healthz", "metrics", "openapi.json", "ingest")
"""First parts of paths that are never pages."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
"""For answers that are no pages: what a job wrote must not run when it is opened."""
_PACKED = (".js", ".css", ".html", ".svg", ".json", ".txt")
_ENCODINGS = {"br": ".br", "gzip": ".gz"}
"""Encodings by the ending of the files that the build packed, the smallest first."""
_FOREVER = "public, max-age=31536000, immutable"
_A_DAY = "public, max-age=86400"
_ASK = "no-cache"

NOT_BUILT = Text(
    "The web console has not been built. Run `make console` in StarForge's checkout, "
    "then load this page again; `sf` works without it.",
    "网页控制台尚未构建。请在 StarForge 的源码目录运行 `make console`，"
    "然后刷新本页；`sf` 命令行无需它也能使用。",
)


@dataclass(frozen=True)
class Asset:
    """A file as it is sent; ``packed`` are its encodings, the smallest first."""

    body: bytes
    packed: dict[str, bytes]
    media_type: str
    etag: str


class Console:
    """ASGI application for everything that no route of the API answers."""

    def __init__(self, otherwise: ASGIApp, folder: Path = STATIC) -> None:
        self._otherwise = otherwise
        self._folder = folder.resolve()
        self._lock = threading.Lock()
        self._assets: dict[Path, tuple[tuple[int, int], Asset]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a page or a file; pass on what is neither."""
        first = scope["path"].lstrip("/").split("/", 1)[0]
        if scope["type"] != "http" or first in RESERVED or scope["method"] not in ("GET", "HEAD"):
            await self._otherwise(scope, receive, send)
            return
        response = await run_in_threadpool(self._answer, scope["path"], Headers(scope=scope))
        if response is None:
            await self._otherwise(scope, receive, send)
        else:
            await response(scope, receive, send)

    def _answer(self, path: str, headers: Headers) -> Response | None:
        name = path.strip("/")
        asset = self._asset(name) if name else None
        if asset is not None:
            return _send(asset, headers, _cache(name))
        # A file that is missing is no page: an old page that asks for it should see that.
        if name.startswith("assets/"):
            return None
        index = self._asset("index.html")
        return _not_built(headers) if index is None else _send(index, headers, _ASK)

    def _asset(self, name: str) -> Asset | None:
        """Return a file below the folder; ``None`` for any other name."""
        if "\0" in name or any(part.startswith(".") for part in name.split("/")):
            return None
        try:
            path = (self._folder / name).resolve()
            if not path.is_relative_to(self._folder) or not path.is_file():
                return None
            about = path.stat()
            mark = (about.st_mtime_ns, about.st_size)
            with self._lock:
                known = self._assets.get(path)
            if known is not None and known[0] == mark:
                return known[1]
            asset = _load(path)
        except (OSError, ValueError):
            return None
        with self._lock:
            self._assets[path] = (mark, asset)
        return asset


def _cache(name: str) -> str:
    """Return how long a browser may keep a file; names in ``assets/`` hold a hash of it."""
    if name.startswith("assets/"):
        return _FOREVER
    return _ASK if name.endswith(".html") else _A_DAY


def _load(path: Path) -> Asset:
    body = path.read_bytes()
    kind = "text/javascript" if path.suffix == ".js" else mimetypes.guess_type(path.name)[0]
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return Asset(body, _packed(path, body), kind or "application/octet-stream", etag)


def _packed(path: Path, body: bytes) -> dict[str, bytes]:
    """Return what the build packed of a file; what it left (``index.html``) is packed here."""
    if path.suffix not in _PACKED:
        return {}
    built = {
        encoding: beside.read_bytes()
        for encoding, suffix in _ENCODINGS.items()
        if (beside := path.with_name(path.name + suffix)).is_file()
    }
    return built or {"gzip": gzip.compress(body, 9, mtime=0)}


def _accepted(header: str) -> set[str]:
    """Return the encodings that ``Accept-Encoding`` names and does not refuse with ``q=0``."""
    found = set()
    for part in header.lower().split(","):
        name, _, weight = part.partition(";")
        if re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight) is None:
            found.add(name.strip())
    return found


def _send(asset: Asset, headers: Headers, cache: str) -> Response:
    sent = {
        "Cache-Control": cache,
        "ETag": asset.etag,
        "Vary": "Accept-Encoding",
        "Content-Security-Policy": POLICY,
    }
    if headers.get("if-none-match") == asset.etag:
        return Response(status_code=304, headers=sent)
    accepted = _accepted(headers.get("accept-encoding", ""))
    encoding = next((one for one in asset.packed if one in accepted), None)
    body = asset.body
    if encoding is not None:
        body = asset.packed[encoding]
        sent["Content-Encoding"] = encoding
    return Response(body, media_type=asset.media_type, headers=sent)


def _not_built(headers: Headers) -> Response:
    lang = request_lang(headers.get("accept-language"))
    first, second = (NOT_BUILT.zh, NOT_BUILT.en) if lang == "zh" else (NOT_BUILT.en, NOT_BUILT.zh)
    page = (
        f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><title>StarForge</title>'
        '<meta name="viewport" content="width=device-width">'
        '<body style="font: 16px/1.5 sans-serif; max-width: 40em; margin: 4em auto">'
        f"<h1>StarForge</h1><p>{first}</p><p>{second}</p></body></html>"
    )
    sent = {"Cache-Control": "no-store", "Content-Security-Policy": POLICY}
    return Response(page, 503, media_type="text/html", headers=sent)


class SafeHeaders:
    """ASGI middleware: headers that keep browsers from doing more with answers than we mean."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the headers to its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "no-referrer"
                headers.setdefault("Content-Security-Policy", DATA_POLICY)
            await send(message)

        await self._app(scope, receive, with_headers)

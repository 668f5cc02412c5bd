"""The runner's side of the ingest API: one kept-alive connection a thread."""

from __future__ import annotations

import json
import random
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from starforge.runner.files import read_json

_TIMEOUT = 30.0
_FIRST_DELAY = 0.25


class ServerAwayError(Exception):
    """The server can't be reached, or can't answer now; trying again may help."""


class RefusedError(Exception):
    """The server answered that it will not take this request."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(f"HTTP {status} {body.get('error', '')}".strip())
        self.status = status


class IngestServer:
    """Talks to ``/api/v1/ingest/<job>/<attempt>``; use each one from one thread only."""

    def __init__(
        self,
        url: str,
        token: str,
        tag: str,
        *,
        server_file: str | None = None,
        timeout: float = _TIMEOUT,
    ) -> None:
        self._url = url
        self._token = token
        self._tag = tag
        self._server_file = Path(server_file) if server_file else None
        self._timeout = timeout
        self._connection: HTTPConnection | None = None
        self._used = False

    def offsets(self) -> dict[str, int]:
        """Return how far the server has taken each stream of the attempt."""
        _, body = self._request("GET", "")
        offsets = body.get("offsets")
        if not isinstance(offsets, dict):
            raise ServerAwayError("the answer holds no offsets")
        return {str(path): int(offset) for path, offset in offsets.items()}

    def put(self, path: str, fmt: str, offset: int, data: bytes) -> tuple[bool, int]:
        """Send bytes of a stream; return whether they were taken, and the server's offset."""
        target = f"/{quote(path)}?offset={offset}&format={fmt}"
        status, body = self._request("PUT", target, data, accept=(409,))
        if not isinstance(body.get("offset"), int):
            raise ServerAwayError("the answer holds no offset")
        return status != 409, body["offset"]

    def heartbeat(self, status: dict[str, Any]) -> str:
        """Send the status; return what the user wants: ``run`` or ``stop``."""
        data = json.dumps(status).encode()
        _, body = self._request("POST", "/heartbeat", data, kind="application/json")
        return str(body.get("desired", "run"))

    def close(self) -> None:
        """Drop the connection; the next request makes a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _request(
        self,
        method: str,
        target: str,
        data: bytes | None = None,
        *,
        kind: str = "application/octet-stream",
        accept: tuple[int, ...] = (),
    ) -> tuple[int, dict[str, Any]]:
        job, _, attempt = self._tag.rpartition("/")
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": kind}
        reused = self._connection is not None and self._used
        try:
            status, body = self._exchange(
                method, f"/api/v1/ingest/{quote(job)}/{attempt}{target}", data, headers
            )
        except (OSError, HTTPException, ValueError) as error:
            self.close()
            if reused:  # an idle connection was closed on us: no sign of a server in trouble
                return self._request(method, target, data, kind=kind, accept=accept)
            self._find_again()
            raise ServerAwayError(f"{type(error).__name__}: {error}") from error
        if 200 <= status < 300 or status in accept:
            return status, body
        if status >= 500 or status in (408, 429):
            raise ServerAwayError(f"HTTP {status}")
        raise RefusedError(status, body)

    def _exchange(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str]
    ) -> tuple[int, dict[str, Any]]:
        parts = urlsplit(self._url)
        if self._connection is None:
            kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
            self._connection = kind(parts.netloc, timeout=self._timeout)
            self._used = False
        self._connection.request(method, parts.path.rstrip("/") + path, data, headers)
        response = self._connection.getresponse()
        raw = response.read()
        self._used = True
        body = json.loads(raw) if raw and raw.lstrip()[:1] == b"{" else {}
        return response.status, body if isinstance(body, dict) else {}

    def _find_again(self) -> None:
        """See whether the server has come back at another address."""
        if self._server_file is None:
            return
        known = read_json(self._server_file)
        if isinstance(known, dict) and isinstance(known.get("url"), str):
            self._url = known["url"]


def delay(failures: int, longest: float) -> float:
    """Return the seconds to wait after ``failures`` in a row: doubling, with jitter."""
    whole = min(longest, _FIRST_DELAY * 2 ** min(failures, 20))
    return float(whole * random.uniform(0.5, 1.0))  # noqa: S311 - spreads load, hides nothing

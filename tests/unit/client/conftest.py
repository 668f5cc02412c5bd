"""A small real HTTP server that answers what a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from starforge.lang import set_lang

Answer = tuple[int, Any]


class Peer:
    """A server; ``answer(method, path, headers, body)`` gives status and JSON or bytes."""

    def __init__(self, answer: Callable[..., Answer]) -> None:
        self.seen: list[tuple[str, str]] = []
        peer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _body(self) -> bytes:
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                parts = []
                while size := int(self.rfile.readline(), 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)

            def _serve(self) -> None:
                body = self._body()
                peer.seen.append((self.command, self.path))
                status, value = answer(self.command, self.path, self.headers, body)
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                kind = "text/event-stream" if isinstance(value, bytes) else "application/json"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = _serve  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        # A client that hung up after its timeout is what a test wanted, not news.
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def peer() -> Iterator[Callable[..., Peer]]:
    made: list[Peer] = []

    def make(answer: Callable[..., Answer]) -> Peer:
        made.append(Peer(answer))
        return made[-1]

    yield make
    for one in made:
        one.close()
    set_lang(None)


@pytest.fixture
def refusal() -> Callable[..., Answer]:
    """A refusal as the server words it."""

    def make(status: int, **more: Any) -> Answer:
        return status, {"error": {"code": "a/b", "message": "no", "hint": "do"}, **more}

    return make

"""A small server that speaks the ingest protocol, and can be made to misbehave."""

import contextlib
import json
import os
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from starforge.streams import whole

JOB = f"job{os.getpid()}"  # so that test runs side by side don't end each other's processes
TAG = f"{JOB}/0"
PREFIX = f"/api/v1/ingest/{TAG}"


class _Handler(BaseHTTPRequestHandler):
    """Answers for ``server.outer``, an :class:`IngestServer`."""

    protocol_version = "HTTP/1.1"
    timeout = 10

    def setup(self):
        super().setup()
        self.server.outer.connections.append(self.connection)

    def log_message(self, *args):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_any(self):
        parts = urlsplit(self.path)
        path = unquote(parts.path.removeprefix(PREFIX))
        self.server.outer.requests.append((self.command, path))
        if self.server.outer.trouble(self.command, path, self):
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers["Authorization"] != "Bearer secret":
            self.answer(403, {})
        elif self.command == "GET":
            with self.server.outer.lock:
                offsets = {name: len(data) for name, data in self.server.outer.streams.items()}
            self.answer(200, {"offsets": offsets})
        elif path == "/heartbeat":
            self.server.outer.heartbeats.append(json.loads(body))
            self.answer(200, {"desired": self.server.outer.desired})
        else:
            query = parse_qs(parts.query)
            status, offset = self.server.outer.take(
                path[1:], query["format"][0], int(query["offset"][0]), body
            )
            self.answer(status, {"offset": offset})

    do_GET = do_PUT = do_POST = handle_any  # noqa: N815


class IngestServer:
    """Keeps what it took in ``streams``; ``trouble`` is asked before every request."""

    def __init__(self, port=0):
        self.streams = {}
        self.formats = {}
        self.heartbeats = []
        self.requests = []
        self.connections = []
        self.desired = "run"
        self.trouble = lambda method, path, handler: None
        self.lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self._server.outer = self
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def take(self, path, fmt, offset, body):
        with self.lock:
            stream = self.streams.setdefault(path, bytearray())
            self.formats[path] = fmt
            if offset != len(stream):
                return 409, len(stream)
            stream += body[: whole(fmt, body)]
            return 200, len(stream)

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        for connection in self.connections:  # those kept alive too
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

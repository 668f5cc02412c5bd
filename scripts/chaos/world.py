"""A private home, the server on it, and a client that is patient with both."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from starforge.client.client import Client
from starforge.errors import ExitCode, StarForgeError

T = TypeVar("T")
PATIENCE = 300.0


class World:
    """One home whose server may be killed and started at any moment, from any thread."""

    def __init__(self, home: Path, *, slots: int) -> None:
        self.home = home
        self.slots = slots
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the server; it answers a little later."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("STARFORGE_")}
        env = {
            **kept, "STARFORGE_HOME": str(self.home), "STARFORGE_CPUS": str(self.slots),
            "SF_LANG": "en",
        }  # fmt: skip
        with self._lock:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "starforge.server", "--port", str(_free_port())],
                env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip

    def kill_server(self) -> None:
        """End the server as a power cut would.

        Raises:
            RuntimeError: it had ended by itself.
        """
        with self._lock:
            if self._process is not None:
                code = self._process.poll()
                self._process.kill()
                self._process.wait()
                self._process = None
                if code is not None:
                    raise RuntimeError(f"the server ended by itself, with {code}: {self.home}")

    def patiently(self, ask: Callable[[Client], T]) -> T:
        """Ask the server, again and again while it is out of reach.

        Raises:
            StarForgeError: it refused, or did not come back for long.
        """
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                with self._client() as client:
                    return ask(client)
            except (StarForgeError, OSError, ValueError, KeyError) as error:
                away = not isinstance(error, StarForgeError) or (
                    error.exit_code == ExitCode.UNREACHABLE or error.status >= 500
                )
                if not away or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def _client(self) -> Client:
        token = (self.home / "token").read_text("utf-8").strip()
        return Client(self._about()["url"], token, timeout=20.0)

    def _about(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.home / "server.json").read_text("utf-8"))
        return found


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])

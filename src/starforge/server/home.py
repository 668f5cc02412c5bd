"""The server's home: folders, the lock that keeps it to one server, and ``server.json``."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import secrets
import time
from pathlib import Path
from typing import IO, Any

from starforge import __version__
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.settings import Settings


def prepare_home(settings: Settings) -> None:
    """Create the home and its folders; a clear error when that can't be done."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in ("jobs", "blobs", "streams"):
            (settings.home / name).mkdir(exist_ok=True, mode=0o700)
        probe = settings.home / f".write-{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise home_error(settings.home, error) from error


def home_error(home: Path, error: OSError) -> StarForgeError:
    """Say why the home can't be written, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StarForgeError(
            "server/no-space",
            Text(f"no space left on the disk of {home}", f"{home} 所在磁盘没有剩余空间"),
            Text(
                "free some space, or choose another folder with STARFORGE_HOME",
                "请清理出一些空间，或用 STARFORGE_HOME 换一个目录",
            ),
        )
    reason = error.strerror or str(error)
    return StarForgeError(
        "server/home-unwritable",
        Text(
            f"the state folder {home} can't be written: {reason}",
            f"无法写入状态目录 {home}：{reason}",
        ),
        Text(
            "make it writable for you, or choose another folder with STARFORGE_HOME",
            "请让当前用户对它有写权限，或用 STARFORGE_HOME 换一个目录",
        ),
    )


class HomeLock:
    """An exclusive lock on the home, held as long as the server lives.

    The kernel drops it with the process, so a killed server never leaves it behind.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._file: IO[str] | None = None

    def acquire(self, wait: float = 0.0) -> None:
        """Take the lock, or say which server holds it. ``wait``: seconds to try."""
        path = self._settings.lock_file
        try:
            handle = path.open("a+", encoding="utf-8")
        except OSError as error:
            raise home_error(self._settings.home, error) from error
        deadline = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() >= deadline:
                    handle.close()
                    raise self._taken() from None
                time.sleep(0.05)
        self._file = handle

    def release(self) -> None:
        """Give the lock back."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _taken(self) -> StarForgeError:
        info = read_server_file(self._settings.server_file) or {}
        url, pid = info.get("url", "?"), info.get("pid", "?")
        home = self._settings.home
        return StarForgeError(
            "server/already-running",
            Text(
                f"a server already runs on {home} (pid {pid}, {url})",
                f"{home} 上已经有一个服务在运行（进程 {pid}，{url}）",
            ),
            Text(
                "use it, stop it with `sf down`, or choose another folder with STARFORGE_HOME",
                "可以直接使用它，用 `sf down` 停掉它，或用 STARFORGE_HOME 换一个目录",
            ),
        )


def read_server_file(path: Path) -> dict[str, Any] | None:
    """Return ``server.json``, or ``None`` when it is missing or unreadable."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def write_server_file(settings: Settings, url: str, started_at: float) -> None:
    """Say atomically where this server listens."""
    body = {"pid": os.getpid(), "url": url, "version": __version__, "started_at": started_at}
    write_private(settings.server_file, json.dumps(body) + "\n")


def remove_server_file(settings: Settings) -> None:
    """Remove ``server.json`` when it is ours."""
    info = read_server_file(settings.server_file)
    if info and info.get("pid") == os.getpid():
        with contextlib.suppress(OSError):
            settings.server_file.unlink()


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    temp = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        temp.replace(path)
    except OSError as error:
        raise home_error(path.parent, error) from error


def secret_file(path: Path) -> str:
    """Return the secret kept in ``path``, made at first use (mode 0600)."""
    try:
        value = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        value = ""
    except OSError as error:
        raise home_error(path.parent, error) from error
    if not value:
        value = secrets.token_urlsafe(32)
        write_private(path, value + "\n")
    return value

"""Stream bytes on disk: fixed-size segments, the full ones compressed.

``<root>/<job>/<attempt>/<path, quoted>/<number>.raw`` holds bytes ``number * SEGMENT`` and
on. When a segment is full and the database has taken it, it becomes ``<number>.zst``.

The database says how many bytes count. Bytes are written before the transaction commits:
after a crash a file may hold more than that, never less, and the next write replaces the
surplus. Segments are flushed to the disk when they are sealed; a power cut may shorten the
open one, which `StreamFiles.has` notices so that ingest can ask for those bytes again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import threading
from collections import OrderedDict
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import zstandard

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.store.faults import disk_fault

SEGMENT = 4 * 1024 * 1024
_CACHED = 4
_MAX_NAME = 240  # file systems allow 255 bytes
_MAX_PATH = 4096
_JOB = re.compile(r"[0-9a-z]{1,32}")


class StreamFiles:
    """Bytes of ``log`` and ``samples`` streams under ``<home>/streams``. Thread-safe."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._opened: OrderedDict[Path, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def write(self, job_id: str, attempt: int, path: str, offset: int, data: bytes) -> None:
        """Write bytes at ``offset``; what the open segment held behind them is cut off.

        Raises:
            StarForgeError: the disk is full or cannot be written to.
        """
        folder = self._folder(job_id, attempt, path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            done = 0
            while done < len(data):
                number, within = divmod(offset + done, SEGMENT)
                piece = data[done : done + SEGMENT - within]
                _write_at(folder / f"{number:08}.raw", within, piece)
                done += len(piece)
        except OSError as error:
            raise disk_fault(error, folder) from error

    def has(self, job_id: str, attempt: int, path: str, offset: int) -> bool:
        """Say whether the segment before ``offset`` really holds bytes up to there."""
        if offset == 0:
            return True
        folder = self._folder(job_id, attempt, path)
        number = (offset - 1) // SEGMENT
        if (folder / f"{number:08}.zst").exists():
            return True
        try:
            return (folder / f"{number:08}.raw").stat().st_size >= offset - number * SEGMENT
        except FileNotFoundError:
            return False

    def held(self, job_id: str, attempt: int, path: str) -> int:
        """Return how many bytes are there from the start on without a gap."""
        folder = self._folder(job_id, attempt, path)
        number = 0
        while True:
            if not (folder / f"{number:08}.zst").exists():
                raw = folder / f"{number:08}.raw"
                size = raw.stat().st_size if raw.exists() else 0
                if size < SEGMENT:
                    return number * SEGMENT + size
            number += 1

    def seal(self, job_id: str, attempt: int, path: str, upto: int) -> None:
        """Compress full segments that end at or before ``upto``, a committed offset.

        This only saves room: where it fails (a full disk, another thread was quicker) the
        segment stays as it is and is read as before.
        """
        folder = self._folder(job_id, attempt, path)
        number = upto // SEGMENT - 1
        with contextlib.suppress(OSError):
            while number >= 0 and (raw := folder / f"{number:08}.raw").exists():
                _seal(raw)
                number -= 1

    def read(self, job_id: str, attempt: int, path: str, start: int, end: int) -> bytes:
        """Return bytes ``start`` to ``end`` of a stream, fewer when fewer are there.

        Raises:
            StarForgeError: a segment is missing or damaged.
        """
        folder = self._folder(job_id, attempt, path)
        parts = []
        at = start
        while at < end:
            number, within = divmod(at, SEGMENT)
            stop = min(end - number * SEGMENT, SEGMENT)
            piece = self._segment(folder, number, within, stop)
            parts.append(piece)
            if len(piece) < stop - within:
                break
            at = number * SEGMENT + stop
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def delete(self, job_id: str) -> None:
        """Remove all stream files of a job."""
        folder = self.root / _job_name(job_id)
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise disk_fault(error, folder) from error

    def _folder(self, job_id: str, attempt: int, path: str) -> Path:
        return self.root / _job_name(job_id) / str(int(attempt)) / stream_name(path)

    def _segment(self, folder: Path, number: int, start: int, stop: int) -> bytes:
        raw, sealed = folder / f"{number:08}.raw", folder / f"{number:08}.zst"
        for _ in range(3):  # sealed between the two looks: look again
            with contextlib.suppress(FileNotFoundError), raw.open("rb") as file:
                file.seek(start)
                return file.read(stop - start)
            with contextlib.suppress(FileNotFoundError):
                return self._unpacked(sealed)[start:stop]
        raise _missing(sealed)

    def _unpacked(self, path: Path) -> bytes:
        with self._lock:
            if path in self._opened:
                self._opened.move_to_end(path)
                return self._opened[path]
        packed = path.read_bytes()
        try:
            data = zstandard.ZstdDecompressor().decompress(packed)
        except zstandard.ZstdError as error:
            raise _damaged(path) from error
        with self._lock:
            self._opened[path] = data
            while len(self._opened) > _CACHED:
                self._opened.popitem(last=False)
        return data


def stream_name(path: str) -> str:
    """Return a stream's path as one safe file name; a long one ends in a digest.

    Raises:
        StarForgeError: it is absolute, leads elsewhere, holds control characters, or is
            longer than any path.
    """
    parts = PurePosixPath(path).parts
    usable = bool(parts) and not path.startswith("/") and ".." not in parts
    tidy = usable and "/".join(parts) == path and path.isprintable()
    if not tidy or len(path) > _MAX_PATH:
        raise StarForgeError(
            "stream/path",
            Text("`{path}` cannot be the path of a stream", "`{path}` 不能作为数据流的路径").format(
                path=ascii(path[:200])[1:-1] if not path.isprintable() else path[:200]
            ),
            Text(
                "give a short path relative to the attempt's folder, such as logs/trainer-0.log",
                "请使用相对于该次尝试目录的简短路径，例如 logs/trainer-0.log",
            ),
        )
    name = quote(path, safe=" ")
    if len(name) > _MAX_NAME:
        digest = hashlib.sha256(path.encode()).hexdigest()
        name = f"{name[: _MAX_NAME - 65]}~{digest}"
    return name


def _job_name(job_id: str) -> str:
    if not _JOB.fullmatch(job_id):  # never build a path out of anything else
        raise ValueError(f"not a job id: {job_id!r}")
    return job_id


def _write_at(path: Path, within: int, piece: bytes) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        file.seek(within)
        file.write(piece)
        file.truncate()


def _seal(raw: Path) -> None:
    packed = zstandard.ZstdCompressor(level=3, write_checksum=True).compress(raw.read_bytes())
    temporary = raw.with_suffix(f".{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(packed)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(raw.with_suffix(".zst"))
    finally:
        temporary.unlink(missing_ok=True)
    raw.unlink(missing_ok=True)


def _missing(path: Path) -> StarForgeError:
    return StarForgeError(
        "stream/missing",
        Text(
            "the file {path} of a log or sample stream is gone", "日志或样本数据文件 {path} 已丢失"
        ).format(path=path),
        Text(
            "what the job itself wrote is still in its attempt folder",
            "任务自身写出的内容仍保存在它的尝试目录中",
        ),
        status=500,
    )


def _damaged(path: Path) -> StarForgeError:
    return StarForgeError(
        "stream/damaged",
        Text(
            "the file {path} of a log or sample stream is damaged",
            "日志或样本数据文件 {path} 已损坏",
        ).format(path=path),
        Text(
            "check the disk; what the job itself wrote is still in its attempt folder",
            "请检查磁盘；任务自身写出的内容仍保存在它的尝试目录中",
        ),
        status=500,
    )

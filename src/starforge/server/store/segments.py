"""Stream bytes on disk: fixed-size segments, the full ones compressed."""

from __future__ import annotations

from pathlib import Path


class StreamFiles:
    """Bytes of ``log`` and ``samples`` streams under ``<home>/streams``."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, job_id: str, attempt: int, path: str, start: int, end: int) -> bytes:
        """Return bytes ``start`` to ``end`` of a stream."""
        raise NotImplementedError

    def delete(self, job_id: str) -> None:
        """Remove all stream files of a job."""
        raise NotImplementedError

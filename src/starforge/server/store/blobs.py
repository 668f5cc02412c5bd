"""Content-addressed files under ``<home>/blobs``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO


class BlobStore:
    """Files named by the sha256 of their content; written once, never changed."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def has(self, digest: str) -> bool:
        """Say whether the content is here."""
        raise NotImplementedError

    def size(self, digest: str) -> int:
        """Return the size in bytes; StarForgeError ``blob/not-found`` otherwise."""
        raise NotImplementedError

    def put(
        self, chunks: Iterable[bytes], *, digest: str | None = None, limit: int | None = None
    ) -> str:
        """Keep content and return its sha256; refuse a wrong ``digest`` or too many bytes."""
        raise NotImplementedError

    def put_file(self, path: Path, *, digest: str | None = None) -> str:
        """Keep a copy of a file."""
        raise NotImplementedError

    def path(self, digest: str) -> Path:
        """Return where the content lies (read only)."""
        raise NotImplementedError

    def open(self, digest: str) -> BinaryIO:
        """Open the content for reading."""
        raise NotImplementedError

    def materialize(self, digest: str, target: Path, *, link: bool = True) -> None:
        """Make ``target`` hold the content: a hard link where possible, else a copy."""
        raise NotImplementedError

    def delete(self, digest: str) -> bool:
        """Remove content; say whether it was there."""
        raise NotImplementedError

    def clean(self, *, older_than: float = 3600.0) -> int:
        """Remove leftovers of broken uploads; return how many."""
        raise NotImplementedError

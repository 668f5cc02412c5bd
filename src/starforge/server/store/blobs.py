"""Content-addressed files under ``<home>/blobs``."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.store.faults import disk_fault

_PIECE = 1024 * 1024
_DIGEST = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """Files named by the sha256 of their content; written once, never changed.

    ``<root>/aa/bb/<sha256>``, read only. A blob appears whole or not at all: it is written
    to ``<root>/tmp``, flushed to the disk, and renamed. A file's modification time says when
    its content was last asked for by whoever is about to refer to it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def has(self, digest: str) -> bool:
        """Say whether the content is here."""
        return self._place(digest).is_file()

    def size(self, digest: str) -> int:
        """Return the size in bytes; StarForgeError ``blob/not-found`` otherwise."""
        return self.path(digest).stat().st_size

    def use(self, digest: str) -> int:
        """Say that the content is wanted now; return its size.

        It then stays for as long as a fresh upload does, whoever refers to it or not.
        StarForgeError ``blob/not-found`` when it isn't here.
        """
        size, place = self.size(digest), self._place(digest)
        with contextlib.suppress(OSError):  # a disk that is read only: nothing will be removed
            try:
                os.utime(place)
            except FileNotFoundError:
                raise _not_found(digest) from None
        return size

    def put(
        self, chunks: Iterable[bytes], *, digest: str | None = None, limit: int | None = None
    ) -> str:
        """Keep content and return its sha256; refuse a wrong ``digest`` or too many bytes.

        Raises:
            StarForgeError: ``blob/digest``, ``blob/too-large`` or a failing disk. Nothing
                is kept then.
        """
        if digest is not None:
            self._place(digest)  # refuse what is no digest before reading
        with self._temporary() as (path, file):
            sum_, size = hashlib.sha256(), 0
            for chunk in chunks:
                size += len(chunk)
                if limit is not None and size > limit:
                    raise _too_large(limit)
                sum_.update(chunk)
                with _disk(path):
                    file.write(chunk)
            found = sum_.hexdigest()
            if digest is not None and found != digest:
                raise _wrong_digest(digest, found)
            with _disk(path):
                self._settle(path, file, self._place(found))
        return found

    def put_file(self, path: Path, *, digest: str | None = None) -> str:
        """Keep a copy of a file."""
        try:
            with path.open("rb") as file:
                return self.put(iter(lambda: file.read(_PIECE), b""), digest=digest)
        except OSError as error:
            raise disk_fault(error, path) from error

    def path(self, digest: str) -> Path:
        """Return where the content lies (read only)."""
        place = self._place(digest)
        if not place.is_file():
            raise _not_found(digest)
        return place

    def materialize(self, digest: str, target: Path, *, link: bool = True) -> None:
        """Make ``target`` hold the content: a hard link where possible, else a copy.

        A link shares its bytes with the store and is read only; ask for a copy
        (``link=False``) when the file may be changed. An existing target is replaced.
        """
        source = self.path(digest)
        temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.tmp")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if not (link and _link(source, temporary)):
                shutil.copyfile(source, temporary)
            temporary.replace(target)
            temporary.unlink(missing_ok=True)  # a link onto itself renames to nothing
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise disk_fault(error, target) from error

    def unused(self, older_than: float) -> Iterator[str]:
        """Yield what nobody asked for in the last ``older_than`` seconds."""
        before = time.time() - older_than
        for path in self.root.glob("??/??/*"):
            with contextlib.suppress(OSError):
                if _DIGEST.fullmatch(path.name) and path.stat().st_mtime <= before:
                    yield path.name

    def discard(self, digest: str, older_than: float) -> bool:
        """Remove content, unless somebody asked for it meanwhile; say whether it is gone.

        Whoever called :meth:`use` before this took the file away finds it in its place; whoever
        calls it afterwards is told that it isn't here.
        """
        before = time.time() - older_than
        place, doomed = self._place(digest), self.root / "tmp" / secrets.token_hex(16)
        with _disk(place):
            doomed.parent.mkdir(parents=True, exist_ok=True)
            try:
                if place.stat().st_mtime > before:
                    return False
                place.rename(doomed)
            except FileNotFoundError:
                return False
            if doomed.stat().st_mtime > before:
                doomed.rename(place)
                return False
            doomed.unlink()
        return True

    def clean(self, *, older_than: float = 3600.0) -> int:
        """Remove leftovers of uploads that broke off over ``older_than`` seconds ago; return
        how many.
        """
        before = time.time() - older_than
        removed = 0
        for path in (self.root / "tmp").glob("*"):
            with contextlib.suppress(OSError):
                if path.stat().st_mtime <= before:
                    path.unlink()
                    removed += 1
        return removed

    def _place(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise StarForgeError(
                "blob/digest",
                Text("`{digest}` is not a sha256", "`{digest}` 不是 sha256 摘要").format(
                    digest=digest[:80]
                ),
                Text("give 64 lower-case hexadecimal digits", "请给出 64 位小写十六进制数字"),
            )
        return self.root / digest[:2] / digest[2:4] / digest

    @contextlib.contextmanager
    def _temporary(self) -> Iterator[tuple[Path, BinaryIO]]:
        folder = self.root / "tmp"
        path = folder / secrets.token_hex(16)
        with _disk(folder):
            folder.mkdir(parents=True, exist_ok=True)
            file = path.open("xb")
        try:
            with file:
                yield path, file
        finally:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def _settle(self, path: Path, file: BinaryIO, place: Path) -> None:
        with contextlib.suppress(StarForgeError):
            self.use(place.name)
            return
        file.flush()
        os.fchmod(file.fileno(), 0o444)
        os.fsync(file.fileno())
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)


@contextlib.contextmanager
def _disk(path: Path) -> Iterator[None]:
    """Explain failures of our own files; those of whoever sends the bytes are not ours."""
    try:
        yield
    except OSError as error:
        raise disk_fault(error, path) from error


def _not_found(digest: str) -> StarForgeError:
    return StarForgeError(
        "blob/not-found",
        Text("there is no content {digest} here", "没有内容 {digest}").format(digest=digest[:16]),
        Text("upload it again", "请重新上传"),
        status=404,
    )


def _link(source: Path, target: Path) -> bool:
    try:
        target.hardlink_to(source)
    except OSError:  # another file system, or one without links
        return False
    return True


def _too_large(limit: int) -> StarForgeError:
    return StarForgeError(
        "blob/too-large",
        Text("the upload is larger than {limit} MB", "上传内容超过 {limit} MB").format(
            limit=round(limit / 1e6, 1)
        ),
        Text(
            "leave out what the job does not need, or put it on the server's machine and give "
            "its path",
            "请去掉任务不需要的内容，或将其放到服务所在的机器上并给出路径",
        ),
        status=413,
    )


def _wrong_digest(wanted: str, found: str) -> StarForgeError:
    return StarForgeError(
        "blob/digest",
        Text(
            "the upload has sha256 {found}..., not {wanted}...: it changed on the way",
            "上传内容的 sha256 是 {found}...，而不是 {wanted}...：传输中损坏或被改动",
        ).format(found=found[:16], wanted=wanted[:16]),
        Text("upload it again", "请重新上传"),
    )

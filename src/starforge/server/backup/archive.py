"""The archive of a backup: a tar in Zstandard frames, with a checksum for every file.

First comes ``starforge-backup.json``, which says what this is; last ``manifest.json``, which
lists everything by sha256. An archive that was cut off anywhere therefore has no manifest,
and is refused.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import tarfile
from pathlib import Path
from typing import IO

import msgspec
import zstandard

ABOUT = "starforge-backup.json"
MANIFEST = "manifest.json"
FORMAT = 1
_LEVEL = 3
_WHOLE = 32 << 20  # files up to this size are read in one go: no job can change them meanwhile


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What an archive is: where and when it was made, and by which version."""

    format: int
    version: str
    created_at: float
    home: str
    database: str  # "sqlite", or "postgresql": then the database itself is not in it
    outputs: bool


class Manifest(msgspec.Struct, kw_only=True):
    """What an archive holds.

    ``files``: sha256 by name. ``links``: hard links, by name, to a file of the archive.
    ``symlinks``: symbolic links by name. ``changed``: files that were shortened while they
    were read. ``skipped``: what is no file, link or folder (sockets, devices).
    ``deleted``: jobs that were deleted while the backup was made.
    """

    files: dict[str, str] = {}
    links: dict[str, str] = {}
    symlinks: dict[str, str] = {}
    changed: list[str] = []
    skipped: list[str] = []
    deleted: list[str] = []


class Writer:
    """Adds files to an archive that is being made."""

    def __init__(self, raw: IO[bytes], about: About) -> None:
        self.manifest = Manifest()
        self._inodes: dict[tuple[int, int], str] = {}
        self._zstd = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).stream_writer(
            raw, closefd=False
        )
        self._tar = tarfile.open(  # noqa: SIM115 - closed in `finish`
            fileobj=self._zstd, mode="w|", format=tarfile.PAX_FORMAT
        )
        self._bytes(ABOUT, msgspec.json.encode(about))

    def file(self, path: Path, name: str) -> None:
        """Add a file, link or empty folder as ``name``. What has vanished is left out."""
        try:
            info = path.lstat()
            if stat.S_ISLNK(info.st_mode):
                self._symlink(path, name, info)
            elif stat.S_ISDIR(info.st_mode):
                self._tar.addfile(_member(name, info, tarfile.DIRTYPE))
            elif stat.S_ISREG(info.st_mode):
                self._regular(path, name)
            else:
                self.manifest.skipped.append(name)
        except FileNotFoundError:
            return

    def finish(self) -> None:
        """Write the manifest and the end of the archive."""
        # Names that are not UTF-8 hold half surrogates, which only ASCII JSON can say.
        self._bytes(MANIFEST, json.dumps(msgspec.to_builtins(self.manifest)).encode())
        self._tar.close()
        self._zstd.close()  # type: ignore[no-untyped-call]

    def _bytes(self, name: str, data: bytes) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode = len(data), 0o600
        self._tar.addfile(info, io.BytesIO(data))

    def _symlink(self, path: Path, name: str, info: os.stat_result) -> None:
        member = _member(name, info, tarfile.SYMTYPE)
        member.linkname = str(path.readlink())
        self._tar.addfile(member)
        self.manifest.symlinks[name] = member.linkname

    def _regular(self, path: Path, name: str) -> None:
        with path.open("rb") as stream:
            info = os.fstat(stream.fileno())
            known = self._inodes.get((info.st_dev, info.st_ino))
            if known is not None and info.st_nlink > 1:
                member = _member(name, info, tarfile.LNKTYPE)
                member.linkname = known
                self._tar.addfile(member)
                self.manifest.links[name] = known
                return
            self._inodes[info.st_dev, info.st_ino] = name
            member = _member(name, info, tarfile.REGTYPE)
            if info.st_size <= _WHOLE:
                data = stream.read(_WHOLE)
                member.size = len(data)
                self._tar.addfile(member, io.BytesIO(data))
                self.manifest.files[name] = hashlib.sha256(data).hexdigest()
                return
            member.size = info.st_size
            source = _Exact(stream, info.st_size)
            self._tar.addfile(member, source)
            self.manifest.files[name] = source.digest.hexdigest()
            if source.padded:
                self.manifest.changed.append(name)


class _Exact:
    """Gives exactly ``size`` bytes of a file that may grow or be shortened meanwhile."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream = stream
        self._left = size
        self.digest = hashlib.sha256()
        self.padded = False

    def read(self, size: int = -1) -> bytes:
        wanted = self._left if size < 0 else min(size, self._left)
        data = self._stream.read(wanted)
        if len(data) < wanted:
            data += bytes(wanted - len(data))
            self.padded = True
        self._left -= wanted
        self.digest.update(data)
        return data


def _member(name: str, info: os.stat_result, kind: bytes) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type = kind
    member.mode = stat.S_IMODE(info.st_mode)
    member.mtime = info.st_mtime  # PAX keeps the fraction
    return member

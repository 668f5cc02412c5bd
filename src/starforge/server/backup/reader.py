"""Read a backup's archive, never trusting it: every name, kind and checksum is looked at."""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

import msgspec
import zstandard

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.backup.archive import ABOUT, FORMAT, MANIFEST, About, Manifest

_T = TypeVar("_T")
_PIECE = 1 << 20
_PACKED = 64 << 10  # packed bytes taken at a time: rubbish may unpack to a thousand times as much
_CUT = Text("it has been cut off", "文件不完整")
_NO_BACKUP = Text("it is no backup of StarForge", "它不是 StarForge 的备份文件")


class Source(Protocol):
    """Gives the bytes of a member."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes."""


Take = Callable[[tarfile.TarInfo, Source | None], None]


def read(file: Path, take: Take | None = None) -> tuple[About, Manifest]:
    """Read an archive to its end and compare every checksum.

    ``take`` is given each member, with its bytes when it is a regular file.

    Raises:
        StarForgeError: it is no backup, of a newer format, damaged, or cut off.
    """
    with _opened(file) as archive:
        return _Reader(file, archive, take).run()


class _Reader:
    """One pass over an archive."""

    def __init__(self, file: Path, archive: tarfile.TarFile, take: Take | None) -> None:
        self._file = file
        self._archive = archive
        self._take = take
        self._found = Manifest()

    def run(self) -> tuple[About, Manifest]:
        about: About | None = None
        for member in self._archive:
            if about is None:
                about = self._about(member)
            elif member.name == MANIFEST:
                return about, self._compare(member)
            else:
                self._member(member)
        raise _damaged(self._file, _NO_BACKUP if about is None else _CUT)

    def _member(self, member: tarfile.TarInfo) -> None:
        """Check one member, hand it on and add it to what was found."""
        name, found = member.name, self._found
        shown = repr(name[:200])
        if name.startswith("/") or any(part in ("", ".", "..") for part in name.split("/")):
            raise _damaged(self._file, Text(f"{shown} leads elsewhere", f"{shown} 指向别处"))
        source: _Summed | None = None
        if member.isreg():
            source = _Summed(self._archive, member)
        elif member.islnk() and member.linkname in found.files:
            found.links[name] = member.linkname
        elif member.issym():
            found.symlinks[name] = member.linkname
        elif not member.isdir():
            raise _damaged(self._file, Text(f"{shown} is no plain file", f"{shown} 不是普通文件"))
        if self._take is not None:
            self._take(member, source)
        if source is not None:
            found.files[name] = source.finish()

    def _about(self, member: tarfile.TarInfo) -> About:
        if member.name != ABOUT or not member.isreg() or member.size > _PIECE:
            raise _damaged(self._file, _NO_BACKUP)
        raw = self._json(member)
        number = raw.get("format") if isinstance(raw, dict) else None
        if number != FORMAT:
            raise _other_format(self._file, number)
        return self._typed(raw, About)

    def _compare(self, member: tarfile.TarInfo) -> Manifest:
        """Return the archive's own manifest; refuse it when what was found differs."""
        told = self._typed(self._json(member), Manifest)
        for name in ("files", "links", "symlinks"):
            mine, theirs = getattr(self._found, name), getattr(told, name)
            odd = [key for key in {*mine, *theirs} if mine.get(key) != theirs.get(key)]
            if odd:
                shown = repr(min(odd)[:200])
                why = Text(f"{shown} is not as it was", f"{shown} 与备份时不一致")
                raise _damaged(self._file, why)
        return told

    def _json(self, member: tarfile.TarInfo) -> Any:
        stream = self._archive.extractfile(member)
        assert stream is not None
        try:
            return json.loads(stream.read())
        except ValueError:
            return None

    def _typed(self, raw: Any, kind: type[_T]) -> _T:
        try:
            return msgspec.convert(raw, kind)
        except msgspec.ValidationError as error:
            raise _damaged(self._file, Text(str(error), str(error))) from error


class _Summed:
    """The bytes of a member, summed up while they are read."""

    def __init__(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        stream = archive.extractfile(member)
        assert stream is not None
        self._stream = stream
        self._sum = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes."""
        data = self._stream.read(size)
        self._sum.update(data)
        return data

    def finish(self) -> str:
        """Read what is left; return the sha256 of it all."""
        while self.read(_PIECE):
            pass
        return self._sum.hexdigest()


class _Frame:
    """What is packed in a Zstandard frame, which must be whole."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._unpacker = zstandard.ZstdDecompressor().decompressobj(read_across_frames=False)
        self._ready = bytearray()

    def read(self, size: int) -> bytes:
        """Return ``size`` bytes, fewer only at the end.

        Raises:
            EOFError: the frame has been cut off.
        """
        while len(self._ready) < size and not self._unpacker.eof:
            packed = self._raw.read(_PACKED)
            if not packed:
                raise EOFError
            self._ready += self._unpacker.decompress(packed)
        data = bytes(self._ready[:size])
        del self._ready[:size]
        return data


@contextmanager
def _opened(file: Path) -> Iterator[tarfile.TarFile]:
    with _readable(file) as raw:
        frame: Any = _Frame(raw)
        try:
            with tarfile.open(fileobj=frame, mode="r|") as archive:
                yield archive
                while frame.read(_PIECE):
                    pass
        except EOFError as error:
            raise _damaged(file, _CUT) from error
        except (zstandard.ZstdError, tarfile.TarError) as error:
            raise _damaged(file, Text(str(error), str(error))) from error


def _readable(file: Path) -> IO[bytes]:
    try:
        return file.open("rb")
    except OSError as error:
        reason = error.strerror or str(error)
        raise StarForgeError(
            "backup/unreadable",
            Text(f"{file} can't be read: {reason}", f"无法读取 {file}：{reason}"),
            Text("check the path and its permissions", "请检查路径和权限"),
        ) from error


def _other_format(file: Path, number: object) -> StarForgeError:
    return StarForgeError(
        "backup/format",
        Text(
            f"{file} is a backup of format {number}; this version reads format {FORMAT}",
            f"{file} 的备份格式为 {number}，当前版本只支持格式 {FORMAT}",
        ),
        Text("use the version that made it", "请使用制作该备份的版本"),
    )


def _damaged(file: Path, why: Text) -> StarForgeError:
    return StarForgeError(
        "backup/damaged",
        Text(f"{file} can't be used: {why.en}", f"{file} 无法使用：{why.zh}"),
        Text("use another backup; nothing was changed", "请换一个备份文件；没有做任何改动"),
    )

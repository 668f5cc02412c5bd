"""Pack an experiment into one deterministic archive, and unpack one safely."""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import tarfile
import tempfile
import zlib
from pathlib import Path
from typing import IO, Any

import msgspec

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lab.files import OwnFile
from starforge.lab.limits import Limits
from starforge.lab.names import Names, is_plain_name

_HEADER = 64 << 10


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """A packed experiment: gzip-compressed tar, same files → same bytes."""

    data: bytes
    sha256: str
    files: int


def pack(files: list[OwnFile]) -> Bundle:
    """Pack files as listed by ``own_files``; owners and times are not kept."""
    raw = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, compresslevel=6) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for one in files:
            _add(archive, one)
    data = raw.getvalue()
    return Bundle(data=data, sha256=hashlib.sha256(data).hexdigest(), files=len(files))


def _add(archive: tarfile.TarFile, one: OwnFile) -> None:
    try:
        content = one.path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise StarForgeError(
            "bundle/file",
            Text(f"{one.path} cannot be read: {reason}", f"无法读取 {one.path}：{reason}"),
            Text("check its permissions, or name it in .sfignore",
                 "请检查读取权限，或写入 .sfignore"),
        ) from error  # fmt: skip
    info = tarfile.TarInfo(one.name)
    info.size = len(content)
    info.mode = 0o755 if one.executable else 0o644
    archive.addfile(info, io.BytesIO(content))


class _Member(tarfile.TarInfo):
    """A member whose extended header can't fill the memory: tarfile reads it in one piece."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type not in tarfile.REGULAR_TYPES and self.size > _HEADER:
            raise too_large(Text("a header of the bundle is too large",
                                 "打包文件中有一个头部过大"))  # fmt: skip
        done: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        return done


class _Limited:
    """A readable that refuses to give more than ``limit`` bytes (zip bombs)."""

    def __init__(self, stream: Any, limit: int) -> None:
        self._stream = stream
        self._left = limit

    def read(self, size: int = -1) -> bytes:
        wanted = self._left + 1 if size < 0 else min(size, self._left + 1)
        data: bytes = self._stream.read(wanted)
        self._left -= len(data)
        if self._left < 0:
            raise too_large(Text("the bundle unpacks to more than is allowed",
                                 "打包文件解压后超出允许的大小"))  # fmt: skip
        return data


def unpack(source: Path, target: Path, limits: Limits | None = None) -> list[str]:
    """Unpack a bundle into the new folder ``target``; return the names of its files.

    ``target`` appears whole or not at all. Raises :class:`StarForgeError` for a damaged
    archive and for one with anything but plain files below the folder: absolute paths,
    ``..``, links, devices, names twice, more than ``limits``.
    """
    limits = limits or Limits.from_env()
    if target.exists():
        raise StarForgeError(
            "bundle/target",
            Text(f"{target} already exists", f"{target} 已存在"),
            Text("choose a new folder", "请换一个新文件夹"),
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    working = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        with source.open("rb") as stream:
            names = _extract(stream, working, limits)
        working.chmod(0o755)
        working.rename(target)
    except OSError as error:
        shutil.rmtree(working, ignore_errors=True)
        if error.errno is None:  # gzip's own errors are OSErrors without a number
            raise _damaged(str(error)) from error
        raise _cannot_write(target, error) from error
    except (tarfile.TarError, EOFError, zlib.error, ValueError) as error:
        shutil.rmtree(working, ignore_errors=True)
        raise _damaged(str(error)) from error
    except BaseException:
        shutil.rmtree(working, ignore_errors=True)
        raise
    return names


def _extract(stream: IO[bytes], folder: Path, limits: Limits) -> list[str]:
    found: list[str] = []
    names = Names()
    total = 0
    # Headers and padding come on top of the files themselves.
    room = limits.total + limits.files * 4096 + (1 << 20)
    with gzip.GzipFile(fileobj=stream, mode="rb") as zipped:
        limited: Any = _Limited(zipped, room)
        with tarfile.open(fileobj=limited, mode="r|", tarinfo=_Member) as archive:
            for count, member in enumerate(archive, 1):
                name = _safe_name(member)
                clash = names.add(name, folder=member.isdir())
                if clash is not None:
                    raise _unsafe(name, Text(f"it is the same as {clash!r}",
                                             f"它与 {clash!r} 重名"))  # fmt: skip
                total += member.size
                what = limits.exceeded(name, size=member.size, count=count, total=total)
                if what is not None:
                    raise too_large(what)
                if member.isdir():
                    continue
                _write(archive, member, folder / name)
                found.append(name)
    return sorted(found)


def _safe_name(member: tarfile.TarInfo) -> str:
    name = member.name.removesuffix("/")
    if not is_plain_name(name) or not (member.isreg() or member.isdir()):
        raise _unsafe(name, Text("it is not a plain file below the bundle's folder",
                                 "它不是打包文件夹内的普通文件"))  # fmt: skip
    return name


def _unsafe(name: str, why: Text) -> StarForgeError:
    shown = repr(name[:200])
    return StarForgeError(
        "bundle/unsafe",
        Text(f"the bundle holds {shown}: {why.en}", f"打包文件中含有 {shown}：{why.zh}"),
        Text("submit the experiment again with `sf submit`", "请用 `sf submit` 重新提交实验"),
    )


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    content = archive.extractfile(member)
    if content is None:
        raise _damaged(member.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as out:
        shutil.copyfileobj(content, out)
    path.chmod(0o755 if member.mode & 0o100 else 0o644)


def too_large(message: Text) -> StarForgeError:
    """Return the error for a bundle that exceeds a limit."""
    hint = Text("name what the job does not need in .sfignore", "把任务不需要的文件写入 .sfignore")
    return StarForgeError("bundle/too-large", message, hint, status=413)


def _cannot_write(target: Path, error: OSError) -> StarForgeError:
    reason = error.strerror or str(error)
    return StarForgeError(
        "bundle/write",
        Text(f"{target} can't be written: {reason}", f"无法写入 {target}：{reason}"),
        Text("check free space and permissions", "请检查磁盘空间和权限"),
        status=500,
    )


def _damaged(detail: str) -> StarForgeError:
    return StarForgeError(
        "bundle/damaged",
        Text(f"the bundle can't be unpacked: {detail}", f"打包文件无法解开：{detail}"),
        Text("submit the experiment again", "请重新提交实验"),
    )

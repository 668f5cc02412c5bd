"""Runtimes that are built on this machine: list, find, remove."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.runtimes.home import runtimes_root
from starforge.runtimes.spec import Device, get_spec, names, normalized

RECEIPT = "runtime.json"
TRASH = ".trash-"

# Names a running job of a runtime: (name, device) -> job ids
InUse = Callable[[str, str], list[str]]


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """Written into a runtime's folder when it is whole. Times in Unix seconds, size in bytes."""

    name: str
    device: Device
    digest: str
    python: str
    built_at: float
    size: int


class InstalledRuntime(msgspec.Struct, frozen=True, kw_only=True):
    """A built runtime. ``current`` says whether it is of the lock this version carries."""

    name: str
    device: Device
    digest: str
    path: Path
    size: int
    built_at: float
    python_version: str
    current: bool

    @property
    def python(self) -> Path:
        """The runtime's interpreter."""
        return interpreter(self.path)


def interpreter(folder: Path) -> Path:
    """Return the interpreter of the virtual environment in ``folder``."""
    return folder / "bin" / "python"


def installed(home: Path) -> list[InstalledRuntime]:
    """Return every whole runtime of ``home``, also those of older locks."""
    return sorted(_scan(home), key=lambda one: (one.name, one.device, not one.current))


def _scan(home: Path) -> Iterator[InstalledRuntime]:
    root = runtimes_root(home)
    try:
        folders = [entry for entry in os.scandir(root) if not entry.name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise _unreadable(root, error) from error
    for entry in folders:
        found = read_runtime(Path(entry.path))
        if found is not None:
            yield found


def read_runtime(folder: Path) -> InstalledRuntime | None:
    """Return the runtime in ``folder``; ``None`` when there is none or it isn't whole."""
    try:
        receipt = msgspec.json.decode((folder / RECEIPT).read_bytes(), type=Receipt)
    except (OSError, msgspec.DecodeError):
        return None
    if not interpreter(folder).exists():
        return None
    current = receipt.name in names() and (
        get_spec(receipt.name, receipt.device).digest == receipt.digest
    )
    return InstalledRuntime(
        name=receipt.name, device=receipt.device, digest=receipt.digest, path=folder,
        size=receipt.size, built_at=receipt.built_at, python_version=receipt.python,
        current=current,
    )  # fmt: skip


def find(home: Path, name: str, device: str) -> InstalledRuntime | None:
    """Return the whole runtime of the current lock, or ``None`` when it isn't built."""
    spec = get_spec(name, device)
    found = read_runtime(runtimes_root(home) / spec.folder)
    return found if found is not None and found.digest == spec.digest else None


def remove(home: Path, name: str, device: str, *, in_use: InUse | None = None) -> int:
    """Remove every build of a runtime, old ones too; return the bytes set free.

    Refused while ``in_use`` names jobs that run in it. The folder is moved aside first, so
    that a half-removed runtime is never taken for a whole one.
    """
    builds = [one for one in installed(home) if (one.name, one.device) == (name, device)]
    if not builds:
        get_spec(name, device)  # an unknown name is told apart from one that isn't installed
        raise not_installed(name, device)
    jobs = in_use(name, device) if in_use else []
    if jobs:
        raise _busy(name, device, jobs)
    for one in builds:
        aside = one.path.parent / f"{TRASH}{one.path.name}-{secrets.token_hex(4)}"
        try:
            one.path.rename(aside)
        except OSError as error:
            raise _unreadable(one.path, error) from error
        shutil.rmtree(aside, ignore_errors=True)
    return sum(one.size for one in builds)


def folder_size(folder: Path) -> int:
    """Return what the files below ``folder`` take on disk, in bytes."""
    total = 0
    for root, _, files in os.walk(folder):
        for name in files:
            total += Path(root, name).lstat().st_blocks * 512
    return total


def installed_versions(folder: Path) -> dict[str, str]:
    """Return the packages in a runtime's folder, from the names of their metadata folders."""
    found = {}
    for info in folder.glob("lib/python3*/site-packages/*.dist-info"):
        name, _, version = info.name.removesuffix(".dist-info").partition("-")
        found[normalized(name)] = version
    return found


def not_installed(name: str, device: str) -> StarForgeError:
    """Return the error for a runtime that is not built here."""
    return StarForgeError(
        "runtime/missing",
        Text(f"the runtime `{name}` ({device}) is not installed",
             f"运行环境 `{name}`（{device}）尚未安装"),
        Text(f"install it with `sf runtime install {name} --device {device}`",
             f"用 `sf runtime install {name} --device {device}` 安装"),
        status=404,
    )  # fmt: skip


def _busy(name: str, device: str, jobs: list[str]) -> StarForgeError:
    listed = ", ".join(jobs[:5])
    return StarForgeError(
        "runtime/in-use",
        Text(f"the runtime `{name}` ({device}) is used by running jobs: {listed}",
             f"运行环境 `{name}`（{device}）正被运行中的任务使用：{listed}"),
        Text("wait for them, or stop them with `sf job stop`",
             "请等它们结束，或用 `sf job stop` 停止"),
        status=409,
    )  # fmt: skip


def _unreadable(path: Path, error: OSError) -> StarForgeError:
    reason = error.strerror or str(error)
    return StarForgeError(
        "runtime/folder",
        Text(f"can't use {path}: {reason}", f"无法使用 {path}：{reason}"),
        Text("check that you may read and write this folder, or set STARFORGE_HOME to another",
             "请确认对该目录有读写权限，或用 STARFORGE_HOME 换一个目录"),
    )  # fmt: skip

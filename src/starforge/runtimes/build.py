"""Build a runtime: a virtual environment of its lock, whole or not there at all.

It is built beside its final place and renamed when it is whole, under a file lock, so that
an interrupted build leaves nothing that looks usable and two builds never meet.
"""

from __future__ import annotations

import fcntl
import os
import platform
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from starforge.errors import StarForgeError
from starforge.i18n import Text, t
from starforge.runtimes.children import bound
from starforge.runtimes.home import runtimes_root
from starforge.runtimes.pip import PipRun
from starforge.runtimes.registry import (
    RECEIPT,
    TRASH,
    InstalledRuntime,
    Receipt,
    find,
    folder_size,
    interpreter,
    read_runtime,
)
from starforge.runtimes.spec import GIB, Runtime, detect_device, get_spec

# (message, parts done, parts in all): the numbers are None while there is nothing to count
Progress = Callable[[str, int | None, int | None], None]

BUILDING = ".building-"
LOGS = "logs"


def install(
    name: str,
    device: str | None = None,
    *,
    home: Path,
    progress: Progress | None = None,
    force: bool = False,
) -> InstalledRuntime:
    """Build the runtime unless it is there (``force``: build it again); return it.

    ``device`` defaults to what this machine has. Uses pip as the user has configured it.
    Raises :class:`StarForgeError` when the disk is too full, the folder can't be written,
    or pip fails; then nothing is left but pip's log.
    """
    spec = get_spec(name, device or detect_device())
    tell = progress or _silent
    root = _make_root(runtimes_root(home))
    with _only_build(root, spec, tell):
        found = find(home, spec.name, spec.device)
        if found is not None and not force:
            return found
        _clean(root, spec)
        tell(_amount(root, spec), None, None)
        _check_space(root, spec)
        return _build(root, spec, tell)


def _amount(root: Path, spec: Runtime) -> str:
    """Say what a build will take, before it takes it."""
    free = shutil.disk_usage(root).free
    download, size, left = (f"{n / GIB:.1f} GiB" for n in (spec.download, spec.size, free))
    return t("{count} packages: about {download} to download, {size} on disk; {left} are free",
             "{count} 个包：下载约 {download}，约占磁盘 {size}；剩余 {left}",
             count=len(spec.packages), download=download, size=size, left=left)  # fmt: skip


def _silent(_message: str, _done: int | None, _total: int | None) -> None:
    pass


def _make_root(root: Path) -> Path:
    try:
        (root / LOGS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_writable(root, error) from error
    return root


@contextmanager
def _only_build(root: Path, spec: Runtime, tell: Progress) -> Iterator[None]:
    """Hold the lock of this runtime; wait while another process builds it."""
    try:
        stream = (root / f".{spec.folder}.lock").open("a")
    except OSError as error:
        raise _not_writable(root, error) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(t("another process is building it; waiting",
                   "另一个进程正在构建，等待中"), None, None)  # fmt: skip
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _clean(root: Path, spec: Runtime) -> None:
    """Remove what interrupted builds left. The lock is held, so nobody is using it."""
    for pattern in (f"{BUILDING}{spec.folder}*", f"{TRASH}{spec.folder}-*"):
        for leftover in root.glob(pattern):
            shutil.rmtree(leftover, ignore_errors=True)


def _check_space(root: Path, spec: Runtime) -> None:
    needed = int(spec.size * 1.25)  # pip unpacks beside what it installs
    free = shutil.disk_usage(root).free
    if free < needed:
        raise _no_space(root, needed, free)


def _build(root: Path, spec: Runtime, tell: Progress) -> InstalledRuntime:
    final = root / spec.folder
    # A place of its own: what a killed build left may still be written to for a moment.
    folder = root / f"{BUILDING}{spec.folder}-{secrets.token_hex(4)}"
    log = root / LOGS / f"{spec.folder}.log"
    try:
        with log.open("w", encoding="utf-8") as stream:
            _make_venv(folder, spec, stream, log, tell)
            (folder / "lock.txt").write_text(spec.lock, "utf-8")
            PipRun(folder, spec, stream=stream, log=log, tell=tell).run()
        tell(t("checking", "正在检查"), None, None)
        _prove_imports(folder, spec, log)
        _move_scripts(folder, final)
        _write_receipt(folder, spec)
        if final.exists():
            final.rename(root / f"{TRASH}{spec.folder}-{os.getpid()}")
        folder.rename(final)
    except OSError as error:
        raise _not_writable(root, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _clean(root, spec)
    found = read_runtime(final)
    assert found is not None
    return found


def _make_venv(folder: Path, spec: Runtime, stream: IO[str], log: Path, tell: Progress) -> None:
    tell(t("creating the virtual environment", "正在创建虚拟环境"), None, None)
    done = subprocess.run(
        bound([sys.executable, "-m", "venv", "--prompt", f"{spec.name}-{spec.device}",
               str(folder)]),
        stdout=stream, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if done.returncode:
        raise StarForgeError(
            "runtime/venv",
            Text(f"`python -m venv` failed with exit code {done.returncode}; see {log}",
                 f"`python -m venv` 失败，退出码 {done.returncode}；详见 {log}"),
            Text("your Python needs the modules venv and ensurepip (on Debian and Ubuntu they "
                 "are a package of their own, python3-venv)",
                 "Python 需要带有 venv 与 ensurepip 模块（Debian、Ubuntu 要另装 python3-venv）"),
        )  # fmt: skip


def _prove_imports(folder: Path, spec: Runtime, log: Path) -> None:
    """A runtime that can't import its framework must not be taken for a whole one."""
    code = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    done = subprocess.run(
        bound([str(interpreter(folder)), "-c", code, *spec.imports]),
        capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if done.returncode:
        with log.open("a", encoding="utf-8") as stream:
            stream.write(done.stderr)
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        raise StarForgeError(
            "runtime/imports",
            Text(f"the runtime `{spec.name}` was built but does not import: {last}; see {log}",
                 f"运行环境 `{spec.name}` 已构建，但无法导入：{last}；详见 {log}"),
            Text("check the index pip is configured with: it must serve the pinned packages "
                 "for this Python and platform",
                 "请检查 pip 所配置的索引，它要能为当前 Python 和平台提供锁定的包"),
        )  # fmt: skip


def _move_scripts(folder: Path, final: Path) -> None:
    """Let scripts in ``bin`` name the folder's final place."""
    old, new = os.fsencode(folder), os.fsencode(final)
    for path in [*(folder / "bin").iterdir(), folder / "pyvenv.cfg"]:
        if path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        if old in data and b"\0" not in data:
            path.write_bytes(data.replace(old, new))


def _write_receipt(folder: Path, spec: Runtime) -> None:
    receipt = Receipt(
        name=spec.name, device=spec.device, digest=spec.digest,
        python=platform.python_version(), built_at=time.time(), size=folder_size(folder),
    )  # fmt: skip
    (folder / RECEIPT).write_bytes(msgspec.json.encode(receipt))


def _no_space(root: Path, needed: int, free: int) -> StarForgeError:
    sizes = f"{needed / GIB:.1f} GB", f"{free / GIB:.1f} GB"
    return StarForgeError(
        "runtime/no-space",
        Text(f"not enough disk space in {root}: {sizes[0]} needed, {sizes[1]} free",
             f"{root} 的磁盘空间不足：需要 {sizes[0]}，剩余 {sizes[1]}"),
        Text("free some space, remove a runtime with `sf runtime rm`, or set STARFORGE_HOME to "
             "a folder on another disk",
             "请清理空间，用 `sf runtime rm` 删除不用的运行环境，或把 STARFORGE_HOME 设到其他磁盘"),
    )  # fmt: skip


def _not_writable(root: Path, error: OSError) -> StarForgeError:
    reason = error.strerror or str(error)
    return StarForgeError(
        "runtime/folder",
        Text(f"can't write {root}: {reason}", f"无法写入 {root}：{reason}"),
        Text("make it writable, or set STARFORGE_HOME to another folder",
             "请开放写权限，或用 STARFORGE_HOME 换一个目录"),
    )  # fmt: skip

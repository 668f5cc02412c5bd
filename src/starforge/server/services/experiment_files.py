"""Own files of an experiment that is made from a form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lab.bundle import too_large
from starforge.lab.experiment import LOCK_FILE
from starforge.lab.limits import Limits
from starforge.lab.names import Names, is_plain_name
from starforge.server.core import Core
from starforge.wire.experiments import OwnFileContent


def put_files(core: Core, folder: Path, given: Mapping[str, OwnFileContent | None]) -> None:
    """Write, replace and remove files as a form says."""
    for name, content in given.items():
        if not is_plain_name(name) or name == LOCK_FILE:
            raise _bad_file(name, Text("it is not a plain name below the folder",
                                       "不是文件夹内的普通文件名"))  # fmt: skip
        path = folder / name
        if content is None:
            path.unlink(missing_ok=True)
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            before = path.stat().st_mode & 0o100 if path.is_file() else name.endswith(".sh")
            path.unlink(missing_ok=True)
            _put_one(core, path, content)
        except OSError as error:
            reason = error.strerror or str(error)
            raise _bad_file(name, Text(reason, reason)) from error
        wanted = before if content.executable is None else content.executable
        path.chmod(0o755 if wanted else 0o644)
    _check_limits(folder)


def _put_one(core: Core, path: Path, content: OwnFileContent) -> None:
    if content.digest is not None:
        core.blobs.materialize(content.digest, path, link=False)
    elif content.text is not None:
        path.write_text(content.text, "utf-8", newline="")
    else:
        raise _bad_file(path.name, Text("it has neither `text` nor `digest`",
                                        "既没有 `text`，也没有 `digest`"))  # fmt: skip


def _check_limits(folder: Path) -> None:
    limits, names, total = Limits.from_env(), Names(), 0
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    for count, path in enumerate(files, start=1):
        name, size = path.relative_to(folder).as_posix(), path.stat().st_size
        total += size
        clash = names.add(name)
        if clash is not None:
            raise _bad_file(name, Text(f"on many machines it is the same as {clash}",
                                       f"在许多机器上它与 {clash} 是同一个名字"))  # fmt: skip
        what = limits.exceeded(name, size=size, count=count, total=total)
        if what is not None:
            raise too_large(what)


def _bad_file(name: str, why: Text) -> StarForgeError:
    shown = repr(name[:200])
    return StarForgeError(
        "experiment/file",
        Text(f"{shown} can't be a file of the experiment: {why.en}",
             f"{shown} 不能作为实验的文件：{why.zh}"),
        Text("name it as in `code/train.py`", "文件名应形如 `code/train.py`"),
        status=422,
    )  # fmt: skip

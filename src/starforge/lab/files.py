"""An experiment's own files: what is uploaded with it and lies in ``code/`` of its job."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from starforge import layout
from starforge.errors import StarForgeError
from starforge.findings import Finding, Location, rule
from starforge.i18n import Text
from starforge.lab.experiment import CONFIG_FILE, EXPERIMENT_FILE, LOCK_FILE, Experiment
from starforge.lab.ignore import load_ignore
from starforge.lab.lab import BENCHMARKS, find_input
from starforge.lab.limits import Limits
from starforge.lab.names import Names, is_plain_name
from starforge.lab.then import pack_names
from starforge.plan import PlanFile

NOT_TAKEN = rule(
    "bundle/file", "error",
    title=Text("File that can't be sent", "无法提交的文件"),
    message=Text("{name} can't be sent with the experiment: {reason.en}",
                 "{name} 无法随实验提交：{reason.zh}"),
    hint=Text("remove it, or name it in .sfignore", "请删除它，或写入 .sfignore"),
    why=Text("Only regular files mean the same on another machine.",
             "只有普通文件在其他机器上含义相同。"),
    bad="a link to a folder inside the experiment",
    good="the folder itself, or its name in .sfignore",
)  # fmt: skip
TOO_LARGE = rule(
    "bundle/too-large", "error",
    title=Text("Experiment too large", "实验过大"),
    message=Text("{what.en}", "{what.zh}"),
    hint=Text("name what the job does not need in .sfignore; give data as `data`, not as code",
              "把任务不需要的文件写入 .sfignore；数据请放在 `data` 中，不要当作代码提交"),
    why=Text("The experiment's own files are kept with every job.",
             "每个任务都会保存实验自己的文件。"),
    bad="a checkpoint of 3 GB beside train.py", good="its name in .sfignore",
)  # fmt: skip

# Kept in the job's record, not in its code folder.
RECORD_FILES = frozenset({EXPERIMENT_FILE, CONFIG_FILE, LOCK_FILE})


class OwnFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the experiment: its name in the bundle and where it lies here."""

    name: str
    path: Path
    size: int
    executable: bool = False


def own_files(
    experiment: Experiment, lab_root: Path | None = None, limits: Limits | None = None
) -> list[OwnFile]:
    """Like :func:`collect_files`; raises :class:`StarForgeError` for the first finding."""
    files, findings = collect_files(experiment, lab_root, limits)
    if findings:
        first = findings[0]
        raise StarForgeError(first.code, first.message, first.hint, status=413)
    return files


def collect_files(
    experiment: Experiment, lab_root: Path | None = None, limits: Limits | None = None
) -> tuple[list[OwnFile], list[Finding]]:
    """List the files that belong to an experiment, sorted by name.

    Left out: what ``.sfignore`` names, version control and caches, and files that
    ``data`` and ``model`` name, since inputs travel on their own. Added: the lab's
    ``benchmarks/NAME`` folders that the experiment names in its parameters or in
    ``then``. Files that can't be taken and a limit that is exceeded come as findings.
    """
    limits = limits or Limits.from_env()
    names = Names()
    skip = _inputs(experiment, lab_root)
    found: dict[str, OwnFile] = {}
    findings: list[Finding] = []
    total = 0
    for root, prefix in [(experiment.folder, ""), *_shared(experiment, lab_root)]:
        for path, name in _walk(root, prefix, skip, findings):
            one = _own_file(path, name)
            if isinstance(one, Finding):
                findings.append(one)
                continue
            clash = names.add(name)
            if clash is not None:
                findings.append(_refused(name, _same_as(clash)))
                continue
            found[one.name] = one
            total += one.size
            what = limits.exceeded(name, size=one.size, count=len(found), total=total)
            if what is not None:
                return _by_name(found), [*findings, TOO_LARGE.at(Location(), what=what)]
    return _by_name(found), findings


def _by_name(found: dict[str, OwnFile]) -> list[OwnFile]:
    return [found[name] for name in sorted(found)]


def code_files(files: list[OwnFile]) -> list[PlanFile]:
    """Return the plan's entries for files that will lie in the job's code folder."""
    return [
        PlanFile(path=f"{layout.CODE}/{one.name}", source="experiment",
                 sha256=file_digest(one.path), size=one.size)
        for one in files
        if one.name not in RECORD_FILES
    ]  # fmt: skip


def file_digest(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _inputs(experiment: Experiment, lab_root: Path | None) -> set[Path]:
    models = [experiment.model, experiment.teacher, experiment.reward]
    references = [*experiment.data.values(), *(m for m in models if m and not m.endswith(".py"))]
    # Both the local file and the place it would have are left out, so that a bundle that
    # was unpacked on a server lists the same files as the folder it was made from.
    found = {(experiment.folder / reference).absolute() for reference in references}
    for reference in references:
        here = find_input(reference, experiment.folder, lab_root)
        if here is not None:
            found.add(here.absolute())
    return {Path(os.path.normpath(path)) for path in found} - {experiment.folder}


def _shared(experiment: Experiment, lab_root: Path | None) -> Iterator[tuple[Path, str]]:
    if lab_root is None or not (lab_root / BENCHMARKS).is_dir():
        return
    named = set(_texts([experiment.params, experiment.config])) | pack_names(experiment.then)
    for folder in sorted((lab_root / BENCHMARKS).iterdir()):
        own = experiment.folder / BENCHMARKS / folder.name
        if folder.is_dir() and folder.name in named and not own.exists():
            yield folder, f"{BENCHMARKS}/{folder.name}/"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from (part.strip() for part in value.split(","))
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _walk(
    root: Path, prefix: str, skip: set[Path], findings: list[Finding]
) -> Iterator[tuple[Path, str]]:
    """Yield every file below ``root`` that is not left out, with its name in the bundle."""
    ignore = load_ignore(root)
    stack = [root]
    while stack:
        folder = stack.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            reason = error.strerror or str(error)
            name = prefix + folder.relative_to(root).as_posix()
            findings.append(_refused(name, Text(reason, reason)))
            continue
        for entry in entries:
            path = Path(entry.path)
            name = path.relative_to(root).as_posix()
            is_dir = entry.is_dir(follow_symlinks=False)
            if path in skip or ignore.matches(name, is_dir=is_dir):
                continue
            if is_dir:
                stack.append(path)
            else:
                yield path, prefix + name


def _own_file(path: Path, name: str) -> OwnFile | Finding:
    if not is_plain_name(name):
        shown = name.encode("utf-8", "replace").decode()
        return _refused(shown, Text("its name holds unusual characters", "文件名含有特殊字符"))
    try:
        info = path.stat()
    except OSError as error:
        reason = error.strerror or str(error)
        return _refused(name, Text(reason, reason))
    if stat.S_ISDIR(info.st_mode):
        return _refused(name, Text("it is a link to a folder", "它是指向文件夹的链接"))
    if not stat.S_ISREG(info.st_mode):
        return _refused(name, Text("it is not a regular file", "它不是普通文件"))
    if not os.access(path, os.R_OK):
        return _refused(name, Text("it can't be read", "没有读取权限"))
    executable = bool(info.st_mode & stat.S_IXUSR)
    return OwnFile(name=name, path=path, size=info.st_size, executable=executable)


def _same_as(other: str) -> Text:
    return Text(f"on many machines it is the same as {other}",
                f"在许多机器上它与 {other} 是同一个名字")  # fmt: skip


def _refused(name: str, reason: Text) -> Finding:
    return NOT_TAKEN.at(Location(file=name), name=name, reason=reason)

"""The folder of a smoke run's job: as a server would fill it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import msgspec

from starforge import layout
from starforge.catalog.deployment import place_of
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lab.columns import rename_file
from starforge.lab.context import PrepareContext
from starforge.lab.files import RECORD_FILES, OwnFile
from starforge.plan import LaunchPlan
from starforge.runtimes import find
from starforge.runtimes.spec import names


def fill(job: Path, plan: LaunchPlan, context: PrepareContext, files: list[OwnFile]) -> None:
    """Write record, code, data, library and an empty output into the new folder ``job``."""
    for name in (layout.CODE, layout.DATA, layout.OUTPUT, f"{layout.RECORD}/experiment"):
        (job / name).mkdir(parents=True)
    (job / layout.RECORD / "plan.json").write_bytes(msgspec.json.encode(plan))
    for file in plan.files:
        if file.content is not None:
            target = job / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(file.content, "utf-8")
    for own in files:
        kept = own.name in RECORD_FILES
        target = job / (f"{layout.RECORD}/experiment" if kept else layout.CODE) / own.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(own.path, target)
        target.chmod(0o755 if own.executable else 0o644)
    for source in context.data.values():
        target = job / layout.DATA / (source.ref.file or f"{source.split}.jsonl")
        if source.path is None:
            continue
        if source.columns:
            rename_file(source.path, target, source.columns)
        else:
            shutil.copyfile(source.path, target)


def interpreter(plan: LaunchPlan, home: Path, catalog_folder: Path) -> str | None:
    """Return the Python of the CPU runtime; ``None`` for a plan that needs none.

    An interpreter that the deployment names for the framework is taken before; an image is
    for other machines. Raises :class:`StarForgeError` when there is neither.
    """
    if plan.runtime is None:
        return None
    chosen = place_of(plan.framework, catalog_folder)
    if chosen is not None and chosen.kind == "python" and os.access(chosen.value, os.X_OK):
        return chosen.value
    name = chosen.value if chosen is not None and chosen.kind == "runtime" else plan.runtime.name
    found = find(home, name, "cpu") if name in names() else None
    if found is None:
        raise StarForgeError(
            "runtime/missing",
            Text(f"the runtime `{name}` (cpu) is not installed on this machine",
                 f"本机没有安装运行环境 `{name}`（cpu）"),
            Text(f"install it with `sf runtime install {name} --device cpu`",
                 f"用 `sf runtime install {name} --device cpu` 安装"),
        )  # fmt: skip
    return str(found.python)

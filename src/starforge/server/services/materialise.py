"""Fills a job's folder: record, code, data, library. Nothing of it changes later."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec

from starforge import layout
from starforge.lab.columns import rename_file
from starforge.lab.files import RECORD_FILES
from starforge.plan import InputRef, LaunchPlan
from starforge.server.core import Core
from starforge.server.services.preparation import Made
from starforge.server.store import registry
from starforge.server.store.faults import disk_fault

LINK_FROM = 256 * 1024 * 1024  # bytes; smaller data are copied, so that no job can harm a blob


def fill(core: Core, made: Made, plan: LaunchPlan, extra: dict[str, Any]) -> Path:
    """Build the job folder inside ``made.work`` and return it, safely on disk.

    ``extra`` are further JSON files of the record, by name.
    """
    job = made.work / "job"
    _experiment(made.folder, job)
    return _fill(core, job, plan, extra)


def fill_bare(work: Path, plan: LaunchPlan) -> Path:
    """Like :func:`fill`, for a plan without an experiment and data of its own."""
    job = work / "job"
    for name in (layout.RECORD, layout.CODE):
        (job / name).mkdir(parents=True)
    return _fill(None, job, plan, {})


def _fill(core: Core | None, job: Path, plan: LaunchPlan, extra: dict[str, Any]) -> Path:
    for name, value in extra.items():
        _write_json(job / layout.RECORD / name, value)
    (job / layout.RECORD / "plan.json").write_bytes(
        msgspec.json.format(msgspec.json.encode(plan), indent=1)
    )
    for file in plan.files:
        if file.content is not None:
            target = job / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(file.content, "utf-8")
    for ref in plan.inputs:
        if core is not None and ref.name.startswith("data."):
            _data(core, ref, job)
    (job / layout.OUTPUT).mkdir()
    sync_tree(job)
    return job


def sync_tree(folder: Path) -> None:
    """Make every file and folder below durable."""
    for root, _, names in os.walk(folder):
        for path in [*(Path(root, name) for name in names), Path(root)]:
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _experiment(folder: Path, job: Path) -> None:
    """Put the experiment's three files into the record and everything else into code."""
    kept = job / layout.RECORD / "experiment"
    kept.mkdir(parents=True)
    folder.rename(job / layout.CODE)
    for name in sorted(RECORD_FILES):
        if (job / layout.CODE / name).is_file():
            (job / layout.CODE / name).rename(kept / name)


def _data(core: Core, ref: InputRef, job: Path) -> None:
    digest = ref.digest
    if digest is None:  # a registered dataset without its content named
        with core.db.read() as tx:
            digest = registry.dataset(tx, ref.location).digest
    target = job / layout.DATA / (ref.file or f"{ref.name.removeprefix('data.')}.jsonl")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not ref.columns:
        core.blobs.materialize(digest, target, link=core.blobs.size(digest) >= LINK_FROM)
        return
    try:
        rename_file(core.blobs.path(digest), target, ref.columns)
    except OSError as error:
        raise disk_fault(error, target) from error


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")


def place(built: Path, target: Path) -> None:
    """Move a built job folder to where it belongs, durably."""
    built.rename(target)
    descriptor = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

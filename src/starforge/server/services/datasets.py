"""Datasets: an uploaded file, looked at once, under a name and a version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.store import registry
from starforge.server.store.records import Dataset
from starforge.wire.datasets import DatasetCreate

LOOK = 1000  # rows whose columns are gathered


def create(core: Core, wanted: DatasetCreate) -> Dataset:
    """Register a blob; the same content under the same name keeps its version."""
    size = core.blobs.use(wanted.digest)
    rows, columns = look(core.blobs.path(wanted.digest), wanted.file)
    with core.db.write() as tx:
        return registry.add_dataset(
            tx,
            wanted.name,
            digest=wanted.digest,
            rows=rows,
            size=size,
            columns=columns,
            filename=Path(wanted.file).name,
            description=wanted.description,
        )


def look(path: Path, name: str) -> tuple[int, list[str]]:
    """Count the rows of a JSON-lines file and gather its columns, in order of appearance.

    Other formats are kept as they are: only lines are counted.
    """
    rows, columns = 0, dict[str, None]()
    json_lines = name.endswith((".jsonl", ".ndjson", ".json"))
    with path.open("rb") as handle:
        for number, line in enumerate(handle, start=1):
            if not line.strip():
                continue
            rows += 1
            if json_lines and rows <= LOOK:
                columns.update(dict.fromkeys(_keys(line, number, name)))
    return rows, list(columns)


def _keys(line: bytes, number: int, name: str) -> list[str]:
    try:
        row: Any = json.loads(line)
    except ValueError as error:
        raise _bad(name, number, str(error)) from error
    if not isinstance(row, dict):
        raise _bad(name, number, "not an object")
    return list(row)


def _bad(name: str, number: int, why: str) -> StarForgeError:
    return StarForgeError(
        "dataset/bad-row",
        Text(
            f"{name}, line {number}: each line must be a JSON object ({why})",
            f"{name} 第 {number} 行：每行必须是一个 JSON 对象（{why}）",
        ),
        Text("give one JSON object a line (JSON Lines)", "请使用 JSON Lines 格式，每行一个对象"),
        status=422,
    )

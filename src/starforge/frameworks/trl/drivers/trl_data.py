"""Rows of a JSON Lines file as a ``datasets.Dataset`` with exactly the columns TRL reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from job_files import JobError

from starforge.lang import t

Shapes = tuple[tuple[str, ...], ...]
INSTRUCTION: Shapes = (("messages",), ("prompt", "completion"), ("text",))
PREFERENCE: Shapes = (("prompt", "chosen", "rejected"), ("chosen", "rejected"))
BINARY: Shapes = (("prompt", "completion", "label"),)
PROMPTS: Shapes = (("prompt",),)
EXTRAS = ("tools", "chat_template_kwargs")  # read by TRL when a row has them


def load(path: Path, scratch: Path, shapes: Shapes) -> Any:
    """Return the dataset of one split; the Arrow copy lies below ``scratch``.

    The columns are those of the first of ``shapes`` that the first row fits; others are left
    out.
    """
    from datasets import Dataset

    first = next(read(path), None)
    if first is None:
        raise JobError(t("{path} has no rows", "{path} 里没有任何数据行", path=path))
    columns = shape_of(first, shapes)
    if columns is None:
        wanted = ", ".join("+".join(shape) for shape in shapes)
        raise JobError(
            t(
                "{path}: the first row has none of the columns {wanted}",
                "{path}：第一行没有所需的列（{wanted} 之一）",
                path=path,
                wanted=wanted,
            )
        )
    kinds, extras = survey(path, columns)
    columns += extras
    return Dataset.from_generator(
        rows,
        features=None if extras else features(kinds),
        cache_dir=str(scratch),
        # A list here would mean shards, one call each: columns go as a tuple.
        gen_kwargs={"path": str(path), "columns": columns},
    )


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a JSON Lines file; blank lines are skipped."""
    try:
        with Path(path).open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield _parse(line, number, path)
    except OSError as error:
        raise JobError(
            t("{path} can't be read: {error}", "无法读取 {path}：{error}", path=path, error=error)
        ) from error


def _parse(line: bytes, number: int, path: Path) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise JobError(
            t("{path}:{number}: not JSON", "{path}:{number}：不是 JSON", path=path, number=number)
        ) from error
    if not isinstance(row, dict):
        raise JobError(
            t(
                "{path}:{number}: not a JSON object",
                "{path}:{number}：不是 JSON 对象",
                path=path,
                number=number,
            )
        )
    return row


def rows(path: str, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the rows with only ``columns``; called by ``datasets`` with plain values."""
    for row in read(Path(path)):
        yield {name: row.get(name) for name in columns}


def shape_of(row: dict[str, Any], shapes: Shapes) -> tuple[str, ...] | None:
    """Return the first shape whose columns ``row`` has."""
    return next((shape for shape in shapes if all(name in row for name in shape)), None)


def conversational(row: dict[str, Any]) -> bool:
    """Say whether a row holds messages, which need a chat template."""
    return any(isinstance(row.get(name), list) for name in ("messages", "prompt", "chosen"))


def survey(path: Path, columns: tuple[str, ...]) -> tuple[dict[str, set[str]], tuple[str, ...]]:
    """Go through a file once: how each column is written, and which extras any row has."""
    kinds: dict[str, set[str]] = {name: set() for name in columns}
    extras: set[str] = set()
    for row in read(path):
        for name in columns:
            kinds[name].add(_kind(row.get(name)))
        extras.update(name for name in EXTRAS if name in row)
    return kinds, tuple(sorted(extras))


def features(kinds: dict[str, set[str]]) -> Any:
    """Return the columns' types where they are plain; ``None`` lets ``datasets`` infer them.

    Fixed types keep a large file from failing at a later row that looks different.
    """
    from datasets import Features, List, Value

    turns = List({"role": Value("string"), "content": Value("string")})
    types = {"text": Value("string"), "flag": Value("bool"), "turns": turns}
    if any(len(found) != 1 or not found <= types.keys() for found in kinds.values()):
        return None
    return Features({name: types[next(iter(found))] for name, found in kinds.items()})


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, list) and all(
        isinstance(turn, dict)
        and turn.keys() == {"role", "content"}
        and isinstance(turn["content"], str)
        for turn in value
    ):
        return "turns"
    return "other"

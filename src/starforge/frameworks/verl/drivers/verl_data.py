"""Rows of a job's JSON Lines files as the parquet files that verl reads.

Reinforcement learning: ``prompt`` (messages), ``data_source``, ``reward_model.ground_truth``
and ``extra_info``, which carries the whole row as JSON to the reward function. Supervised:
``messages``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from job_files import JobError

from starforge.lang import t

SOURCE = "starforge"  # names the data in verl's validation metrics
CHUNK = 1000  # rows in memory at once
Row = dict[str, Any]


def convert(kind: str, source: Path, target: Path) -> int:
    """Write the rows of ``source`` to ``target`` and return how many there are.

    Raises :class:`JobError` for a row that is not of this kind, naming its line.
    """
    import pyarrow.parquet as pq

    make = supervised if kind == "instruction" else prompted
    target.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with pq.ParquetWriter(str(target), schema(kind)) as writer:
        for chunk in chunks(source, make):
            writer.write_table(_table(chunk, kind))
            count += len(chunk)
    if not count:
        raise JobError(t("{path} has no rows", "{path} 里没有任何数据行", path=source.name))
    return count


def _table(chunk: list[Row], kind: str) -> Any:
    import pyarrow

    return pyarrow.Table.from_pylist(chunk, schema=schema(kind))


def schema(kind: str) -> Any:
    """Return the columns' types, the same for every file, whatever its rows hold."""
    import pyarrow as pa

    messages = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
    if kind == "instruction":
        return pa.schema([("messages", messages)])
    return pa.schema([
        ("data_source", pa.string()),
        ("prompt", messages),
        ("ability", pa.string()),
        ("reward_model", pa.struct([("style", pa.string()), ("ground_truth", pa.string())])),
        ("extra_info", pa.struct([("index", pa.int64()), ("row", pa.string())])),
    ])  # fmt: skip


def chunks(source: Path, make: Callable[[Row, int], Row]) -> Iterator[list[Row]]:
    """Yield converted rows, some at a time; blank lines are skipped."""
    chunk: list[Row] = []
    index = 0
    try:
        with source.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.strip():
                    continue
                chunk.append(_made(line, number, index, source, make))
                index += 1
                if len(chunk) == CHUNK:
                    yield chunk
                    chunk = []
    except OSError as error:
        raise JobError(
            t("{path} can't be read: {error}", "无法读取 {path}：{error}", path=source, error=error)
        ) from error
    if chunk:
        yield chunk


def _made(
    line: bytes, number: int, index: int, source: Path, make: Callable[[Row, int], Row]
) -> Row:
    try:
        row = json.loads(line)
        return make(row, index)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise JobError(
            t(
                "{path}:{number}: not a row of this method: {error}",
                "{path}:{number}：不是该方法所需的数据行：{error}",
                path=source.name,
                number=number,
                error=repr(error),
            )
        ) from error


def supervised(row: Row, _index: int) -> Row:
    """Return a row of supervised fine-tuning: a conversation."""
    if "messages" in row:
        return {"messages": turns(row["messages"])}
    prompt, completion = row["prompt"], row["completion"]
    return {"messages": turns(prompt, "user") + turns(completion, "assistant")}


def prompted(row: Row, index: int) -> Row:
    """Return a row of reinforcement learning or distillation."""
    answer = row.get("answer", "")
    return {
        "data_source": SOURCE,
        "prompt": turns(row["prompt"], "user"),
        "ability": "",
        "reward_model": {
            "style": "rule",
            "ground_truth": answer if isinstance(answer, str) else json.dumps(answer),
        },
        "extra_info": {"index": index, "row": json.dumps(row, ensure_ascii=False)},
    }


def turns(value: Any, role: str = "user") -> list[dict[str, str]]:
    """Return a list of messages with text contents; a text is one message of ``role``."""
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    made = []
    for turn in value:
        content = turn["content"]
        if not isinstance(content, str):
            raise TypeError(f"content of a message is {type(content).__name__}, not text")
        made.append({"role": str(turn["role"]), "content": content})
    if not made:
        raise ValueError("no messages")
    return made

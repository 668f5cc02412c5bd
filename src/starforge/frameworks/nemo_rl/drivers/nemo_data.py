"""Rows of an experiment in the forms NeMo-RL's own dataset classes read.

Standard library only. One JSON line goes in, one comes out; the forms are those of
``ResponseDataset`` (``messages``) and ``PreferenceDataset`` (``context``, ``completions``).
Prompts keep their further columns as one JSON text, so that rows of different shapes make a
table with fixed columns; ``nemo_prompts`` takes it apart again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from job_files import JobError

from starforge.lang import t

Row = dict[str, Any]
Messages = list[dict[str, Any]]
COLUMNS = "starforge_columns"


def write(source: Path, target: Path, kind: str) -> int:
    """Convert a file of rows of ``kind``; return how many there were."""
    convert = CONVERTERS[kind]
    target.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with target.open("w", encoding="utf-8") as stream:
        for number, row in read(source):
            try:
                made = convert(row)
            except (KeyError, TypeError, ValueError) as error:
                raise _unusable(source, number, error) from error
            stream.write(json.dumps(made, ensure_ascii=False) + "\n")
            count += 1
    if not count:
        raise JobError(t("{path} has no rows", "{path} 里没有任何数据行", path=source))
    return count


def read(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield line numbers and rows; blank lines are skipped."""
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    row = json.loads(line)
                    if not isinstance(row, dict):
                        raise ValueError("not an object")
                    yield number, row
    except OSError as error:
        raise JobError(
            t("{path} can't be read: {error}", "无法读取 {path}：{error}", path=path, error=error)
        ) from error
    except ValueError as error:
        raise _unusable(path, number, error) from error


def instruction(row: Row) -> Row:
    """Return ``messages``; the tools of a row stay with it."""
    if "messages" in row:
        made: Row = {"messages": row["messages"]}
    else:
        made = {"messages": [*as_messages(row["prompt"]), *as_answer(row["completion"])]}
    if not made["messages"] or made["messages"][-1]["role"] != "assistant":
        raise ValueError("the last message is not the assistant's")
    return made | ({"tools": row["tools"]} if row.get("tools") else {})


def preference(row: Row) -> Row:
    """Return the shared context and both answers, the better one with the lower rank."""
    if "prompt" in row:
        context = as_messages(row["prompt"])
        chosen, rejected = as_answer(row["chosen"]), as_answer(row["rejected"])
    else:
        context, chosen, rejected = split_pair(row["chosen"], row["rejected"])
    return {
        "context": context,
        "completions": [
            {"rank": 0, "completion": chosen},
            {"rank": 1, "completion": rejected},
        ],
    }


def split_pair(chosen: Messages, rejected: Messages) -> tuple[Messages, Messages, Messages]:
    """Split two conversations into what they share and how each goes on."""
    shared = 0
    while shared < min(len(chosen), len(rejected)) and chosen[shared] == rejected[shared]:
        shared += 1
    if shared == len(chosen) or shared == len(rejected):
        raise ValueError("one conversation is the beginning of the other")
    context, rest = chosen[:shared], (chosen[shared:], rejected[shared:])
    if not context or any(turn[0]["role"] != "assistant" for turn in rest):
        raise ValueError("the conversations part before an assistant's turn")
    return context, rest[0], rest[1]


def prompts(row: Row) -> Row:
    """Return the prompt as messages, and the whole row as text for rewards and teachers."""
    made = as_messages(row["prompt"])
    if not made or made[-1]["role"] != "user":
        raise ValueError("the prompt does not end with a user's turn")
    return {"messages": made, COLUMNS: json.dumps(row, ensure_ascii=False)}


def as_messages(prompt: Any) -> Messages:
    """Return a prompt as messages: a text is one user's turn."""
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)


def as_answer(completion: Any) -> Messages:
    """Return a completion as messages: a text is one assistant's turn."""
    if isinstance(completion, str):
        return [{"role": "assistant", "content": completion}]
    return list(completion)


CONVERTERS: dict[str, Callable[[Row], Row]] = {
    "instruction": instruction,
    "preference": preference,
    "verifiable": prompts,
    "prompts": prompts,
}


def _unusable(path: Path, number: int, error: Exception) -> JobError:
    reason = f"no column {error}" if isinstance(error, KeyError) else str(error)
    return JobError(
        t("{path}:{number}: this row can't be used: {reason}",
          "{path}:{number}：这一行无法使用：{reason}", path=path, number=number, reason=reason)
    )  # fmt: skip

"""What ``sf reward`` gives a reward file: real rows with answers, and how long it may take."""

from __future__ import annotations

from itertools import cycle, islice
from pathlib import Path
from typing import Any

import msgspec

from starforge.checks.reward import OTHERS, answers_of, usable_rows
from starforge.checks.reward_signature import Signature
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

UNLIMITED = 86400.0  # seconds that stand for no limit
LOADING = 60.0  # seconds for the import, which the limit of calls does not count
SEARCHED = 100_000  # rows in which the prompts of given completions are looked for

Pair = tuple[dict[str, Any], str]


def batch_of(pairs: list[Pair]) -> dict[str, Any]:
    """Return the arguments of one call for rows and the completions to score."""
    names = sorted({name for row, _ in pairs for name in row} - {"prompt"})
    return {
        "prompts": [row["prompt"] for row, _ in pairs],
        "completions": [completion for _, completion in pairs],
        "columns": {name: [row.get(name) for row, _ in pairs] for name in names},
    }


def own_pairs(context: PrepareContext, signature: Signature | None, count: int) -> list[Pair]:
    """Return ``count`` pairs: of each row a right answer (in a usual form), and a wrong one."""
    rows = usable_rows(context, signature, count)
    if not rows:
        raise _no_rows(context)
    pairs: list[Pair] = []
    for number, row in enumerate(cycle(rows)):
        answers = answers_of(row)
        right = answers[: len(answers) - len(OTHERS) - 2]
        wrong = answers[len(right) :]
        chosen = [one[number % len(one)] for one in (right, wrong) if one]
        pairs += [(row, answer) for answer in chosen]
        if len(pairs) >= count:
            return pairs[:count]
    raise AssertionError  # rows are repeated without end


def given_pairs(
    context: PrepareContext, signature: Signature | None, file: Path, count: int
) -> list[Pair]:
    """Return the completions of a file with their rows.

    A line is ``{"completion"}``; it belongs to the row with its ``prompt``, without one to the
    row of its own number. Raises :class:`StarForgeError` for what fits no row.
    """
    lines = _read(file, count)
    with_prompts = any("prompt" in line for line in lines)
    rows = usable_rows(context, signature, SEARCHED if with_prompts else len(lines))
    if not rows:
        raise _no_rows(context)
    by_prompt = {_key(row["prompt"]): row for row in reversed(rows)}
    pairs = []
    for number, line in enumerate(lines, start=1):
        if "prompt" in line:
            row = by_prompt.get(_key(line["prompt"]))
        else:
            row = rows[number - 1] if number <= len(rows) else None
        if row is None:
            raise _bad_line(file, number, Text("no row of the data has this prompt",
                                               "数据中没有带这个提示的行")
                            if "prompt" in line else
                            Text(f"the data have {len(rows)} rows only",
                                 f"数据只有 {len(rows)} 行"))  # fmt: skip
        pairs.append((row, str(line["completion"])))
    return pairs


def _read(file: Path, count: int) -> list[dict[str, Any]]:
    try:
        raw = [line for line in file.read_bytes().splitlines() if line.strip()]
    except OSError as error:
        raise StarForgeError(
            "reward/completions",
            Text(f"{file} can't be read: {error.strerror}", f"无法读取 {file}：{error.strerror}"),
        ) from error
    lines = []
    for number, line in enumerate(islice(raw, count), start=1):
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _bad_line(file, number, Text(f"it is no JSON: {error}",
                                               f"不是 JSON：{error}")) from error  # fmt: skip
        if not isinstance(value, dict) or not isinstance(value.get("completion"), str):
            raise _bad_line(file, number, Text("it has no text `completion`",
                                               "缺少文本 `completion`"))  # fmt: skip
        lines.append(value)
    if not lines:
        raise _bad_line(file, 1, Text("the file is empty", "文件是空的"))
    return lines


def _key(prompt: Any) -> str:
    """Return what tells prompts apart: messages and text that say the same are the same."""
    if isinstance(prompt, list):
        return "\n".join(str(m.get("content")) for m in prompt if isinstance(m, dict)).strip()
    return str(prompt).strip()


def _bad_line(file: Path, number: int, problem: Text) -> StarForgeError:
    return StarForgeError(
        "reward/completions",
        Text(f"{file}, line {number}: {problem.en}", f"{file} 第 {number} 行：{problem.zh}"),
        Text('a line is {"completion": "...", "prompt": "..."}; the prompt, where given, is that '
             "of a row of the training data",
             '每行形如 {"completion": "...", "prompt": "..."}；'
             "如果给出 prompt，应与训练数据中某一行的相同"),
    )  # fmt: skip


def _no_rows(context: PrepareContext) -> StarForgeError:
    shown = context.data["train"].shown if "train" in context.data else "data.train"
    return StarForgeError(
        "reward/no-rows",
        Text(f"{shown} has no row with a prompt and the columns that the reward needs",
             f"{shown} 中没有同时带提示和奖励所需列的行"),
        Text("see `sf validate`; data that lie on a server only can't be tried here",
             "请看 `sf validate`；只存在服务上的数据无法在此试用"),
    )  # fmt: skip

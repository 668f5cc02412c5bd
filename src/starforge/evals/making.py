"""A new benchmark pack out of rows of one's own."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.rewards.answers import final_answer
from starforge.rewards.numeric import last_number

Kind = Literal["exact", "numeric", "choice", "math"]
KINDS: tuple[Kind, ...] = ("exact", "numeric", "choice", "math")
Row = dict[str, Any]

# What columns are usually called; the first that a file has is taken.
QUESTION = ("question", "prompt", "problem", "input", "instruction", "题目", "问题")
ANSWER = ("answer", "target", "solution", "output", "label", "答案")
CHOICES = ("choices", "options", "选项")
LETTERS = "ABCDEFGHIJ"
MOST_BYTES = 256 << 20
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_TELL: dict[str, Text] = {
    "exact": Text("Give the answer alone.", "请直接写出答案。"),
    "numeric": Text("Think step by step, and end with the answer as a number.",
                    "请逐步思考，最后写出答案（一个数）。"),
    "math": Text("Think step by step, and put the final answer in \\boxed{}.",
                 "请逐步思考，并把最终答案写在 \\boxed{} 中。"),
}  # fmt: skip
_METRICS = {"exact": "exact", "numeric": "numeric", "math": "math_equal"}


class Problem(NamedTuple):
    """What is wrong with a row; rows count from 1."""

    row: int
    text: Text


class Columns(NamedTuple):
    """Which column holds what; ``None``: the usual names are looked for."""

    question: str | None = None
    answer: str | None = None
    choices: str | None = None


class Made(NamedTuple):
    """The items and what is wrong with the rows; the kind that was given or found."""

    kind: Kind
    rows: list[Row]
    problems: list[Problem]


def read_items(file: Path, kind: Kind | None = None, columns: Columns = Columns()) -> Made:  # noqa: B008 - immutable
    """Return the items of a file of JSON lines as ``question``, ``answer`` and ``choices``.

    Other columns stay as they are. Without ``kind`` it is ``choice`` where rows have choices,
    ``numeric`` where every answer is a number, else ``exact``.
    """
    raw, problems = _read(file)
    if kind is None:
        kind = _kind_of([row for _, row in raw], columns)
    rows = []
    for number, row in raw:
        made = _item(row, kind, columns)
        if isinstance(made, Text):
            problems.append(Problem(number, made))
        else:
            rows.append(made)
    if not raw and not problems:
        raise _refuse(file, Text("there is no row in it", "文件里没有数据"))
    return Made(kind, rows, sorted(problems, key=lambda one: one.row))


def _read(file: Path) -> tuple[list[tuple[int, Row]], list[Problem]]:
    rows, problems = [], []
    try:
        if file.stat().st_size > MOST_BYTES:
            raise _refuse(file, Text("it is larger than 256 MiB", "文件超过 256 MiB"))
        lines = file.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise _refuse(file, Text(str(error.strerror), str(error.strerror))) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            problems.append(Problem(number, Text("it is not JSON", "不是合法的 JSON")))
            continue
        if not isinstance(row, dict):
            problems.append(Problem(number, Text("it is not an object", "不是 JSON 对象")))
        elif not _writable(row):
            problems.append(Problem(number, Text(
                "it holds NaN, an infinite number or half a character",
                "含有 NaN、无穷大或不完整的字符")))  # fmt: skip
        else:
            rows.append((number, row))
    return rows, problems


def _writable(row: Row) -> bool:
    """Say whether every reader of JSON will read the row again."""
    try:
        json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(file: Path, problem: Text) -> StarForgeError:
    return StarForgeError(
        "eval/no-items",
        Text(f"{file}: {problem.en}", f"{file}：{problem.zh}"),
        Text("items are JSON lines with a question and an answer",
             "题目应为 JSON Lines，每行含题目和答案"),
    )  # fmt: skip


def _kind_of(rows: Sequence[Row], columns: Columns) -> Kind:
    if any(_choices(row, columns) or _value(row, columns.choices, CHOICES) for row in rows):
        return "choice"
    answers = [_value(row, columns.answer, ANSWER) for row in rows]
    plain = [str(one).strip() for one in answers if one is not None]
    if plain and all(re.fullmatch(r"[-+]?[$]?[\d,.]*\d%?", one) for one in plain):
        return "numeric"
    return "exact"


def _value(row: Row, column: str | None, usual: Sequence[str]) -> Any:
    names = [column] if column is not None else [name for name in usual if name in row]
    return row.get(names[0]) if names else None


def _choices(row: Row, columns: Columns) -> list[str]:
    """Return the options: a list, or columns named A, B, C, ..."""
    found = _value(row, columns.choices, CHOICES)
    if found is None and columns.choices is None:
        named = [letter for letter in LETTERS if row.get(letter) not in (None, "")]
        if len(named) > 1 and named == list(LETTERS[: len(named)]):
            found = [row[letter] for letter in named]
    if not isinstance(found, list):
        return []
    return ["" if isinstance(one, dict | list | None) else str(one).strip() for one in found]


def _item(row: Row, kind: Kind, columns: Columns) -> Row | Text:
    """Return an item, or what is wrong with it."""
    question = _value(row, columns.question, QUESTION)
    answer = _value(row, columns.answer, ANSWER)
    if not isinstance(question, str) or not question.strip():
        name = columns.question or QUESTION[0]
        return Text(f"`{name}` is missing, empty or no text", f"`{name}` 缺失、为空或不是文本")
    if isinstance(answer, dict | list | bool) or answer is None or not str(answer).strip():
        name = columns.answer or ANSWER[0]
        return Text(f"`{name}` is missing, empty or no text or number",
                    f"`{name}` 缺失、为空，或既非文本也非数字")  # fmt: skip
    item = {**row, "question": question.strip()}
    if kind == "choice":
        return _choice_item(item, answer, _choices(row, columns))
    if kind == "numeric" and last_number(final_answer(str(answer))) is None:
        return Text(f"the answer {answer!r} holds no number", f"答案 {answer!r} 里没有数")
    # What is compared is the final answer; a worked solution before it is not shown to anyone.
    wanted = str(answer).strip() if kind == "exact" else final_answer(str(answer))
    return item | {"answer": wanted}


def _choice_item(item: Row, answer: Any, choices: list[str]) -> Row | Text:
    if len(choices) < 2 or any(not one for one in choices):
        return Text("fewer than two choices in a list, or an empty one",
                    "选项不是至少两项的列表，或有空选项")  # fmt: skip
    if len(set(choices)) < len(choices):
        return Text("two choices are equal", "有两个选项相同")
    text = str(answer).strip()
    letter = LETTERS.find(text.strip("().").upper()) if len(text.strip("().")) == 1 else -1
    if isinstance(answer, int):
        index = answer
    elif text in choices:
        index = choices.index(text)
    elif letter >= 0:
        index = letter
    else:
        index = int(text) if text.isdigit() else -1
    if not 0 <= index < len(choices):
        return Text(f"the answer {answer!r} is none of the {len(choices)} choices",
                    f"答案 {answer!r} 不在 {len(choices)} 个选项之中")  # fmt: skip
    return item | {"choices": choices, "answer": index}


def pack_of(name: str, made: Made, source: str) -> dict[str, Any]:
    """Return what ``pack.yaml`` says of the items; ``source`` says where they come from."""
    chinese = sum(1 for row in made.rows if _CHINESE.search(row["question"])) * 2 > len(made.rows)
    choice = made.kind == "choice"
    return {
        "name": name,
        "version": "1",
        "title": {"en": name, "zh": name},
        "description": {"en": f"{len(made.rows)} items of our own ({made.kind}).",
                        "zh": f"自有题目 {len(made.rows)} 道（{made.kind}）。"},
        "licence": "unstated",
        "provenance": {"en": f"Made from {source}.", "zh": f"由 {source} 生成。"},
        "languages": ["zh" if chinese else "en"],
        "items": len(made.rows),
        "primary": {"metric": "acc"} if choice else {"metric": _METRICS[made.kind]},
        "columns": ["question", *(["choices"] if choice else []), "answer"],
        "data": {"test": "test.jsonl"},
        "task": _choice_task(chinese) if choice else _answer_task(made.kind, chinese),
        **({"evalscope": {"question": "{{question}}"}} if choice else {}),
    }  # fmt: skip


def _choice_task(chinese: bool) -> dict[str, Any]:
    metrics = [{"metric": name, "aggregation": "mean", "higher_is_better": True}
               for name in ("acc", "acc_norm")]  # fmt: skip
    return {
        "output_type": "multiple_choice",
        "doc_to_text": "问题：{{question}}\n答案："
        if chinese
        else "Question: {{question}}\nAnswer:",
        "doc_to_choice": "{{choices}}",
        "doc_to_target": "{{answer}}",
        "metric_list": metrics,
    }


def _answer_task(kind: Kind, chinese: bool) -> dict[str, Any]:
    tell = _TELL[kind]
    text = (
        f"问题：{{{{question}}}}\n{tell.zh}\n答案："
        if chinese
        else f"Question: {{{{question}}}}\n{tell.en}\nAnswer:"
    )
    return {
        "output_type": "generate_until",
        "doc_to_text": text,
        "doc_to_target": "{{answer}}",
        "generation_kwargs": {
            "until": ["问题：" if chinese else "Question:"],
            "do_sample": False,
            "max_gen_toks": 64 if kind == "exact" else 512,
        },
        "metric_list": [
            {"metric": _METRICS[kind], "aggregation": "mean", "higher_is_better": True}
        ],
    }

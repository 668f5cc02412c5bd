"""The columns that rows are recognised by, under the names that data sets give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from starforge.errors import StarForgeError
from starforge.findings import nearest
from starforge.i18n import Text

Row = dict[str, Any]

# Canonical column -> other names for it, the likelier first.
NAMES: dict[str, tuple[str, ...]] = {
    "messages": ("conversations", "conversation", "dialog", "dialogue", "turns", "chat"),
    "prompt": ("question", "instruction", "query", "problem", "input", "request", "user"),
    "completion": ("response", "output", "reply", "assistant", "answer", "target"),
    "chosen": ("preferred", "better", "winner", "accepted", "positive", "chosen_response"),
    "rejected": ("dispreferred", "worse", "loser", "negative", "rejected_response"),
    "label": ("thumbs_up", "is_good", "good", "liked", "desirable", "feedback", "is_correct"),
    "answer": (
        "ground_truth", "final_answer", "expected_answer", "reference_answer", "gold",
        "gold_answer", "expected", "numeric_answer", "target",
    ),
    "solution": ("worked_solution", "rationale", "explanation", "cot", "reasoning"),
    "tests": ("test_cases", "unit_tests", "test_list", "testcases"),
    "text": ("content", "document"),
}  # fmt: skip
PROCESS_REWARDS = ("step_rewards", "process_rewards", "step_labels", "process_labels")
PASS_RATES = ("pass_rate", "solve_rate", "success_rate", "passrate")


def rename(rows: list[Row], mapping: Mapping[str, str]) -> list[Row]:
    """Return rows with columns renamed; ``mapping`` is old name to new name.

    Raises :class:`StarForgeError` for an old name that no row has, and for a new name that
    is a column already.
    """
    columns = all_columns(rows)
    for old, new in mapping.items():
        if old not in columns:
            near = nearest(old, columns) or columns
            listed = ", ".join(f"`{name}`" for name in near[:8])
            raise StarForgeError(
                "choose/no-column",
                Text(f"no row has a column `{old}`", f"没有任何一行含有列 `{old}`"),
                Text(f"`--map {new}=OLD` takes one of {listed}",
                     f"`--map {new}=旧列名` 可用的列：{listed}"),
            )  # fmt: skip
        if new in columns and new not in mapping:
            raise StarForgeError(
                "choose/column-taken",
                Text(f"there is a column `{new}` already, so `{old}` can't take its name",
                     f"已有列 `{new}`，`{old}` 不能改成这个名字"),
                Text(f"rename that one too: `--map other={new}`",
                     f"请把它也改名：`--map other={new}`"),
            )  # fmt: skip
    return [{mapping.get(name, name): value for name, value in row.items()} for row in rows]


def all_columns(rows: Iterable[Row]) -> list[str]:
    """Return the columns of all rows in the order they first occur."""
    return list(dict.fromkeys(name for row in rows for name in row))


def find(columns: Iterable[str], wanted: str) -> str | None:
    """Return the column that plays the part ``wanted``, whatever it is called."""
    plain = {name.strip().lower().replace("-", "_").replace(" ", "_"): name for name in columns}
    return next((plain[name] for name in (wanted, *NAMES[wanted]) if name in plain), None)


def parse_map(pairs: Iterable[str]) -> dict[str, str]:
    """Read ``new=old`` texts of ``--map`` into old name to new name."""
    mapping: dict[str, str] = {}
    for pair in pairs:
        new, equals, old = (part.strip() for part in pair.partition("="))
        if not (new and equals and old):
            raise StarForgeError(
                "choose/map",
                Text(f"`--map {pair}` is not NEW=OLD", f"`--map {pair}` 不是 新列名=旧列名 的形式"),
                Text("as in `--map prompt=question`", "例如 `--map prompt=question`"),
            )
        if old in mapping or new in mapping.values():
            raise StarForgeError(
                "choose/map",
                Text(f"`--map {pair}`: each column can be named once",
                     f"`--map {pair}`：每一列只能写一次"),
            )  # fmt: skip
        mapping[old] = new
    return mapping

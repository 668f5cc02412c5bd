"""The order of roles in a conversation. Pure functions, remembered by the roles they met."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from starforge.checks import rules_data as rules
from starforge.findings import Rule
from starforge.i18n import Text

Problem = tuple[Rule, dict[str, Any]]

INSTRUCTIONS = frozenset({"system", "developer"})
ANSWERS = frozenset({"messages", "completion", "chosen", "rejected"})
# What may stand before a message of each role; "" is the beginning.
BEFORE = {
    "system": frozenset({""}),
    "developer": frozenset({"", "system"}),
    "user": frozenset({"", "system", "developer", "assistant"}),
    "assistant": frozenset({"user", "tool"}),
    "tool": frozenset({"assistant", "tool"}),
}
_REMEMBERED = 4096  # sequences of roles; real data have a few


@lru_cache(maxsize=_REMEMBERED)
def turn_problems(column: str, roles: tuple[str, ...], continued: bool) -> tuple[Problem, ...]:
    """Return what is wrong with the order of ``roles``, all of which are known roles.

    ``continued`` says that the messages go on where the column ``prompt`` ended.
    """
    if column in ANSWERS and roles[-1] != "assistant":
        return ((rules.LAST_TURN, {"column": column, "role": roles[-1]}),)
    if column == "prompt" and roles[-1] == "assistant":
        return ((rules.PROMPT_TURN, {"column": column}),)
    late = next((i for i, role in enumerate(roles) if i and _late(roles, i)), None)
    if late is not None:
        return ((rules.LATE_SYSTEM, {"column": column, "index": late + 1, "role": roles[late]}),)
    before = "user" if continued else ""
    for index, role in enumerate(roles, start=1):
        if before not in BEFORE[role]:
            problem = _out_of_turn(before, role)
            return ((rules.TURN_ORDER, {"column": column, "index": index, "problem": problem}),)
        before = role
    return ()


def _late(roles: tuple[str, ...], index: int) -> bool:
    return roles[index] in INSTRUCTIONS and roles[index - 1] not in INSTRUCTIONS


def _out_of_turn(before: str, role: str) -> Text:
    if not before:
        return Text(f"it is of `{role}`, at the very beginning", f"是开头，角色却是 `{role}`")
    return Text(f"`{role}` follows `{before}`", f"的角色 `{role}` 紧跟在 `{before}` 之后")

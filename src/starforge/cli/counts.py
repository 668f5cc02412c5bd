"""How the parts of a pipeline or sweep stand, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from starforge.cli.output import state_name
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.wire.pipelines import StageState
    from starforge.wire.sweeps import TrialState

# What runs first, what waits last; the console shows the same order.
_ORDER = ("running", "failed", "gate_failed", "pruned", "stopped", "skipped", "waiting")


def outcome(counts: Mapping[StageState, int] | Mapping[TrialState, int], planned: int = 0) -> str:
    """Return ``4 of 6 succeeded, 1 failed, 1 skipped``; a search plans more than there are."""
    found: dict[str, int] = {state: count for state, count in counts.items() if count}
    there = sum(found.values())
    total = max(there, planned)
    listed = [
        t("{n} of {all} succeeded", "共 {all} 个，{n} 个成功",
          n=found.get("succeeded", 0), all=total)
    ]  # fmt: skip
    for state in sorted(found.keys() - {"succeeded"}, key=_place):
        listed.append(t("{n} {state}", "{n} 个{state}", n=found[state], state=state_name(state)))
    if total > there:
        listed.append(t("{n} to be chosen", "{n} 个待选择", n=total - there))
    return t(", ", "，").join(listed)


def _place(state: str) -> tuple[int, str]:
    return (_ORDER.index(state) if state in _ORDER else len(_ORDER), state)

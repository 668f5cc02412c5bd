"""How long sequences of a smoke run may be, and how long rows are at most."""

from __future__ import annotations

from typing import Any

from starforge.smoke.shrink.sizes import Lengths

MOST = 1024  # tokens of a sequence
LEAST = 128
LOGITS = 1 << 27  # numbers of the last layer for one sequence: half a GiB in 32 bit
FRAME = 32  # tokens that a chat template puts around a turn, at most as a rule


def lengths_for(vocabulary: int | None, context: int | None, *, exact: bool) -> Lengths:
    """Return the limit for a model with ``vocabulary`` tokens and a ``context`` of its own.

    The scores of every token over a large vocabulary take most of the memory.
    """
    tokens = MOST if not vocabulary else max(LEAST, min(MOST, LOGITS // vocabulary))
    if context:
        tokens = min(tokens, context)
    return Lengths(tokens=tokens, exact=exact)


def most_tokens(value: Any) -> int:
    """Return how many tokens the texts inside ``value`` have at most: one a byte."""
    if isinstance(value, str):
        return len(value.encode("utf-8", "replace"))
    if isinstance(value, dict):
        turn = FRAME if "role" in value else 0
        return turn + sum(map(most_tokens, value.values()))
    if isinstance(value, list):
        return sum(map(most_tokens, value))
    return 0

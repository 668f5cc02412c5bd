"""Rewards of length, and the penalty for answers that run out of room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

Count = Callable[[str], int]


def length(
    completions: Sequence[str], *, at_least: int = 0, at_most: int, count: Count = len
) -> list[float]:
    """Return 1.0 from ``at_least`` to ``at_most``; outside, what falls off with the distance.

    Below, it is the share of ``at_least`` that is there; above, ``at_most`` divided by the
    length. ``count`` measures: characters by default, see :func:`tokens`.
    """
    if not 0 <= at_least <= at_most or at_most < 1:
        raise ValueError(f"at_least {at_least} and at_most {at_most} are no range of lengths")

    def score(size: int) -> float:
        if size < at_least:
            return size / at_least
        return 1.0 if size <= at_most else at_most / size

    return [score(count(text)) for text in completions]


def overlong(
    completions: Sequence[str], limit: int, buffer: int, *, count: Count = len
) -> list[float]:
    """Return DAPO's soft overlong punishment: from 0.0 down to -1.0.

    0 up to ``limit - buffer``, then falling in a straight line to -1 at ``limit``, and -1
    beyond (Yu et al. 2025, "DAPO", arXiv:2503.14476, equation 13). ``limit`` is where the
    framework cuts answers (`max_completion_tokens`), so give ``count=tokens(MODEL)``.
    """
    if not 0 < buffer <= limit:
        raise ValueError(f"the buffer has to be from 1 to the limit ({limit}), not {buffer}")

    def penalty(size: int) -> float:
        return max(-1.0, min(0.0, (limit - buffer - size) / buffer))

    return [penalty(count(text)) for text in completions]


@cache
def tokens(model: str) -> Count:
    """Return a function that counts the tokens of a text, for ``count=``.

    ``model`` is a folder or a hub id with a tokenizer; special tokens don't count.
    """
    tokenizer: list[Any] = []

    def count(text: str) -> int:
        if not tokenizer:
            from transformers import AutoTokenizer  # type: ignore[import-not-found]

            tokenizer.append(AutoTokenizer.from_pretrained(model))
        return len(tokenizer[0].encode(text, add_special_tokens=False))

    return count

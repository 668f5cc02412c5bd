"""Exact match of the final answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starforge.rewards.answers import final_answer


def exact(
    completions: Sequence[str], answer: Sequence[Any], *, ignore_case: bool = True
) -> list[float]:
    """Return 1.0 where the final answer is the right one, else 0.0.

    Runs of spaces count as one. A row's answer may be a list of answers that are all right.
    """

    def tidy(value: Any) -> str:
        text = " ".join(str(value).split())
        return text.casefold() if ignore_case else text

    def right(text: str, wanted: Any) -> bool:
        accepted = wanted if isinstance(wanted, list | tuple) else [wanted]
        return tidy(final_answer(text)) in {tidy(one) for one in accepted}

    pairs = zip(completions, answer, strict=True)
    return [float(right(text, wanted)) for text, wanted in pairs]

"""Equality of numbers, however they are written."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from starforge.rewards.answers import final_answer

_NUMBER = re.compile(
    r"(?P<sign>[-+−]?)\s*[$€£¥￥]?\s*"
    r"(?P<whole>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(?P<power>[eE][-+]?\d+)?"
    r"(?:\s*/\s*(?P<below>\d+(?:\.\d+)?))?(?P<percent>\s*%)?"
)
_LATEX = re.compile(r"\\[dt]?frac\{(-?[\d.]+)\}\{([\d.]+)\}")


def numeric(
    completions: Sequence[str],
    answer: Sequence[Any],
    *,
    relative: float = 1e-6,
    absolute: float = 1e-9,
) -> list[float]:
    """Return 1.0 where the last number of the final answer equals the row's, else 0.0.

    ``1,234``, ``$12``, ``3/4``, ``\\frac{3}{4}``, ``1e-3`` and ``50%`` (one half) are read.
    ``relative`` and ``absolute`` are the tolerances of :func:`math.isclose`. A row whose answer
    has no number is an error: its reward could never be 1.
    """

    def right(text: str, wanted: Any) -> bool:
        goal = last_number(final_answer(str(wanted)))
        if goal is None:
            raise ValueError(f"the row's answer {wanted!r} has no number in it")
        got = last_number(final_answer(text))
        return got is not None and math.isclose(got, goal, rel_tol=relative, abs_tol=absolute)

    pairs = zip(completions, answer, strict=True)
    return [float(right(text, wanted)) for text, wanted in pairs]


def last_number(text: str) -> float | None:
    """Return the last number in ``text``, ``None`` when there is none."""
    text = _LATEX.sub(r"\1/\2", text)
    last = None
    for last in _NUMBER.finditer(text):  # noqa: B007 - the last one is wanted
        pass
    if last is None:
        return None
    # In `5-3` the hyphen is no sign.
    before = text[: last.start()].rstrip()
    minus = last["sign"] in ("-", "−") and not (before and (before[-1].isdigit()))
    value = float(last["whole"].replace(",", "") + (last["power"] or ""))
    if last["below"] is not None:
        below = float(last["below"])
        if below == 0:
            return None
        value /= below
    if last["percent"]:
        value /= 100
    return -value if minus else value

"""Find the final answer in what a model wrote."""

from __future__ import annotations

import re

_TAGGED = re.compile(r"<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)
_MARKED = re.compile(r"####\s*([^\n]+)")
_SAID = re.compile(
    r"(?:answer\s*(?:is|:)|答案\s*(?:是|为|：|:))\s*[:：]?\s*([^\n]+)", re.IGNORECASE
)
_BOXED = "\\boxed{"


def final_answer(text: str) -> str:
    """Return the last answer that ``text`` marks as such, else all of it, without outer spaces.

    Looked for, in this order: ``<answer>...</answer>``, ``\\boxed{...}``, ``#### ...``, and
    "the answer is ..." (答案是 ...).
    """
    tagged = _TAGGED.findall(text)
    if tagged:
        text = tagged[-1]
    inside = _last_boxed(text)
    if inside is not None:
        return inside.strip()
    if tagged:
        return text.strip()
    for pattern in (_MARKED, _SAID):
        found = pattern.findall(text)
        if found:
            return str(found[-1]).strip().rstrip(".。").strip()
    return text.strip()


def _last_boxed(text: str) -> str | None:
    """Return what stands between the braces of the last ``\\boxed{}``, nested ones included."""
    start = text.rfind(_BOXED)
    if start < 0:
        return None
    begin = start + len(_BOXED)
    depth = 1
    for place in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[begin:place]
    return None

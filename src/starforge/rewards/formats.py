"""Whether a completion has the form that was asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

THINKING = ("think", "answer")


def formats(
    completions: Sequence[str], tags: Sequence[str] = THINKING, *, opened: bool = False
) -> list[float]:
    """Return 1.0 where a completion is these tags in this order and nothing else, else 0.0.

    With the default: ``<think>...</think> <answer>...</answer>``, each once, with something
    inside. ``opened``: the prompt already ends in the first tag, so that the completion begins
    inside of it.
    """

    def right(text: str) -> bool:
        whole = f"<{tags[0]}>{text}" if opened else text
        body = r"\s*".join(rf"<{re.escape(tag)}>(.+?)</{re.escape(tag)}>" for tag in tags)
        found = re.fullmatch(rf"\s*{body}\s*", whole, re.DOTALL)
        if found is None or not all(part.strip() for part in found.groups()):
            return False
        marks = [mark for tag in tags for mark in (f"<{tag}>", f"</{tag}>")]
        return all(whole.count(mark) == 1 for mark in marks)

    return [float(right(text)) for text in completions]


def matches(completions: Sequence[str], pattern: str | re.Pattern[str]) -> list[float]:
    """Return 1.0 where the regular expression is found in a completion, else 0.0.

    ``.`` stands for line breaks too in a pattern that is given as text. Use ``^`` and ``$``
    (or ``\\A`` and ``\\Z``) when all of it has to match.
    """
    compiled = re.compile(pattern, re.DOTALL) if isinstance(pattern, str) else pattern
    return [float(compiled.search(text) is not None) for text in completions]

"""The upstream command as the plan wrote it, with what only the job knows put in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

TEACHER_KEYS = "distillation.teacher_models."
Model = tuple[str | None, str | None]  # how the plan names it, and where it lies


def prepare_words(words: Sequence[str], model: Model, teacher: Model, job: Path) -> list[str]:
    """Return the words with models in place and every path safe inside Hydra's quotes.

    The two models may have one name and lie apart. The plan writes paths in single quotes; a
    path that itself holds a quote has to be escaped there.
    """
    place = str(job)
    safe = inside_quotes(place)
    return [
        _word(word, teacher if word.startswith(TEACHER_KEYS) else model, place, safe)
        for word in words
    ]


def _word(word: str, model: Model, place: str, safe: str) -> str:
    if "=" not in word:
        return word
    if safe != place:
        word = word.replace(place, safe)
    name, path = model
    return word.replace(f"'{name}'", f"'{inside_quotes(path)}'") if name and path else word


def inside_quotes(text: str) -> str:
    r"""Write text for Hydra's single quotes: ``\`` before a quote, or at the end, twice."""
    escaped = re.sub(r"(\\*)'", lambda found: found[1] * 2 + "\\'", text)
    return re.sub(r"(\\+)$", lambda found: found[1] * 2, escaped)

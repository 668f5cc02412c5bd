"""The upstream command as the plan wrote it, with what only the job knows put in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path


def prepare_words(words: Sequence[str], models: Mapping[str, str], job: Path) -> list[str]:
    """Return the words with models in place and every path safe inside Hydra's quotes.

    ``models`` maps a model as the plan names it to where it lies. The plan writes paths in
    single quotes; a path that itself holds a quote has to be escaped there.
    """
    place = str(job)
    safe = inside_quotes(place)
    return [_word(word, models, place, safe) for word in words]


def _word(word: str, models: Mapping[str, str], place: str, safe: str) -> str:
    if "=" not in word:
        return word
    if safe != place:
        word = word.replace(place, safe)
    for name, path in models.items():
        word = word.replace(f"'{name}'", f"'{inside_quotes(path)}'")
    return word


def inside_quotes(text: str) -> str:
    r"""Write text for Hydra's single quotes: ``\`` before a quote, or at the end, twice."""
    escaped = re.sub(r"(\\*)'", lambda found: found[1] * 2 + "\\'", text)
    return re.sub(r"(\\+)$", lambda found: found[1] * 2, escaped)

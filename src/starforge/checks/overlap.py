"""Which items of a benchmark stand in training data.

An item counts as seen when a row asks it as a whole or on a line of its own, as
``contamination`` compares them, or when a row shares 13 words in a row with it, the measure of
"Language Models are Few-Shot Learners" (2020, appendix C). A Chinese character counts as a
word. Words in a row that several items share are the template's and say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from starforge.checks.contamination import asked

GRAM = 13  # words
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_SEVERAL = -1


class Overlap:
    """Looks for items in training rows; ``seen`` holds the numbers of those found."""

    def __init__(self, items: Sequence[Iterable[str]]) -> None:
        """Take the wordings of each item: texts which, asked alone, are the item."""
        self.seen: set[int] = set()
        self._whole: dict[str, set[int]] = {}
        self._grams: dict[int, int] = {}
        for number, texts in enumerate(items):
            grams: set[int] = set()
            for text in texts:
                plain = text.strip().lower()
                if plain:
                    self._whole.setdefault(plain, set()).add(number)
                    grams.update(_grams(plain))
            for gram in grams:
                self._grams[gram] = _SEVERAL if gram in self._grams else number
        self._longest = max(map(len, self._whole), default=0)

    def add(self, row: Any) -> None:
        """Look at one row, given as anything with ``get(column)``."""
        for text in asked(row):
            plain = text.strip().lower()
            lines = plain.split("\n") if "\n" in plain else []
            for part in (plain, *map(str.strip, lines)):
                if len(part) <= self._longest:
                    self.seen.update(self._whole.get(part, ()))
            for gram in _grams(plain) if self._grams else ():
                number = self._grams.get(gram, _SEVERAL)
                if number != _SEVERAL:
                    self.seen.add(number)


def _grams(text: str) -> Iterator[int]:
    words = _WORD.findall(text)
    for start in range(len(words) - GRAM + 1):
        yield hash(tuple(words[start : start + GRAM]))

"""Wrap text by the columns it takes: a Chinese character takes two and needs no space.

Standard library only: the help of every command is wrapped by it.
"""

from __future__ import annotations

import re
from unicodedata import east_asian_width

_CLOSING = frozenset("，。；：、！？）】》」』”’…")  # must not begin a line
_OPENING = frozenset("（【《「『“‘")  # must not end one
_PIECE = re.compile(r"`[^`]*`|.", re.DOTALL)


def cells(text: str) -> int:
    """Return how many columns a terminal gives to ``text``."""
    return sum(2 if _is_wide(letter) else 1 for letter in text)


def wrap(text: str, width: int) -> list[str]:
    """Break one paragraph into lines of at most ``width`` columns; an empty one has none.

    Lines break at spaces and around wide characters, but not in `code`; punctuation stays with
    what it closes or opens. What may not be broken and is longer than a line stays whole.
    """
    lines: list[str] = []
    line, taken = "", 0
    for word in _words(text):
        size = cells(word)
        if line and taken + cells(word.rstrip()) > width:
            lines.append(line.rstrip())
            line, taken = "", 0
            word = word.lstrip()  # noqa: PLW2901 - the space before it became the line break
            size = cells(word)
        line, taken = line + word, taken + size
    return [*lines, line.rstrip()] if line.strip() else lines


def _words(text: str) -> list[str]:
    """Split where a line may break: before spaces and around wide characters."""
    words: list[str] = []
    may_break = True
    for piece in _PIECE.findall(text.replace("\n", " ")):
        breaks = piece == " " or _is_wide(piece) or (bool(words) and _is_wide(words[-1][-1]))
        if not words or (breaks and may_break and piece not in _CLOSING):
            words.append(piece)
        else:
            words[-1] += piece
        may_break = piece not in _OPENING
    return words


def _is_wide(piece: str) -> bool:
    return len(piece) == 1 and east_asian_width(piece) in "WF"

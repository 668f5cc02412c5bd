"""Wrap text by the columns it takes: a Chinese character takes two and needs no space."""

from __future__ import annotations

from unicodedata import east_asian_width

_NEVER_FIRST = frozenset("，。、；：！？）》」』”’…,.;:!?)]}")


def cells(text: str) -> int:
    """Return how many columns a terminal gives to ``text``."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def wrap(text: str, width: int) -> list[str]:
    """Break one paragraph into lines of at most ``width`` columns.

    Lines break at spaces and around wide characters; closing punctuation stays with what
    it closes, even one column too far.
    """
    lines: list[str] = []
    line = ""
    for piece in _pieces(text):
        if line and cells(line) + cells(piece.rstrip()) > width and piece[0] not in _NEVER_FIRST:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()] if line.strip() else lines


def _pieces(text: str) -> list[str]:
    """Split into what must stay together: a wide character, or a word with its space."""
    pieces: list[str] = []
    word = ""
    for letter in text:
        if east_asian_width(letter) in "WF":
            pieces += [word, letter] if word else [letter]
            word = ""
        elif letter == " ":
            pieces.append(word + letter)
            word = ""
        else:
            word += letter
    return [*pieces, word] if word else pieces

"""Where a bracket or a double quote of a raw word ends, with all that is nested in it."""

from __future__ import annotations


def closing(raw: str, at: int, opening: str) -> int:
    """Return the place of the bracket that closes the one at ``at``."""
    end = {"(": ")", "{": "}"}[opening]
    depth = 0
    while at < len(raw):
        letter = raw[at]
        if letter == "\\":
            at += 1
        elif letter == "'":
            at = max(at, raw.find("'", at + 1))
        elif letter == opening:
            depth += 1
        elif letter == end:
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return len(raw)


def end_of_double(raw: str, at: int) -> int:
    """Return the place of the quote that closes the double quote at ``at``."""
    at += 1
    while at < len(raw) and raw[at] != '"':
        if raw[at] == "\\":
            at += 1
        elif raw[at] == "$" and raw[at + 1 : at + 2] in ("(", "{"):
            at = closing(raw, at + 1, raw[at + 1])
        at += 1
    return at

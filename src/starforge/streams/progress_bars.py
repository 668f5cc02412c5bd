"""Progress bars in logs: a bar that was drawn a hundred times over itself is one line.

tqdm and its like draw a bar again by a carriage return before it, so that all states of a bar
are one line of the file. A terminal shows the last one; so do we. Only states of bars are left
out, each for a later one with the same label: what else a line holds, stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

_MOVES = rb"\x1b\[[0-9;]*[A-HJKST]"  # where bars of several levels go up and down
_STATE = re.compile(
    rb"(?P<label>.*?)"
    rb"(?:\d{1,3}%\|[^|]*\|\s*[^\s\[|][^\[|]*"  # 40%|####    | 4/10
    rb"|\b\d[\d.,]*[A-Za-z/]{1,20} )"  # of unknown length: 12it
    rb"\[(?:\d+:)?\d\d:\d\d(?:(?!%\|)[^\r])*\]"
    rb"(?:\s|" + _MOVES + rb")*",
    re.DOTALL,
)
_LONGEST = 4096  # bytes of a state; what is longer is none, however it looks
_CODES = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_MOVE = re.compile(rb"(?:" + _MOVES + rb")+")


def fold(line: bytes) -> bytes:
    """Return a line without the states of bars that a later state of the same bar stands for.

    The rest is as it was, with its carriage returns, so a line may be folded piece by piece.
    """
    if b"\r" not in line:
        return line
    parts = line.split(b"\r")
    labels = [_label(part) for part in parts]
    last = {label: at for at, label in enumerate(labels) if label is not None}
    return b"\r".join(
        part
        for at, (part, label) in enumerate(zip(parts, labels, strict=True))
        if label is None or last[label] == at
    )


def readable(line: bytes) -> bytes:
    """Return a folded line with bars as one to read: nothing that moves the cursor in it.

    A line without a bar is returned as it is.
    """
    if b"\r" not in line:
        return line
    parts = line.split(b"\r")
    if not any(_match(part) for part in parts):
        return line
    texts = (_MOVE.sub(b" ", part).rstrip() for part in parts)
    return b" ".join(text for text in texts if text)


def latest(lines: Iterable[T], text: Callable[[T], str]) -> list[T]:
    """Return lines without the states of bars that were drawn again in one of the next lines.

    Bars of several levels end every state with a newline. Anything else between two lines (but
    empty ones) keeps both: what happened when can be seen.
    """
    kept: list[T] = []
    run: dict[bytes, T] = {}
    for line in lines:
        shown = text(line).encode("utf-8", "replace")
        label = _label(shown)
        if label is not None:
            run.pop(label, None)
            run[label] = line
        elif not run or _MOVE.sub(b"", shown).strip():
            kept += [*run.values(), line]
            run = {}
    return [*kept, *run.values()]


def _label(part: bytes) -> bytes | None:
    """Return what a bar says before its numbers; ``None`` for what is no state of a bar."""
    match = _match(part)
    if match is None or match.end() < len(part):
        return None
    return _CODES.sub(b"", match["label"]).strip()


def _match(part: bytes) -> re.Match[bytes] | None:
    """Find a state of a bar; what is written right after it is not part of the match."""
    return _STATE.match(part) if len(part) <= _LONGEST and b"[" in part else None

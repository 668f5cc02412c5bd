"""Log lines. Line numbers count from 0."""

from __future__ import annotations

from starforge.wire.base import Shape


class LogStream(Shape):
    """One log file of one attempt: ``logs/<role>-<rank>.log``."""

    attempt: int
    path: str
    role: str
    rank: int
    lines: int
    bytes: int


class LogLine(Shape):
    """A line with its number; ``partial`` marks a last line without its newline yet.

    ``cut`` counts the bytes of a very long line that were left out; ``/logs/raw`` has them.
    """

    line: int
    text: str
    partial: bool = False
    cut: int = 0


class LogPage(Shape):
    """A run of lines of ``stream``; go on with ``from_line=next_line``."""

    stream: LogStream | None
    streams: list[LogStream] = []
    lines: list[LogLine] = []
    next_line: int = 0
    total_lines: int = 0

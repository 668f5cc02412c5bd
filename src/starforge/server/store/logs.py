"""Read logs by line, from the end, by byte range, or by search.

The database knows how many newlines lie before each segment, so a line is found by opening
one segment. Bytes that are not UTF-8 are replaced when read, never when kept; of a line
longer than `MAX_LINE` only the beginning is given, however long it is. Of a progress bar that
was drawn over itself the last state is given (`streams.progress_bars`).
"""

from __future__ import annotations

import codecs
import re
import time
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.store.database import Tx
from starforge.server.store.records import StreamRow
from starforge.server.store.rows import struct
from starforge.server.store.segments import SEGMENT, StreamFiles
from starforge.server.store.tables import segments
from starforge.server.store.tables import streams as stream_table
from starforge.streams.progress_bars import fold, readable

MAX_PAGE = 16 * 1024 * 1024
"""Bytes of lines after which a page ends early (it has at least one line)."""
MAX_LINE = 64 * 1024
"""Bytes of a line that are shown; `Line.cut` says how many more there are."""
MAX_SEARCH = 1000

_decoder = codecs.getincrementaldecoder("utf-8")
_COLUMNS = [stream_table.c[name] for name in StreamRow.__struct_fields__]


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line without its newline; ``number`` counts from 0, ``offset`` is in bytes.

    ``partial`` marks a last line whose newline has not come yet. ``cut`` counts the bytes
    of the line that come after ``text``.
    """

    number: int
    offset: int
    text: str
    partial: bool = False
    cut: int = 0


class Lines(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of one stream, of ``total`` in it; go on with ``from_line=next_line``.

    ``next_line`` is the number of a partial line that was given: it is to be read again.
    """

    lines: list[Line]
    total: int
    next_line: int


class _Block(NamedTuple):
    """Whole lines; only the last block of a stream may end in a partial one.

    ``left_out``: the block is one line over several segments, and so many of its bytes
    after ``data`` were not kept.
    """

    number: int
    offset: int
    data: bytes
    newlines: int
    left_out: int = 0


class _Wanted(NamedTuple):
    """A text as a pattern; ``lowered`` gives the same matches on lower-case ASCII, and much
    faster than a pattern that ignores case.
    """

    pattern: re.Pattern[str]
    lowered: re.Pattern[str] | None


def streams(tx: Tx, job_id: str, attempt: int | None = None) -> list[StreamRow]:
    """Return the streams of a job (all formats), by attempt and path."""
    statement = select(*_COLUMNS).where(stream_table.c.job_id == job_id)
    if attempt is not None:
        statement = statement.where(stream_table.c.attempt == attempt)
    order = (stream_table.c.attempt, stream_table.c.path)
    return [struct(StreamRow, row) for row in tx.execute(statement.order_by(*order))]


def stream(tx: Tx, job_id: str, attempt: int, path: str) -> StreamRow | None:
    """Return one stream, if it exists."""
    mine = (stream_table.c.job_id == job_id, stream_table.c.attempt == attempt)
    row = tx.execute(select(*_COLUMNS).where(*mine, stream_table.c.path == path)).one_or_none()
    return None if row is None else struct(StreamRow, row)


def read(
    tx: Tx, files: StreamFiles, of: StreamRow, *, from_line: int = 0, count: int = 1000
) -> Lines:
    """Return up to ``count`` lines from ``from_line`` on."""
    found: list[Line] = []
    size = 0
    for block in _blocks(tx, files, of, max(from_line, 0)):
        start = 0
        while start < len(block.data) and len(found) < count and size < MAX_PAGE:
            end = block.data.find(b"\n", start)
            raw = block.data[start : end if end >= 0 else None]
            number = found[-1].number + 1 if found else block.number
            partial = number >= block.number + block.newlines
            line = _line(number, block.offset + start, raw, block.left_out, partial=partial)
            found.append(line)
            size += len(line.text)
            start += len(raw) + 1
        if len(found) >= count or size >= MAX_PAGE:
            break
    return _page(files, of, found, from_line)


def tail(tx: Tx, files: StreamFiles, of: StreamRow, count: int = 100) -> Lines:
    """Return the last ``count`` lines, fewer when they are huge."""
    total = total_lines(files, of)
    first = max(total - count, 0)
    far = of.offset - MAX_PAGE
    if far > 0 and _start(tx, files, of, first) < far:
        first = min(_newlines_before(tx, files, of, far) + 1, total - 1)
    return read(tx, files, of, from_line=first, count=count)


def search(
    tx: Tx,
    files: StreamFiles,
    of: StreamRow,
    text: str,
    *,
    ignore_case: bool = True,
    from_line: int = 0,
    limit: int = 100,
    seconds: float = 5.0,
) -> Lines:
    """Return up to ``limit`` lines that hold ``text`` literally, from ``from_line`` on.

    Stops after ``seconds`` too; ``next_line`` then says where to go on. Never a regular
    expression: Python's can take longer than the world lasts (docs/decisions/0010).

    Raises:
        StarForgeError: ``log/search``, the text is too long.
    """
    wanted = _compile(text, ignore_case=ignore_case)
    deadline = time.monotonic() + seconds
    found: list[Line] = []
    reached = from_line
    size = 0
    for block in _blocks(tx, files, of, max(from_line, 0)):
        for line in _matches(block, wanted):
            found.append(line)
            size += len(line.text)
            if len(found) >= limit or size >= MAX_PAGE:
                return _page(files, of, found, from_line)
        reached = block.number + block.newlines
        if time.monotonic() > deadline:
            break
    return Lines(lines=found, total=total_lines(files, of), next_line=reached)


def read_bytes(files: StreamFiles, of: StreamRow, start: int, end: int | None = None) -> bytes:
    """Return bytes as they came, cut to what the stream holds."""
    stop = of.offset if end is None else min(end, of.offset)
    return files.read(of.job_id, of.attempt, of.path, max(start, 0), stop)


def total_lines(files: StreamFiles, of: StreamRow) -> int:
    """Return the number of lines, a partial last one included."""
    if of.offset == 0:
        return 0
    return of.lines + (read_bytes(files, of, of.offset - 1) != b"\n")


def _page(files: StreamFiles, of: StreamRow, found: list[Line], from_line: int) -> Lines:
    following = from_line
    if found:
        following = found[-1].number + (not found[-1].partial)
    return Lines(lines=found, total=total_lines(files, of), next_line=following)


def _line(number: int, offset: int, raw: bytes, left_out: int = 0, *, partial: bool) -> Line:
    raw = readable(fold(raw.removesuffix(b"\r")))
    if not left_out and len(raw) <= MAX_LINE:
        text = raw.decode("utf-8", "replace")
        return Line(number=number, offset=offset, text=text, partial=partial)
    decoder = _decoder("replace")  # leaves out a character that was cut in half
    text = decoder.decode(raw[:MAX_LINE])
    cut = len(raw) + left_out - min(len(raw), MAX_LINE) + len(decoder.getstate()[0])
    return Line(number=number, offset=offset, text=text, partial=partial, cut=cut)


def _blocks(tx: Tx, files: StreamFiles, of: StreamRow, from_line: int) -> Iterator[_Block]:
    """Yield whole lines from ``from_line`` on, about a segment at a time.

    A line over several segments is a block of its own; no more of it is held than is shown.
    """
    start = _start(tx, files, of, from_line)
    number, at = from_line, start
    head, length, left_out, last = b"", 0, 0, b""  # of a line whose end has not been seen
    while at < of.offset:
        end = min((at // SEGMENT + 1) * SEGMENT, of.offset)
        data = read_bytes(files, of, at, end)
        at = end
        if length:
            stop = data.find(b"\n") + 1
            piece = data[:stop] if stop else data
            length, last = length + len(piece), (last + piece)[-2:]
            head, left_out = _longer(head, left_out, piece.removesuffix(b"\n"))
            if not stop:
                continue
            if left_out and last == b"\r\n":
                left_out -= 1
            yield _Block(number, start, head, 1, left_out)
            number, start, data = number + 1, start + length, data[stop:]
        cut = data.rfind(b"\n") + 1
        if cut:
            block = _Block(number, start, data[:cut], data.count(b"\n"))
            yield block
            number, start = number + block.newlines, start + cut
        length, last = len(data) - cut, data[cut:][-2:]
        head, left_out = _longer(b"", 0, data[cut:])
    if length:
        yield _Block(number, start, head, 0, left_out)


def _longer(head: bytes, left_out: int, piece: bytes) -> tuple[bytes, int]:
    """Add to a line; return what is kept of it, and how many bytes after that are not.

    Earlier states of progress bars are neither: they are as if they had never been there.
    """
    if left_out:
        return head, left_out + len(piece)
    line = fold(head + piece)
    return line[:MAX_LINE], max(0, len(line) - MAX_LINE)


def _start(tx: Tx, files: StreamFiles, of: StreamRow, line: int) -> int:
    """Return the offset where a line begins; the end of the stream when there is none."""
    if line <= 0:
        return 0
    if line > of.lines:
        return of.offset
    before = (segments.c.stream_id == of.id, segments.c.first_line < line)
    columns = (segments.c.number, segments.c.first_line)
    last = select(*columns).where(*before).order_by(segments.c.number.desc()).limit(1)
    number, first = tx.execute(last).one()
    base = number * SEGMENT
    data = np.frombuffer(read_bytes(files, of, base, base + SEGMENT), np.uint8)
    newlines = np.flatnonzero(data == ord("\n"))
    return int(base + newlines[line - first - 1] + 1)


def _newlines_before(tx: Tx, files: StreamFiles, of: StreamRow, offset: int) -> int:
    number = offset // SEGMENT
    mine = (segments.c.stream_id == of.id, segments.c.number == number)
    first = int(tx.execute(select(segments.c.first_line).where(*mine)).scalar_one())
    counted = read_bytes(files, of, number * SEGMENT, offset).count(b"\n")
    return first + counted


def _compile(text: str, *, ignore_case: bool) -> _Wanted:
    if len(text) > MAX_SEARCH:
        raise StarForgeError(
            "log/search",
            Text(
                "the text to search for is longer than {n} characters",
                "要查找的文字超过 {n} 个字符",
            ).format(n=MAX_SEARCH),
            Text("search for a part of it", "请只查找其中一部分"),
        )
    if not ignore_case:
        return _Wanted(re.compile(re.escape(text)), None)
    lowered = re.compile(re.escape(text.lower())) if text.isascii() else None
    return _Wanted(re.compile(re.escape(text), re.IGNORECASE), lowered)


def _matches(block: _Block, wanted: _Wanted) -> Iterator[Line]:
    """Yield the lines of a block that hold the text."""
    text = block.data.decode("utf-8", "replace")  # newlines stay what and where they are
    pattern, searched = wanted.pattern, text
    if wanted.lowered is not None and block.data.isascii():
        pattern, searched = wanted.lowered, text.lower()
    ends = None
    at = counted = number = 0
    while at < len(text) and (match := pattern.search(searched, at)):
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.start())
        end = len(text) if end < 0 else end
        number += text.count("\n", counted, start)
        counted = start
        if match.end() <= end:
            if ends is None:
                ends = np.flatnonzero(np.frombuffer(block.data, np.uint8) == ord("\n"))
            yield _found(block, ends, number)
        at = end + 1


def _found(block: _Block, ends: NDArray[np.intp], number: int) -> Line:
    """Return line ``number`` of a block whose newlines are at ``ends``."""
    start = int(ends[number - 1]) + 1 if number else 0
    raw = block.data[start : int(ends[number]) if number < len(ends) else None]
    partial = number >= block.newlines
    return _line(block.number + number, block.offset + start, raw, block.left_out, partial=partial)

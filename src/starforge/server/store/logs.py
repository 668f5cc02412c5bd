"""Read logs by line, from the end, by byte range, or by search.

The database knows how many newlines lie before each segment, so a line is found by opening
one segment. Bytes that are not UTF-8 are replaced when read, never when kept.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np
from sqlalchemy import select

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.store.database import Tx
from starforge.server.store.records import StreamRow
from starforge.server.store.rows import struct
from starforge.server.store.segments import SEGMENT, StreamFiles
from starforge.server.store.tables import segments
from starforge.server.store.tables import streams as stream_table

MAX_PAGE = 16 * 1024 * 1024
"""Bytes of lines after which a page ends early (it has at least one line)."""
MAX_PATTERN = 1000

_COLUMNS = [stream_table.c[name] for name in StreamRow.__struct_fields__]


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line without its newline; ``number`` counts from 0, ``offset`` is in bytes.

    ``partial`` marks a last line whose newline has not come yet.
    """

    number: int
    offset: int
    text: str
    partial: bool = False


class Lines(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of one stream, of ``total`` in it; go on with ``from_line=next_line``.

    ``next_line`` is the number of a partial line that was given: it is to be read again.
    """

    lines: list[Line]
    total: int
    next_line: int


class _Block(NamedTuple):
    """Whole lines; only the last block of a stream may end in a partial one."""

    number: int
    offset: int
    data: bytes
    newlines: int


class _Wanted(NamedTuple):
    """A pattern; ``lowered`` gives the same matches on lower-case ASCII, and much faster
    than a regular expression that ignores case.
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
            found.append(_line(number, block.offset + start, raw, partial=end < 0))
            size += len(raw)
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
    pattern: str,
    *,
    regex: bool = True,
    ignore_case: bool = True,
    from_line: int = 0,
    limit: int = 100,
    seconds: float = 5.0,
) -> Lines:
    """Return up to ``limit`` lines that match, from ``from_line`` on.

    Stops after ``seconds`` too; ``next_line`` then says where to go on.

    Raises:
        StarForgeError: ``log/pattern``, the pattern is not a regular expression.
    """
    wanted = _compile(pattern, regex=regex, ignore_case=ignore_case)
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


def _line(number: int, offset: int, raw: bytes, *, partial: bool) -> Line:
    text = raw.removesuffix(b"\r").decode("utf-8", "replace")
    return Line(number=number, offset=offset, text=text, partial=partial)


def _blocks(tx: Tx, files: StreamFiles, of: StreamRow, from_line: int) -> Iterator[_Block]:
    """Yield whole lines from ``from_line`` on, about a segment at a time."""
    start = _start(tx, files, of, from_line)
    number, at = from_line, start
    pieces: list[bytes] = []
    while at < of.offset:
        end = min((at // SEGMENT + 1) * SEGMENT, of.offset)
        data = read_bytes(files, of, at, end)
        at = end
        cut = data.rfind(b"\n") + 1
        if cut == 0:
            pieces.append(data)
            continue
        whole = b"".join([*pieces, data[:cut]])
        block = _Block(number, start, whole, whole.count(b"\n"))
        yield block
        number += block.newlines
        start += len(block.data)
        pieces = [data[cut:]] if cut < len(data) else []
    if pieces:
        yield _Block(number, start, b"".join(pieces), 0)


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


def _compile(pattern: str, *, regex: bool, ignore_case: bool) -> _Wanted:
    flags = re.MULTILINE | (re.IGNORECASE if ignore_case else 0)
    try:
        if len(pattern) > MAX_PATTERN:
            raise re.error(f"longer than {MAX_PATTERN} characters")
        source = pattern if regex else re.escape(pattern)
        if not (ignore_case and pattern.isascii()):
            return _Wanted(re.compile(source, flags), None)
        plain = source if regex else re.escape(pattern.lower())
        # A capital in a regular expression may be a class such as \S: left as it is.
        lowered = re.compile(plain, re.MULTILINE) if plain == plain.lower() else None
        return _Wanted(re.compile(source, flags), lowered)
    except (re.error, OverflowError, RecursionError) as error:
        raise StarForgeError(
            "log/pattern",
            Text(
                "`{pattern}` is not a regular expression: {why}",
                "`{pattern}` 不是有效的正则表达式：{why}",
            ).format(pattern=pattern[:200], why=error),
            Text(
                "put a backslash before . * + ? ( ) [ ] { } | ^ $ that are meant literally",
                "若要按字面匹配 . * + ? ( ) [ ] { } | ^ $，请在前面加反斜杠",
            ),
        ) from None


def _matches(block: _Block, wanted: _Wanted) -> Iterator[Line]:
    """Yield the lines of a block that match by themselves.

    The pattern runs over the whole block, which is fast; a match may begin in a line and
    end in another, so the line it begins in is tried alone.
    """
    text = block.data.decode("utf-8", "replace")  # newlines stay what and where they are
    pattern, searched = wanted.pattern, text
    if wanted.lowered is not None and block.data.isascii():
        pattern, searched = wanted.lowered, text.lower()
    newlines = None
    at = counted = number = 0
    while at < len(text) and (match := pattern.search(searched, at)):
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.start())
        end = len(text) if end < 0 else end
        if start >= len(text):
            return
        number += text.count("\n", counted, start)
        counted = start
        if pattern.search(searched[start:end].removesuffix("\r")):
            if newlines is None:
                newlines = np.flatnonzero(np.frombuffer(block.data, np.uint8) == ord("\n"))
            yield Line(
                number=block.number + number,
                offset=block.offset + (int(newlines[number - 1]) + 1 if number else 0),
                text=text[start:end].removesuffix("\r"),
                partial=number >= block.newlines,
            )
        at = end + 1

"""Logs with lines over many segments, binary, and no line at all."""

import pytest

from starforge.server.store import ingest, logs, segments
from starforge.server.store.ingest import StreamChunk

PATH = "logs/trainer-0.log"
LINES = [
    b"short", b"", b"x" * 9, b"x" * 10, b"x" * 11, b"y" * 100, "é".encode() * 40, b"\r" * 5,
    b"z" * 47 + b"\r", b"\0\xff\x1b[31m", b"q" * 16, b"",
]  # fmt: skip


@pytest.fixture
def small(monkeypatch):
    """Make segments of 16 bytes, and lines long at 10."""
    for module in (logs, segments, ingest):
        monkeypatch.setattr(module, "SEGMENT", 16)
    monkeypatch.setattr(logs, "MAX_LINE", 10)


@pytest.mark.parametrize("ended", [True, False])
def test_every_cutting_gives_the_lines(db, files, job_id, small, ended):
    for shift in range(16):
        lines = [b"s" * shift, *LINES, b"last one, partial"]
        check(db, files, job_id, f"logs/{shift}-0.log", (lines, ended))


def check(db, files, job_id, path, content):
    lines, ended = content
    put(db, files, job_id, b"\n".join(lines) + (b"\n" if ended else b""), path)
    with db.read() as tx:
        of = logs.stream(tx, job_id, 0, path)
        page = logs.read(tx, files, of)
        at = [logs.read(tx, files, of, from_line=n, count=1).lines[0] for n in range(len(lines))]
        found = logs.search(tx, files, of, "q" * 3).lines
    assert page.lines == at
    assert page.total == len(lines)
    where = 0
    for number, (line, raw) in enumerate(zip(page.lines, lines, strict=True)):
        assert (line.number, line.offset) == (number, where)
        assert line.partial == (not ended and number == len(lines) - 1)
        where += len(raw) + 1
        whole = raw.removesuffix(b"\r")
        if len(whole) > 10:
            assert whole.startswith(line.text.encode())
            assert len(line.text.encode()) + line.cut == len(whole)
            assert len(line.text.encode()) >= 9
        else:
            assert (line.text, line.cut) == (whole.decode("utf-8", "replace"), 0)
    assert [line.number for line in found] == [lines.index(b"q" * 16)]
    assert found == [page.lines[found[0].number]]


def test_a_line_without_end_is_never_held_whole(db, files, job_id):
    put(db, files, job_id, b"ab" * (6 << 20))  # three segments, no newline
    with db.read() as tx:
        of = logs.stream(tx, job_id, 0, PATH)
        assert [len(block.data) for block in logs._blocks(tx, files, of, 0)] == [logs.MAX_LINE]
        (line,) = logs.read(tx, files, of).lines
        assert (line.partial, len(line.text) + line.cut) == (True, 12 << 20)
        assert logs.tail(tx, files, of).lines == [line]
        assert logs.read_bytes(files, of, 0, of.offset) == b"ab" * (6 << 20)


def put(db, files, job_id, data, path=PATH):
    at = 0
    while at < len(data):
        part = data[at : at + (4 << 20)]
        chunk = StreamChunk(
            job_id=job_id, attempt=0, path=path, format="log", offset=at, data=part
        )  # fmt: skip
        at = ingest.accept(db, files, chunk)

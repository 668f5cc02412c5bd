import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests_store_support import make_job

from starforge.errors import StarForgeError
from starforge.server.store import attempts, ingest, jobs, logs
from starforge.server.store.database import Database
from starforge.server.store.ingest import StreamChunk
from starforge.server.store.segments import SEGMENT, StreamFiles

PATH = "logs/trainer-0.log"


def put(db, files, job, data, *, path=PATH, size=SEGMENT):
    at = 0
    while at < len(data):
        part = data[at : at + size]
        chunk = StreamChunk(job_id=job, attempt=0, path=path, format="log", offset=at, data=part)
        at = ingest.accept(db, files, chunk)


def texts(lines):
    return [line.text for line in lines.lines]


@pytest.fixture
def log(db, files, job_id):
    """Write a log; read it with the functions of `logs`."""

    def write(data, **how):
        put(db, files, job_id, data, **how)

        def ask(function, *args, **options):
            with db.read() as tx:
                return function(tx, files, logs.stream(tx, job_id, 0, PATH), *args, **options)

        return ask

    return write


def test_lines_are_read_in_pages(log):
    ask = log(b"".join(b"line %d\n" % number for number in range(100)))
    page = ask(logs.read, from_line=10, count=3)
    assert texts(page) == ["line 10", "line 11", "line 12"]
    assert [line.offset for line in page.lines] == [70, 78, 86]
    assert (page.total, page.next_line) == (100, 13)
    assert texts(ask(logs.read, from_line=98)) == ["line 98", "line 99"]
    beyond = ask(logs.read, from_line=500)
    assert (beyond.lines, beyond.next_line) == ([], 500)


def test_the_end_and_a_line_still_being_written(log):
    ask = log(b"one\r\ntwo\n\nthr")
    page = ask(logs.tail, 2)
    assert texts(page) == ["", "thr"]
    assert [line.partial for line in page.lines] == [False, True]
    assert (page.total, page.next_line) == (4, 3)
    assert texts(ask(logs.tail, 100)) == ["one", "two", "", "thr"]
    assert texts(ask(logs.tail, 0)) == []


def test_an_empty_log_has_no_lines(db, files, job_id, log):
    ask = log(b"\n")
    assert texts(ask(logs.read)) == [""]
    ingest.accept(
        db,
        files,
        StreamChunk(
            job_id=job_id, attempt=0, path="logs/b-0.log", format="log", offset=0, data=b""
        ),
    )
    with db.read() as tx:
        empty = logs.stream(tx, job_id, 0, "logs/b-0.log")
        assert logs.tail(tx, files, empty).lines == []
        assert logs.read(tx, files, empty).total == 0
        assert [row.path for row in logs.streams(tx, job_id)] == ["logs/b-0.log", PATH]
        assert logs.streams(tx, job_id, attempt=1) == []
        assert logs.stream(tx, job_id, 0, "none") is None


def test_binary_bytes_and_progress_bars_survive(db, files, log, job_id):
    data = b"\xff\xfe\x00bin\n10%\r20%\rdone\n\xe4\xb8\xad\xe6\n"
    ask = log(data, size=5)
    assert texts(ask(logs.read)) == ["\ufffd\ufffd\0bin", "10%\r20%\rdone", "中\ufffd"]
    with db.read() as tx:
        row = logs.stream(tx, job_id, 0, PATH)
    assert logs.read_bytes(files, row, 0) == data
    assert logs.read_bytes(files, row, 3, 1000) == data[3:]


def test_lines_of_ten_megabytes_survive(log):
    long = b"x" * 10_000_000
    ask = log(b"a\n" + long + b"\nb\n" + long + b"\nc\n")
    shown = [(len(line.text), line.cut) for line in ask(logs.read).lines]
    cut = (logs.MAX_LINE, 10_000_000 - logs.MAX_LINE)
    assert shown == [(1, 0), cut, (1, 0), cut, (1, 0)]
    assert [len(text) for text in texts(ask(logs.read, from_line=4))] == [1]
    assert [line.cut for line in ask(logs.tail, 3).lines] == [0, cut[1], 0]
    (found,) = ask(logs.search, "b").lines
    assert (found.number, found.offset) == (2, 10_000_003)
    assert [line.cut for line in ask(logs.search, "xx").lines] == [cut[1]] * 2


def drawn(step, total):
    return (
        f"\rTraining:  {100 * step // total}%|###  | {step}/{total} [00:01<00:02, 3.1it/s]".encode()
    )


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_bar_drawn_for_hours_is_its_last_state(log, db, files, job_id, end):
    """Over several segments, and on: nothing of it is cut, and the bytes are all kept."""
    total = 2 * SEGMENT // len(drawn(0, 9999)) + 500
    bar = b"(actor) " + b"".join(drawn(step, total) for step in range(1, total + 1)) + end
    data = b"before\n" + bar + (b"after\n" if end else b"")
    assert len(data) > 2 * SEGMENT
    ask = log(data)
    last = f"(actor) Training:  100%|###  | {total}/{total} [00:01<00:02, 3.1it/s]"
    expected = ["before", last, *(["after"] if end else [])]
    for page in (ask(logs.read), ask(logs.tail)):
        assert texts(page) == expected
        assert [line.cut for line in page.lines] == [0] * len(expected)
        assert page.lines[1].partial == (not end)
    with db.read() as tx:
        row = logs.stream(tx, job_id, 0, PATH)
    assert logs.read_bytes(files, row, 0) == data


def test_search_finds_lines_and_goes_on(log):
    rows = [f"step {number} loss {number % 7}" for number in range(1000)]
    ask = log("\n".join(rows).encode())
    wanted = [row for row in rows if row.endswith("loss 3")]
    first = ask(logs.search, "loss 3", limit=10)
    assert texts(first) == wanted[:10]
    rest = ask(logs.search, "LOSS 3", from_line=first.next_line, limit=1000)
    assert texts(rest) == wanted[10:]
    assert ask(logs.search, "LOSS 3", ignore_case=False).lines == []
    assert rest.next_line == 999
    (line,) = ask(logs.search, "step 500 ").lines
    assert (line.number, line.offset) == (500, len("\n".join(rows[:500])) + 1)


def test_search_is_literal_by_line_and_in_unicode(log):
    ask = log("甲 OK\nfoo\nbar ok\n结束 (ok)\n".encode())
    assert texts(ask(logs.search, "结束")) == ["结束 (ok)"]
    assert texts(ask(logs.search, "(ok)")) == ["结束 (ok)"]
    assert texts(ask(logs.search, "OK")) == ["甲 OK", "bar ok", "结束 (ok)"]
    for text in ("foo\nbar", "o*", "[a-z]", "^foo", "", "o\n"):
        found = texts(ask(logs.search, text))
        assert found == [line for line in ["甲 OK", "foo", "bar ok", "结束 (ok)"] if text in line]


@pytest.mark.parametrize("text", ["loss", "LOSS", "Loss"])
@pytest.mark.parametrize("rest", [b"", "甲\n".encode()])
def test_case_is_ignored_the_same_in_every_way(log, text, rest):
    ask = log(b"LOSS=1\nloss: 2\nother\n" + rest)
    assert texts(ask(logs.search, text)) == ["LOSS=1", "loss: 2"]
    exact = texts(ask(logs.search, text, ignore_case=False))
    assert exact == [line for line in ("LOSS=1", "loss: 2") if text in line]


def test_a_text_too_long_to_search_for_is_refused(log):
    ask = log(b"x\n")
    assert texts(ask(logs.search, "x" * 1000)) == []
    with pytest.raises(StarForgeError) as caught:
        ask(logs.search, "x" * 1001)
    assert caught.value.code == "log/search"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    home = tmp_path_factory.mktemp("logs")
    db = Database.open(home / "starforge.db")

    def fresh():
        with db.write() as tx:
            job = jobs.create(tx, make_job())[0].id
            attempts.create(tx, job, resume=False)
        return job

    yield db, StreamFiles(home / "streams"), fresh
    db.close()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    data=st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\xff", b"\xc3\xa9"])).map(
        b"".join
    ),
    size=st.integers(1, 50),
    from_line=st.integers(0, 12),
    count=st.integers(1, 12),
)
def test_lines_equal_a_plain_split(shared, data, size, from_line, count):
    db, files, fresh = shared
    job = fresh()
    put(db, files, job, data, size=size)
    lines = data.split(b"\n")
    wanted = [line.removesuffix(b"\r").decode("utf-8", "replace") for line in lines]
    if not lines[-1]:
        wanted.pop()
    with db.read() as tx:
        row = logs.stream(tx, job, 0, PATH)
        if row is None:
            return
        page = logs.read(tx, files, row, from_line=from_line, count=count)
        assert texts(page) == wanted[from_line : from_line + count]
        assert texts(logs.tail(tx, files, row, count)) == wanted[-count:]
        for text in ("b", "é", "bca"):
            found = texts(logs.search(tx, files, row, text, limit=99))
            assert found == [line for line in wanted if text in line]
        assert page.total == len(wanted)


def test_a_large_log_can_be_read_anywhere(db, files, job_id):
    """64 MB, many segments."""
    rng = random.Random(6)
    rows = [b"%d step loss %f grad %f" % (n, rng.random(), rng.random()) for n in range(10_000)]
    data = (b"\n".join(rows) + b"\n") * 150
    put(db, files, job_id, data)
    total = data.count(b"\n")

    def look(function, *args, **options):
        with db.read() as tx:
            row = logs.stream(tx, job_id, 0, PATH)
            return function(tx, files, row, *args, **options)

    page = look(logs.read, from_line=total // 2, count=100)
    assert page.lines[0].text.encode() == rows[(total // 2) % 10_000]
    page = look(logs.tail, 100)
    assert page.lines[-1].text.encode() == rows[-1]
    assert page.lines[-1].number == total - 1
    page = look(logs.search, "no such thing")
    assert page.lines == []
    assert page.next_line == total

"""Streams that are damaged, foreign or absurd: nothing else is lost, and it is said."""

import json
import math
import struct

import pytest

from starforge.server.store import curves, events, ingest, notes, scalars
from starforge.server.store.ingest import StreamChunk
from starforge.server.store.naming import MAX_NAME, tidy
from starforge.streams.crc32c import masked

REPORT, BOARD = "metrics/a.jsonl", "tensorboard/events.out.tfevents.1"


def rows(*pairs):
    """Make report lines of ``(step, values)``."""
    lines = (json.dumps({"t": 1e9 + n, "s": s, "v": v}) for n, (s, v) in enumerate(pairs))
    return "".join(line + "\n" for line in lines).encode()


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def record(tag, step, value):
    """Make a TFRecord with one scalar, as PyTorch's writer does."""
    scalar = field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)
    event = b"\x09" + struct.pack("<d", 1e9) + b"\x10" + varint(step) + field(5, field(1, scalar))
    length = struct.pack("<Q", len(event))
    crcs = struct.pack("<I", masked(length)), struct.pack("<I", masked(event))
    return length + crcs[0] + event + crcs[1]


@pytest.fixture
def send(db, files, job_id):
    """Send a stream in pieces as a runner does; what is left over waits for more."""

    def accept(data, path=REPORT, *, piece=1 << 20, final=True, **more):
        fmt = "tensorboard" if "tfevents" in path else "report"
        at = 0
        while at < len(data):
            part = data[at : at + piece]
            chunk = StreamChunk(
                job_id=job_id, attempt=0, path=path, format=fmt, offset=at, data=part,
                final=final and at + piece >= len(data), **more,
            )  # fmt: skip
            new = ingest.accept(db, files, chunk)
            if new == at:
                break
            at = new
        return at

    return accept


@pytest.fixture
def told(db, job_id):
    """Return the notes by kind, with how often, and the events about streams."""

    def look():
        with db.read() as tx:
            found = {one.kind: one.count for one in notes.of_job(tx, job_id)}
            said = [one for one in events.after(tx, job_id=job_id) if one.text is not None]
        return found, [one for one in said if one.kind in (notes.EVENT, notes.LIMIT_EVENT)]

    return look


@pytest.fixture
def curve(db, job_id):
    def read(name="loss"):
        with db.read() as tx:
            found = curves.read(tx, job_id)[name]
        return dict(zip(found.step.tolist(), found.value.tolist(), strict=True))

    return read


def test_a_bad_checksum_in_the_middle_costs_one_record(send, told, curve):
    parts = [record("loss", n, n / 2) for n in range(1, 21)]
    parts[7] = parts[7][:-1] + bytes([parts[7][-1] ^ 1])  # its own checksum
    parts[12] = b"\xff" * len(parts[12])  # its header
    data = b"".join(parts)
    assert send(data, BOARD, piece=333) == len(data)
    assert curve() == {n: n / 2 for n in range(1, 21) if n not in (8, 13)}
    found, said = told()
    assert set(found) == {"damaged"}
    assert [one.data["path"] for one in said] == [BOARD]
    assert "damaged" in said[0].text.en
    assert "损坏" in said[0].text.zh


def test_a_truncated_file_gives_what_is_whole(send, told, curve):
    data = b"".join(record("loss", n, n) for n in range(1, 6))
    assert send(data[:-3], BOARD) == len(data) - len(record("loss", 5, 5))
    assert curve() == {n: n for n in range(1, 5)}
    assert told() == ({}, [])


def test_a_text_file_of_that_name_is_foreign(send, told, db, job_id):
    data = b"this is not TensorBoard at all\n" * 1000
    assert send(data, BOARD) > len(data) - 12
    found, said = told()
    assert set(found) == {"damaged"}
    assert len(said) == 1
    with db.read() as tx:
        assert scalars.series(tx, job_id) == []


def test_binary_where_lines_are_expected(send, told, curve):
    data = rows((1, {"loss": 1.0})) + bytes(range(256)) * 50 + b"\n" + rows((2, {"loss": 2.0}))
    assert send(data) == len(data)
    assert curve() == {1: 1.0, 2: 2.0}
    assert told()[0].keys() == {"invalid"}


def test_an_empty_stream_is_nothing(send, told):
    assert send(b"") == 0
    assert told() == ({}, [])


def test_numbers_that_are_none(send, curve):
    send(rows(*((n, {"loss": v}) for n, v in enumerate([1.0, math.nan, math.inf, -math.inf]))))
    got = curve()
    assert got[0] == 1.0
    assert math.isnan(got[1])
    assert (got[2], got[3]) == (math.inf, -math.inf)
    send(record("board", 1, math.nan) + record("board", 2, math.inf), BOARD)
    got = curve("board")
    assert math.isnan(got[1])
    assert got[2] == math.inf


@pytest.mark.parametrize("steps", [[1, 2, 3, 2, 4], [1, 1, 2], [5, 4, 3]])
def test_steps_that_go_back_or_repeat_are_sorted_and_said(send, told, curve, steps):
    send(rows(*((step, {"loss": float(n)}) for n, step in enumerate(steps))))
    assert curve() == {s: float(max(n for n, t in enumerate(steps) if t == s)) for s in steps}
    assert list(curve()) == sorted(set(steps))
    found, said = told()
    assert set(found) == {"steps"}
    assert "loss" in said[0].text.en


def test_steps_that_only_rise_are_not_worth_a_word(send, told):
    send(rows(*((step, {"loss": 1.0, "acc": 2.0}) for step in range(1, 500))), piece=400)
    assert told() == ({}, [])


def test_a_value_said_twice_is_not_worth_a_word(send, told, curve):
    """As TRL says the epoch once more when it ends."""
    send(rows((1, {"epoch": 0.5, "loss": 2.0}), (2, {"epoch": 1.0, "loss": 1.0}),
              (2, {"epoch": 1.0, "runtime": 9.0})))  # fmt: skip
    assert curve("epoch") == {1: 0.5, 2: 1.0}
    assert told() == ({}, [])


def test_no_more_names_than_allowed_are_kept(db, job_id, send, told, curve):
    most = 100
    first = {f"m{n}": 1.0 for n in range(60)}
    flood = {f"n{n}": 1.0 for n in range(5000)}
    data = rows((1, first), (2, flood), (3, {**first, "late": 1.0}), (4, {"m0": 4.0}))
    assert send(data, piece=80_000, max_series=most) == len(data)
    assert send(rows((1, {"other": 1.0})), "metrics/b.jsonl", max_series=most) > 0
    with db.read() as tx:
        known = [one.name for one in scalars.series(tx, job_id)]
    assert len(known) == most
    assert {f"m{n}" for n in range(60)} <= set(known)
    assert curve("m0") == {1: 1.0, 3: 1.0, 4: 4.0}
    found, said = told()
    assert [one.kind for one in said] == [notes.LIMIT_EVENT]
    assert "STARFORGE_MAX_METRICS" in said[0].text.en
    assert "names" in found


def test_hundreds_of_thousands_of_names_do_not_hold_up_the_rest(db, job_id, send, told):
    names = (f"layer.{n}.weight.norm" for n in range(200_000))
    lines = []
    while batch := [name for _, name in zip(range(50_000), names, strict=False)]:
        lines.append(rows((len(lines), {**dict.fromkeys(batch, 1.0), "loss": 1.0})))
    data = b"".join(lines)
    assert send(data, piece=4 << 20, max_series=500) == len(data)
    with db.read() as tx:
        assert len(scalars.series(tx, job_id)) == 500
    assert len(told()[1]) == 1


ODD_NAMES = {
    "loss/训练 🚀": "loss/训练 🚀",
    "👨‍👩‍👧": "👨‍👩‍👧",
    "quote\"'`<b>&amp;": "quote\"'`<b>&amp;",
    "new\nline": r"new\nline",
    "tab\t": r"tab\t",
    "\x1b[31mred": r"\x1b[31mred",
    "evil\u202egnp": r"evil\u202egnp",
    "עברית": "עברית",
    " ": " ",
    "../../etc": "../../etc",
    "a" * 500: "a" * 500,
}


def test_any_name_is_kept_tidily(db, job_id, send, told, curve):
    send(rows((1, dict.fromkeys(ODD_NAMES, 1.5))))
    for kept in ODD_NAMES.values():
        assert curve(kept) == {1: 1.5}
    found, said = told()
    assert found.keys() == {"renamed"}
    assert len(said) == 1
    for upstream, kept in ODD_NAMES.items():
        assert tidy(upstream) == kept
        assert tidy(kept) == kept


def test_names_from_tensorboard_are_treated_alike(send, curve):
    send(record("a\nb", 1, 2.0) + record("x" * 9000, 1, 3.0), BOARD)
    assert curve(r"a\nb") == {1: 2.0}
    assert curve(tidy("x" * 9000)) == {1: 3.0}


def test_long_names_stay_apart():
    one, two = tidy("n" * 10_000 + "1"), tidy("n" * 10_000 + "2")
    assert one != two
    assert len(one) == len(two) == MAX_NAME
    assert len(tidy("\n" * 400)) <= MAX_NAME
    assert tidy("\n" * 400) != tidy("\n" * 401)


def test_an_empty_name_is_dropped_and_said(send, told, curve):
    send(rows((1, {"": 1.0, "loss": 2.0, "text": "x"})))
    assert curve() == {1: 2.0}
    assert told()[0].keys() == {"dropped"}


def test_each_kind_is_said_once_a_stream(send, told):
    bad = b"bad\n" + rows((1, {"": 1.0}))
    send(bad * 500, piece=2000)
    found, said = told()
    assert found.keys() == {"invalid", "dropped"}
    assert found["invalid"] == found["dropped"] == 500
    assert sorted(one.data["note"] for one in said) == ["dropped", "invalid"]


def test_a_line_of_ten_megabytes_is_skipped_and_said(send, told, curve):
    data = rows((1, {"loss": 1.0})) + b"x" * 10_000_000 + b"\n" + rows((2, {"loss": 2.0}))
    assert send(data, piece=4 << 20) == len(data)
    assert curve() == {1: 1.0, 2: 2.0}
    assert "too_long" in told()[0]

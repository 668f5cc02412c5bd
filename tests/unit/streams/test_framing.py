import json

import pytest
import tfevents
from hypothesis import given, settings
from hypothesis import strategies as st

from starforge.streams import decode_rows, decode_scalars, framing, tfrecord, whole


def feed(data, cuts, decode):
    """Decode as a server does: pieces arrive, what isn't consumed stays for the next."""
    start, taken = 0, []
    for end in [*sorted(min(cut, len(data)) for cut in cuts), len(data)]:
        got = decode(data[start:end], start)
        taken.append(got)
        start += got.consumed
    return taken, start


def joined(parts):
    series = {}
    for part in parts:
        for name, (steps, times, values) in part.series.items():
            into = series.setdefault(name, ([], [], []))
            into[0].extend(steps)
            into[1].extend(times)
            into[2].extend(map(repr, values))
    return series


cuts = st.lists(st.integers(0, 3000), max_size=12)
names = st.sampled_from(["loss", "奖励", "train/kl"])
points = st.lists(st.tuples(st.integers(-5, 1 << 40), names, st.floats(width=32)), max_size=12)
rubbish = st.lists(st.tuples(st.integers(0, 12), st.binary(max_size=60)), max_size=4)


def with_rubbish(records, rubbish):
    for position, noise in rubbish:
        records.insert(position, noise)
    return b"".join(records)


@given(points, rubbish, cuts)
@settings(deadline=None)
def test_any_split_of_tensorboard_gives_the_same(points, rubbish, cuts):
    records = [
        tfevents.record(tfevents.event(step, 1e9 + step, tfevents.scalar(name, value)))
        for step, name, value in points
    ]
    data = with_rubbish(records, rubbish)
    parts, end = feed(data, cuts, lambda piece, at: decode_scalars("tensorboard", piece, base=at))
    at_once = decode_scalars("tensorboard", data)
    assert joined(parts) == joined([at_once])
    assert end == at_once.consumed == whole("tensorboard", data)


@given(points, rubbish, cuts)
@settings(deadline=None)
def test_any_split_of_report_gives_the_same(points, rubbish, cuts):
    records = [
        json.dumps({"t": 1e9 + step, "s": step, "v": {name: value}}).encode() + b"\n"
        for step, name, value in points
    ]
    data = with_rubbish(records, rubbish)
    parts, end = feed(data, cuts, lambda piece, at: decode_scalars("report", piece, base=at))
    at_once = decode_scalars("report", data)
    assert joined(parts) == joined([at_once])
    assert end == at_once.consumed == whole("report", data)


@given(st.lists(st.text(max_size=30), max_size=10), cuts)
@settings(deadline=None)
def test_any_split_of_samples_gives_the_same_rows_at_the_same_bytes(texts, cuts):
    data = b"".join(
        json.dumps({"s": i, "prompt": text, "completion": text[::-1]}).encode() + b"\n"
        for i, text in enumerate(texts)
    )
    parts, end = feed(data, cuts, lambda piece, at: decode_rows("samples", piece, base=at))
    rows = [row for part in parts for row in part.rows]
    assert [row.data["prompt"] for row in rows] == texts
    assert end == len(data)
    for row in rows:
        line = json.loads(data[row.offset : row.offset + row.length])
        assert line["prompt"] == row.data["prompt"]


@given(st.binary(max_size=400), cuts)
def test_rubbish_never_raises_and_splits_alike(data, cuts):
    for fmt in ("tensorboard", "report"):
        parts, end = feed(
            data, cuts, lambda piece, at, fmt=fmt: decode_scalars(fmt, piece, base=at)
        )
        assert end == whole(fmt, data)
        assert joined(parts) == joined([decode_scalars(fmt, data)])


@given(st.lists(st.integers(0, 40), max_size=6), cuts)
def test_lines_over_the_limit_split_alike(lengths, cuts):
    monkey = pytest.MonkeyPatch()
    monkey.setattr(framing, "MAX_RECORD", 16)
    try:
        data = b"".join(b"[" + b"1" * length + b"]\n" for length in lengths)

        def decode(piece, at):
            return decode_rows("samples", piece, base=at)

        parts, end = feed(data, cuts, decode)
        assert end == decode(data, 0).consumed
        too_long = {n.offset for p in parts for n in p.notes if n.kind == "too_long"}
        assert bool(too_long) == any(length + 2 >= 16 for length in lengths)
    finally:
        monkey.undo()


def test_a_long_line_costs_only_itself(monkeypatch):
    monkeypatch.setattr(framing, "MAX_RECORD", 100)
    good = b'{"t": 1, "s": 1, "v": {"loss": 1}}\n'
    got = decode_scalars("report", good + b"x" * 250 + b"\n" + good)
    assert got.series["loss"].values == [1.0, 1.0]
    assert [(note.kind, note.offset, note.length) for note in got.notes] == [
        ("too_long", 35, 200),
        ("invalid", 235, 51),
    ]


def test_a_full_chunk_always_moves_on(monkeypatch):
    monkeypatch.setattr(framing, "MAX_RECORD", 100)
    monkeypatch.setattr(tfrecord, "_LONGEST", 100 - 16)
    assert whole("samples", b"x" * 100) == 100
    assert whole("tensorboard", tfevents.record(b"x" * 500)[:100]) > 0
    assert whole("tensorboard", tfevents.record(b"x" * 84)) == 100


def test_logs_are_whole_as_they_are():
    assert whole("log", b"half a li") == 9


def test_unknown_formats_are_refused():
    with pytest.raises(ValueError, match="no stream format"):
        whole("csv", b"")
    with pytest.raises(ValueError, match="scalars"):
        decode_scalars("samples", b"")
    with pytest.raises(ValueError, match="rows"):
        decode_rows("report", b"")

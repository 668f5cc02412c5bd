import json
import math
import os
import random
import signal
import threading
import time

import pytest
from tests_store_support import make_job

from starforge.errors import StarForgeError
from starforge.server.store import (
    attempts,
    curves,
    events,
    ingest,
    jobs,
    logs,
    notes,
    samples,
    scalars,
    scores,
)
from starforge.server.store.database import Database
from starforge.server.store.ingest import OffsetMismatch, StreamChunk
from starforge.server.store.segments import SEGMENT, StreamFiles, stream_name
from starforge.streams import MAX_RECORD


def reports(steps, name="loss"):
    rows = ({"t": 1e9 + step, "s": step, "v": {name: step / 2}} for step in steps)
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.fixture
def send(db, files, job_id):
    def accept(data, offset=0, *, path="metrics/report-0.jsonl", fmt="report", **more):
        chunk = StreamChunk(
            **{"job_id": job_id, "attempt": 0, "path": path, "format": fmt, "offset": offset},
            data=data,
            **more,
        )
        return ingest.accept(db, files, chunk)

    return accept


def curve(db, job, name="loss"):
    with db.read() as tx:
        return curves.read(tx, job)[name]


def test_a_chunk_moves_the_offset_to_its_last_whole_record(db, job_id, send):
    data = reports(range(10))
    cut = len(data) - 5
    offset = send(data[:cut])
    assert offset == data[:cut].rindex(b"\n") + 1
    assert send(data[offset:], offset) == len(data)
    assert curve(db, job_id).step.tolist() == list(range(10))
    with db.read() as tx:
        assert ingest.offsets(tx, job_id, 0) == {"metrics/report-0.jsonl": len(data)}
        assert ingest.offsets(tx, job_id, 1) == {}


@pytest.mark.parametrize("offset", [0, 5, 10_000])
def test_another_offset_is_answered_and_takes_nothing(db, job_id, send, offset):
    data = reports(range(3))
    send(data)
    with pytest.raises(OffsetMismatch) as caught:
        send(data, offset)
    assert caught.value.expected == len(data)
    assert len(curve(db, job_id).step) == 3


def test_a_first_chunk_must_begin_at_zero(send):
    with pytest.raises(OffsetMismatch) as caught:
        send(b"x", 7)
    assert caught.value.expected == 0


def test_a_last_record_without_newline_is_taken_at_the_end(db, job_id, send):
    data = reports(range(3))[:-1]
    offset = send(data)
    assert offset < len(data)
    assert send(data[offset:], offset, final=True) == len(data)
    assert len(curve(db, job_id).step) == 3


def test_upstream_names_become_canonical(db, job_id, send):
    names = {"train/loss": "loss", "eval/loss": "loss"}
    send(reports([1], "train/loss") + reports([2], "eval/loss") + reports([3], "own"), names=names)
    with db.read() as tx:
        known = {series.name: series for series in scalars.series(tx, job_id)}
    assert {name: series.native for name, series in known.items()} == {
        "loss": "train/loss", "own": "own",
    }  # fmt: skip
    assert curve(db, job_id).step.tolist() == [1, 2]


def test_nan_is_a_value(db, job_id, send):
    send(b'{"t": 1, "s": 1, "v": {"loss": NaN, "x": -Infinity}}\n')
    assert math.isnan(curve(db, job_id).value[0])
    assert curve(db, job_id, "x").value[0] == -math.inf


def test_tensorboard_events_of_the_real_writer(db, job_id, send, request):
    (path,) = (request.config.rootpath / "tests/data/tensorboard").glob("*tfevents*")
    data = path.read_bytes()
    offset = 0
    while offset < len(data):
        offset = send(data[offset : offset + 700], offset, path=path.name, fmt="tensorboard")
    with db.read() as tx:
        assert sum(series.count for series in scalars.series(tx, job_id)) > 0


def test_damage_is_noted_and_skipped(db, job_id, send):
    data = reports([1]) + b"garbage\n" + reports([2])
    assert send(data) == len(data)
    with db.read() as tx:
        (row,) = logs.streams(tx, job_id)
    assert [(note["kind"], note["offset"]) for note in row.notes] == [
        ("invalid", len(reports([1])))
    ]
    assert curve(db, job_id).step.tolist() == [1, 2]


def test_notes_are_bounded(db, job_id, send):
    offset = 0
    for _ in range(5):
        data = (b"bad\n" + reports([1])) * 40
        offset = send(data, offset)
    with db.read() as tx:
        (row,) = logs.streams(tx, job_id)
    assert len(row.notes) == notes.MAX_NOTES


def test_an_endless_line_does_not_stop_a_stream(db, job_id, send):
    data = b"x" * (MAX_RECORD * 2) + b"\n" + reports([7])
    offset = 0
    while offset < len(data):
        after = send(data[offset : offset + MAX_RECORD], offset)
        assert after > offset
        offset = after
    assert curve(db, job_id).step.tolist() == [7]


def test_scores_become_rows(db, job_id, send):
    line = {"benchmark": "sums", "metric": "acc", "value": 0.5, "stderr": 0.1, "items": 10,
            "higher_is_better": True, "settings": {"shots": 0}, "t": 5.0}  # fmt: skip
    send(json.dumps(line).encode() + b"\n", path="scores/a.jsonl", fmt="scores")
    with db.read() as tx:
        (score,) = scores.of_job(tx, job_id)
    assert (score.value, score.created_at, score.settings) == (0.5, 5.0, {"shots": 0})


@pytest.mark.parametrize("attempt", [1, -1])
def test_an_attempt_that_does_not_exist_is_refused(db, files, job_id, attempt):
    chunk = StreamChunk(job_id=job_id, attempt=attempt, path="a", format="log", offset=0, data=b"x")
    with pytest.raises(StarForgeError) as caught:
        ingest.accept(db, files, chunk)
    assert (caught.value.code, caught.value.status) == ("attempt/not-found", 404)
    assert not files.root.exists()


def test_a_path_keeps_its_format(send):
    send(reports([1]))
    with pytest.raises(StarForgeError) as caught:
        send(b"x", len(reports([1])), fmt="log")
    assert caught.value.code == "stream/format"


def test_a_path_out_of_the_folder_is_refused(send):
    with pytest.raises(StarForgeError) as caught:
        send(b"x", path="../../x", fmt="log")
    assert caught.value.code == "stream/path"


def test_a_full_disk_takes_nothing(db, files, job_id, send):
    where = {"path": "logs/a-0.log", "fmt": "log"}
    folder = files.root / job_id / "0" / stream_name(where["path"])
    folder.mkdir(parents=True)
    segment = folder / "00000000.raw"
    segment.symlink_to("/dev/full")  # every write to it fails as on a full disk
    with pytest.raises(StarForgeError) as caught:
        send(b"one\n", **where)
    assert caught.value.code == "store/disk-full"
    segment.unlink()
    assert send(b"one\n", **where) == 4
    with db.read() as tx:
        row = logs.stream(tx, job_id, 0, where["path"])
        assert [line.text for line in logs.read(tx, files, row).lines] == ["one"]


def test_senders_at_once_take_each_byte_once(db, files, job_id, send):
    data = reports(range(200))

    def work():
        offset = 0
        while offset < len(data):
            try:
                offset = send(data[offset : offset + 500], offset)
            except OffsetMismatch as answer:
                offset = answer.expected

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert curve(db, job_id).step.tolist() == list(range(200))
    with db.read() as tx:
        assert scalars.series(tx, job_id)[0].count == 200


@pytest.mark.parametrize("lost", ["tail", "all"])
def test_bytes_that_a_power_cut_took_are_asked_for_again(db, files, job_id, send, lost):
    rows = [
        json.dumps({"s": n, "prompt": "p" * 1000, "completion": f"c{n}"}).encode() + b"\n"
        for n in range(5000)
    ]
    data = b"".join(rows)
    where = {"path": "samples/a.jsonl", "fmt": "samples"}
    offset = send(data[:3_000_000], **where)
    offset = send(data[offset:], offset, **where)
    assert offset == len(data) > SEGMENT
    last = next(files.root.rglob("00000001.raw"))
    if lost == "tail":
        os.truncate(last, 100_000)
    else:
        last.unlink()
    with pytest.raises(OffsetMismatch) as caught:
        send(b"", offset, **where)
    back = caught.value.expected
    assert SEGMENT - 2000 < back <= SEGMENT + 100_000
    assert data[back - 1 : back] == b"\n"
    assert send(data[back:], back, **where) == len(data)
    with db.read() as tx:
        found = samples.page(tx, files, job_id, sort="step", limit=10_000)
        row = logs.stream(tx, job_id, 0, where["path"])
        assert row.lines == 5000
        assert logs.read(tx, files, row, from_line=4999).lines[0].text.encode() + b"\n" == rows[-1]
    assert [sample.data["completion"] for sample in found.rows] == [f"c{n}" for n in range(5000)]


STREAMS = (("report", "m.jsonl"), ("log", "a.log"), ("samples", "s.jsonl"))


def ship(home, job, data):
    """Send all that is left, in small pieces: what the killed child does."""
    db, files = Database.open(home / "starforge.db"), StreamFiles(home / "streams")
    with db.read() as tx:
        at = ingest.offsets(tx, job, 0)
    while any(at.get(path, 0) < len(data[path]) for path in data):
        for fmt, path in STREAMS:
            offset = at.get(path, 0)
            part = data[path][offset : offset + 3000]
            if part:
                chunk = StreamChunk(
                    job_id=job, attempt=0, path=path, format=fmt, offset=offset, data=part
                )
                at[path] = ingest.accept(db, files, chunk)


def killed_child(work, seconds):
    """Run ``work`` in a child, kill it with SIGKILL after a while; say whether it was."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)  # not yet waited for: the id is still the child's
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_kill_9_at_any_moment_loses_nothing_and_doubles_nothing(tmp_path):
    count = 6000
    sample = ({"s": n, "prompt": "p", "completion": f"c{n}"} for n in range(count // 4))
    data = {
        "m.jsonl": reports(range(count)),
        "a.log": b"".join(b"line %d\n" % n for n in range(count * 2)),
        "s.jsonl": b"".join(json.dumps(row).encode() + b"\n" for row in sample),
    }
    db = Database.open(tmp_path / "starforge.db")
    with db.write() as tx:
        job = jobs.create(tx, make_job())[0].id
        attempts.create(tx, job, resume=False)
    db.close()
    rng = random.Random(7)
    kills = 0
    while killed_child(lambda: ship(tmp_path, job, data), 0.01 + rng.random() * 0.1):
        kills += 1
        if kills > 100:
            ship(tmp_path, job, data)
    assert kills >= 3
    db, files = Database.open(tmp_path / "starforge.db"), StreamFiles(tmp_path / "streams")
    with db.read() as tx:
        assert curves.read(tx, job)["loss"].step.tolist() == list(range(count))
        assert scalars.series(tx, job)[0].count == count
        row = logs.stream(tx, job, 0, "a.log")
        assert logs.read_bytes(files, row, 0) == data["a.log"]
        assert row.lines == count * 2
        found = samples.page(tx, files, job, sort="step", limit=count)
        assert [sample.step for sample in found.rows] == list(range(count // 4))
    db.close()


def test_an_alert_becomes_an_event_once(db, job_id, send):
    line = {"t": 2.0, "s": 7, "code": "no_signal", "message": "flat", "message_zh": "平"}
    data = (json.dumps(line) + "\n").encode()
    assert send(data, path="alerts.jsonl", fmt="alerts") == len(data)
    with pytest.raises(OffsetMismatch):
        send(data, path="alerts.jsonl", fmt="alerts")
    with db.read() as tx:
        (event,) = [one for one in events.after(tx, job_id=job_id) if one.kind == "alert"]
    assert (event.text.zh, event.time, event.data["step"]) == ("平", 2.0, 7)

"""What is said of stream files that end oddly, in the job's events and its details."""

import json
from pathlib import Path

import pytest

from starforge.server.services import curves, ingest, jobs
from starforge.server.store import events

BOARDS = Path(__file__).parents[3] / "data" / "tensorboard"


def lines(first, last):
    rows = [{"t": 1.0 * n, "s": n, "v": {"loss": 1.0 / n}} for n in range(first, last + 1)]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def report(core, add_job):
    """Give a job and the file of its metrics."""
    job = add_job()
    folder = core.settings.job_dir(job.id) / "attempt-0"
    (folder / "metrics").mkdir()
    return job, folder, folder / "metrics" / "a.jsonl"


def steps(core, job):
    return curves.read(core, job.id, ["loss"], curves.Window())["loss"].step


def kinds(core, job, lang="en"):
    return [(note.kind, note.path) for note in jobs.detail(core, job.id, lang).notes]


def said(core, job):
    with core.db.read() as tx:
        return [one.data["note"] for one in events.after(tx, job_id=job.id) if "note" in one.data]


def test_a_file_replaced_by_a_shorter_one_is_said_once(core, report):
    job, folder, file = report
    file.write_bytes(lines(1, 50))
    ingest.drain(core, job.id, 0, folder)
    file.write_bytes(lines(90, 91))
    for _ in range(3):
        assert ingest.drain(core, job.id, 0, folder) == 0
    assert steps(core, job) == list(range(1, 51))
    assert kinds(core, job) == [("shorter", "metrics/a.jsonl")]
    assert said(core, job) == ["shorter"]
    (note,) = jobs.detail(core, job.id, "zh").notes
    assert "短" in note.text


def test_a_board_file_cut_within_a_record_is_said(core, report):
    job, folder, _ = report
    (real,) = BOARDS.glob("events.out.tfevents.*")
    (folder / "tensorboard").mkdir()
    (folder / "tensorboard" / real.name).write_bytes(real.read_bytes()[:-4])
    ingest.drain(core, job.id, 0, folder)
    ingest.drain(core, job.id, 0, folder)
    assert sum(one.count for one in curves.series(core, job, "en")) > 0
    assert said(core, job) == ["cut_off"]


def test_a_job_that_writes_well_has_nothing_said(core, report):
    job, folder, file = report
    file.write_bytes(lines(1, 5))
    (folder / "logs").mkdir()
    (folder / "logs" / "trainer-0.log").write_bytes(b"half a line")
    (folder / "metrics" / "empty.jsonl").write_bytes(b"")
    ingest.drain(core, job.id, 0, folder)
    assert kinds(core, job) == []
    assert said(core, job) == []


def test_followers_hear_of_it(core, report):
    job, _, _ = report
    target = ingest.target_of(core, job.id, 0, "metrics/a.jsonl")
    heard = []
    core.bus.listen(lambda message: heard.append((message.kind, message.job)))
    ingest.accept(core, target, 0, lines(1, 1))
    assert ("job", job.id) not in heard
    ingest.accept(core, target, len(lines(1, 1)), b"rubbish\n")
    assert ("job", job.id) in heard

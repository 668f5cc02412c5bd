"""Draining an attempt's folder through the code that takes shipped bytes."""

import json

import pytest

from starforge.errors import StarForgeError
from starforge.server.services import curves, ingest
from starforge.server.services.headline import update_headline
from starforge.server.store import jobs
from starforge.server.store.ingest import OffsetMismatch


def lines(first, last):
    rows = [{"t": 1.0 * n, "s": n, "v": {"loss": 1.0 / n}} for n in range(first, last + 1)]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def folder(core, add_job):
    job = add_job()
    return job, core.settings.job_dir(job.id) / "attempt-0"


def test_shipped_and_drained_bytes_meet_without_gap_or_double(core, folder):
    job, path = folder
    whole = lines(1, 50)
    (path / "metrics").mkdir()
    (path / "metrics" / "a.jsonl").write_bytes(whole)
    target = ingest.target_of(core, job.id, 0, "metrics/a.jsonl")
    cut = len(lines(1, 20)) + 7  # in the middle of a record
    taken = ingest.accept(core, target, 0, whole[:cut])
    assert taken == len(lines(1, 20))
    with pytest.raises(OffsetMismatch) as elsewhere:
        ingest.accept(core, target, 0, whole[:cut])
    assert elsewhere.value.expected == taken
    assert ingest.drain(core, job.id, 0, path) == len(whole) - taken
    assert ingest.drain(core, job.id, 0, path) == 0
    curve = curves.read(core, job.id, ["loss"], curves.Window())["loss"]
    assert curve.step == list(range(1, 51))
    assert core.counters.ingest_conflicts == 1


def test_a_last_line_without_its_end_is_taken_when_all_has_ended(core, folder):
    job, path = folder
    (path / "metrics").mkdir()
    (path / "metrics" / "a.jsonl").write_bytes(lines(1, 2).rstrip(b"\n"))
    (path / "logs").mkdir()
    (path / "logs" / "trainer-0.log").write_bytes(b"one\ntwo")
    ingest.drain(core, job.id, 0, path)
    assert curves.read(core, job.id, None, curves.Window())["loss"].step == [1, 2]
    with core.db.read() as tx:
        from starforge.server.services import logs

        found = logs.page(core, jobs.get(tx, job.id), logs.Which(), logs.Window())
    assert [(one.text, one.partial) for one in found.lines] == [("one", False), ("two", True)]


def test_a_path_that_is_no_stream_is_refused(core, folder):
    for path in ("launch.json", "../x.log", "logs/a/b.log"):
        with pytest.raises(StarForgeError) as refused:
            ingest.target_of(core, folder[0].id, 0, path)
        assert refused.value.status == 404


def test_the_headline_follows_the_primary_metric(core, folder):
    job, path = folder
    assert not update_headline(core, job.id)
    (path / "metrics").mkdir()
    (path / "metrics" / "a.jsonl").write_bytes(lines(1, 4))
    ingest.drain(core, job.id, 0, path)
    assert update_headline(core, job.id)
    assert not update_headline(core, job.id)
    with core.db.read() as tx:
        assert jobs.summary(tx, job.id).headline == {"loss": 0.25}


def test_nan_and_infinity_are_said_apart():
    values, odd = curves.plain([1.0, float("nan"), float("inf"), float("-inf")])
    assert values == [1.0, None, None, None]
    assert odd == {1: "nan", 2: "inf", 3: "-inf"}
    assert curves.plain([1.0]) == ([1.0], {})

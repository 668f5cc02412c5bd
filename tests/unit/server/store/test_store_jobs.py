import time

import pytest
from tests_store_support import make_job, make_plan

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.store import artifacts, attempts, events, ids, ingest, jobs, scalars, tables
from starforge.server.store.ingest import StreamChunk
from starforge.server.store.records import AttemptChange, JobChange, JobFilter, Source


def create(db, **changes):
    with db.write() as tx:
        return jobs.create(tx, make_job(**changes))[0]


def names(page):
    return [job.name for job in page.rows]


def test_a_job_comes_back_as_submitted(db):
    source = Source(commit="abc", dirty=True)
    made = create(db, name="任务", tags=["a"], source=source, description="d", priority=3)
    with db.read() as tx:
        job = jobs.get(tx, made.id)
    assert job == made
    assert (job.name, job.tags, job.source, job.priority) == ("任务", ["a"], source, 3)
    assert job.plan == make_plan()
    assert (job.state, job.desired, job.cpus, job.progress_total) == ("queued", "run", 2, 100)
    assert (job.headline, job.current_attempt) == ({}, None)


def test_one_idempotency_key_makes_one_job(db):
    with db.write() as tx:
        first, made = jobs.create(tx, make_job(idempotency_key="k"))
        again, made_again = jobs.create(tx, make_job(idempotency_key="k", name="other"))
        _, other = jobs.create(tx, make_job(idempotency_key="l"))
    assert (made, made_again, other) == (True, False, True)
    assert again == first


def test_ids_sort_by_time_and_are_unique(db):
    now = time.time()
    made = [ids.make(now + second / 100) for second in range(200)]
    assert made == sorted(made)
    assert {len(text) for text in made} == {10}
    with db.write() as tx:
        created = [jobs.create(tx, make_job())[0].id for _ in range(100)]
    assert len(set(created)) == 100


def test_a_job_is_found_by_id_prefix_or_newest_name(db):
    old = create(db, name="sft")
    new = create(db, name="sft")
    with db.read() as tx:
        assert jobs.find(tx, old.id) == old
        assert jobs.find(tx, old.id.upper()) == old
        assert jobs.find(tx, "sft") == new
        shortest = next(n for n in range(1, 11) if old.id[:n] != new.id[:n])
        assert jobs.find(tx, old.id[:shortest]) == old
        with pytest.raises(StarForgeError) as caught:
            jobs.find(tx, old.id[:1])
        assert (caught.value.code, caught.value.status) == ("job/ambiguous", 409)


@pytest.mark.parametrize("ref", ["", "nope", "%", "_", "'; drop table jobs"])
def test_what_is_not_there_is_named(db, ref):
    create(db)
    with db.read() as tx, pytest.raises(StarForgeError) as caught:
        jobs.find(tx, ref)
    assert (caught.value.code, caught.value.status) == ("job/not-found", 404)
    assert ref in caught.value.message.en


def test_changes_compare_and_set(db):
    job = create(db)
    message = Text(en="waits", zh="等待中")
    start = JobChange(state="starting", reason="slot", message=message, headline={"loss": 1.5})
    with db.write() as tx:
        assert jobs.change(tx, job.id, start, expect=["queued"])
        assert not jobs.change(tx, job.id, JobChange(state="running"), expect=["queued"])
        assert jobs.change(tx, job.id, JobChange(reason=None, token_hash="n"))
        assert not jobs.change(tx, "0000000000", JobChange(state="running"))
        now = jobs.get(tx, job.id)
    assert (now.state, now.reason, now.message) == ("starting", None, message)
    assert (now.headline, now.token_hash) == ({"loss": 1.5}, "n")
    assert now.updated_at >= job.updated_at


def test_lists_filter(db):
    a = create(db, name="alpha", tags=["x", "100%"], owner="li", lab="lab1")
    b = create(db, name="beta", plan=make_plan(method="custom/custom"), description="Gamma Ray")
    with db.write() as tx:
        jobs.change(tx, b.id, JobChange(state="running"))
    cases = [
        (JobFilter(), ["beta", "alpha"]),
        (JobFilter(states=["running", "failed"]), ["beta"]),
        (JobFilter(methods=["trl/sft"]), ["alpha"]),
        (JobFilter(owner="li", lab="lab1", engine="local"), ["alpha"]),
        (JobFilter(tag="100%"), ["alpha"]),
        (JobFilter(tag="100"), []),
        (JobFilter(search="GAMMA"), ["beta"]),
        (JobFilter(search="%"), ["alpha"]),
        (JobFilter(search=a.id[-6:]), ["alpha"]),
        (JobFilter(created_after=b.created_at + 1), []),
        (JobFilter(created_before=b.created_at + 1), ["beta", "alpha"]),
    ]
    with db.read() as tx:
        for which, wanted in cases:
            page = jobs.page(tx, which)
            assert (names(page), page.total) == (wanted, len(wanted)), which


def test_lists_sort_and_page(db):
    for number in range(5):
        create(db, name=f"job-{number}")
    with db.read() as tx:
        page = jobs.page(tx, sort="name", descending=False, limit=2, offset=1)
        newest = jobs.page(tx, limit=1)
    assert (names(page), page.total) == (["job-1", "job-2"], 5)
    assert names(newest) == ["job-4"]


def test_jobs_that_have_not_started_come_last(db):
    first = create(db, name="started")
    create(db, name="waiting")
    with db.write() as tx:
        jobs.change(tx, first.id, JobChange(started_at=5.0))
        for descending in (True, False):
            page = jobs.page(tx, sort="started_at", descending=descending)
            assert names(page) == ["started", "waiting"]


def test_the_queue_is_by_priority_then_age(db):
    for name, priority in [("a", 0), ("b", 5), ("c", 0), ("d", 5)]:
        create(db, name=name, priority=priority)
    with db.read() as tx:
        assert [job.name for job in jobs.in_states(tx, ["queued"])] == ["b", "d", "a", "c"]
        assert jobs.in_states(tx, ["running"]) == []


@pytest.mark.parametrize("back", [0.0, 10.0, 1e6])
def test_the_queue_and_names_keep_their_order_when_the_clock_goes_back(db, monkeypatch, back):
    began = time.time()
    made = []
    for number in range(5):
        monkeypatch.setattr(time, "time", lambda number=number: began - number * back)
        made.append(create(db, name="same"))
    with db.read() as tx:
        assert [job.id for job in jobs.in_states(tx, {"queued"})] == [job.id for job in made]
        assert jobs.find(tx, "same").id == made[-1].id
    assert sorted(job.id for job in made) == [job.id for job in made]


def test_a_wrong_clock_of_the_past_is_forgotten_when_its_jobs_have_ended(db, monkeypatch):
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 1e8)
    future = create(db, name="from the future")
    with db.write() as tx:
        jobs.change(tx, future.id, JobChange(state="succeeded"))
    monkeypatch.setattr(time, "time", lambda: now)
    assert create(db, name="of today").created_at == now


def test_attempts_are_counted_from_zero(db):
    job = create(db)
    with db.write() as tx:
        assert attempts.create(tx, job.id, resume=False).number == 0
        second = attempts.create(tx, job.id, resume=True)
        assert (second.number, second.resume, second.state) == (1, True, "starting")
        assert jobs.summary(tx, job.id).current_attempt == 1
        beat = AttemptChange(state="running", heartbeat_at=7.0, engine_state={"pid": 3})
        assert attempts.change(tx, job.id, 1, beat, expect=["starting"])
        assert not attempts.change(tx, job.id, 1, beat, expect=["starting"])
        assert not attempts.change(tx, job.id, 9, beat)
        found = attempts.of_job(tx, job.id)
    assert [attempt.state for attempt in found] == ["starting", "running"]
    assert (found[1].heartbeat_at, found[1].engine_state) == (7.0, {"pid": 3})


def test_events_go_on_from_where_a_follower_was(db):
    job = create(db)
    with db.write() as tx:
        first = events.add(tx, "made", job_id=job.id, text=Text(en="a", zh="甲"))
        second = events.add(tx, "other", data={"n": 1})
        third = events.add(tx, "ended", job_id=job.id)
    with db.read() as tx:
        assert [event.id for event in events.after(tx, first)] == [second, third]
        assert [event.id for event in events.after(tx, job_id=job.id)] == [first, third]
        assert events.after(tx, limit=1)[0].text == Text(en="a", zh="甲")
        assert events.newest(tx) == third


def test_ids_of_events_are_never_given_twice(db):
    job = create(db)
    with db.write() as tx:
        gone = events.add(tx, "made", job_id=job.id)
        jobs.delete(tx, job.id)
        assert events.add(tx, "next") > gone


def test_an_artifact_of_the_same_path_is_replaced(db):
    job = create(db)
    with db.write() as tx:
        for size in (1, 2):
            artifacts.put(
                tx, job.id, attempt=0, kind="model", path="output/model", name="m", size=size
            )
        artifacts.put(tx, job.id, attempt=0, kind="file", path="x\0y", name="x", size=3)
        found = artifacts.of_job(tx, job.id)
        assert [(item.path, item.size) for item in found] == [("output/model", 2), ("xy", 3)]
        assert len(artifacts.of_job(tx, job.id, kind="model")) == 1


def test_deleting_a_job_leaves_nothing_of_it(db, files, job_id):
    with db.write() as tx:
        scalars.append(tx, job_id, 0, {"loss": (range(100), [0.0] * 100, [1.0] * 100)})
        events.add(tx, "made", job_id=job_id)
    chunk = StreamChunk(
        job_id=job_id, attempt=0, path="samples/a.jsonl", format="samples", offset=0,
        data=b'{"s": 1, "prompt": "p", "completion": "c"}\n',
    )  # fmt: skip
    ingest.accept(db, files, chunk)
    with db.write() as tx:
        jobs.delete(tx, job_id)
    with db.read() as tx:
        left = {
            table.name: tx.execute(table.select()).all() for table in tables.metadata.sorted_tables
        }
    assert {name for name, rows in left.items() if rows} == set()


def test_pages_of_ten_thousand_jobs(db):
    create(db)
    with db.write() as tx:
        row = tx.execute(tables.jobs.select()).one()._mapping
        rows = [
            {**row, "id": f"{number:010}", "name": f"job-{number % 100}", "created_at": number}
            for number in range(10_000)
        ]
        tx.execute(tables.jobs.insert(), rows)
    with db.read() as tx:
        for how in ({}, {"which": JobFilter(search="job-7")}, {"sort": "name", "offset": 9000}):
            assert len(jobs.page(tx, limit=50, **how).rows) == 50

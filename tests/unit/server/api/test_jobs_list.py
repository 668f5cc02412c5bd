"""What a list of jobs shows, and how it is narrowed and sorted."""

import math

import pytest

from starforge.server.services.sparklines import POINTS, SPARKLINES
from starforge.server.store import curves, jobs, scalars
from starforge.server.store.records import JobChange

SCRIPT = '"><script>alert(1)</script>%_\\'


def listed(user, **query):
    answer = user.get("/api/v1/jobs", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()["jobs"]


def names(user, **query):
    return [one["name"] for one in listed(user, **query)]


def log(core, job, values, metric="loss"):
    columns = (list(range(len(values))), [float(n) for n in range(len(values))], values)
    with core.db.write() as tx:
        scalars.append(tx, job.id, 0, {metric: columns})
        last = values[-1] if math.isfinite(values[-1]) else None
        jobs.change(tx, job.id, JobChange(headline={metric: last}, progress_step=len(values)))


def test_inputs_and_owner(user, add_job):
    add_job(
        experiment={"model": SCRIPT, "data": {"train": "data/train.jsonl"}}, owner="王", name="a"
    )
    add_job(experiment={"model": None, "data": "dataset:x@1"}, name="b")
    add_job(name="c")
    rows = {one["name"]: one for one in listed(user)}
    assert [rows["a"][key] for key in ("model", "data", "owner")] == [
        SCRIPT,
        "data/train.jsonl",
        "王",
    ]
    assert (rows["b"]["model"], rows["b"]["data"]) == (None, "dataset:x@1")
    assert (rows["c"]["model"], rows["c"]["data"], rows["c"]["sparkline"]) == (None, None, None)
    detail = user.get("/api/v1/jobs/a").json()
    assert (detail["model"], detail["data"], detail["owner"]) == (SCRIPT, "data/train.jsonl", "王")


def test_filters(user, add_job, make_plan):
    add_job(make_plan(method="trl/sft"), name="a", experiment={"model": "m"}, tags=["x"])
    add_job(make_plan(method="trl/dpo"), name="b", experiment={"model": "mm"}, owner="li")
    add_job(make_plan(method="verl/ppo"), name="c", experiment={"model": SCRIPT}, tags=["xx"])
    assert names(user, method="trl/sft,verl/ppo") == ["c", "a"]
    assert names(user, method=["trl/sft", "trl/dpo"]) == ["b", "a"]
    assert names(user, model="m") == ["a"]
    assert names(user, model=SCRIPT) == ["c"]
    assert names(user, model="%") == []
    assert names(user, tag="x") == ["a"]
    assert names(user, owner="li") == ["b"]
    assert names(user, tag="x", method="trl/dpo") == []


def test_by_the_last_value_of_a_metric(user, core, add_job):
    for name, value in (("a", 2.0), ("b", None), ("c", 1.0), ("d", 3.0)):
        job = add_job(name=name)
        with core.db.write() as tx:
            jobs.change(tx, job.id, JobChange(headline={"loss": value}))
    assert names(user, sort="headline:loss") == ["c", "a", "d", "b"]
    assert names(user, sort="-headline:loss") == ["d", "a", "c", "b"]
    assert names(user, sort="headline:loss", size=1, page=2) == ["a"]
    assert names(user, sort="headline:nothing") == ["d", "c", "b", "a"]
    assert user.get("/api/v1/jobs", params={"sort": "headline"}).status_code == 400


def test_a_curve_in_few_values(user, core, add_job):
    short, long = add_job(name="short"), add_job(name="long")
    log(core, short, [3.0, math.nan, 1.0])
    log(core, long, [float(n) for n in range(5000)])
    rows = {one["name"]: one["sparkline"] for one in listed(user)}
    assert rows["short"] == [3.0, None, 1.0]
    assert 8 <= len(rows["long"]) <= POINTS
    assert rows["long"] == sorted(rows["long"])


def test_curves_are_read_again_only_when_there_is_news(user, core, add_job, monkeypatch):
    job = add_job()
    log(core, job, [1.0, 2.0])
    assert listed(user)[0]["sparkline"] == [1.0, 2.0]
    with monkeypatch.context() as patch:
        patch.setattr(curves, "read", lambda *_, **__: pytest.fail("read again"))
        assert listed(user)[0]["sparkline"] == [1.0, 2.0]
    with core.db.write() as tx:
        scalars.append(tx, job.id, 0, {"loss": ([2], [2.0], [5.0])})
        jobs.change(tx, job.id, JobChange(headline={"loss": 5.0}))
    assert listed(user)[0]["sparkline"] == [1.0, 2.0, 5.0]
    assert SPARKLINES._known

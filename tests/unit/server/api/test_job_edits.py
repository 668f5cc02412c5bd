"""Changing what is said about jobs, and several jobs at once."""

import pytest

from starforge.server.store import jobs
from starforge.server.store.records import JobChange

SCRIPT = "<script>alert(1)</script>"


def state(core, job, value):
    with core.db.write() as tx:
        jobs.change(tx, job.id, JobChange(state=value))


def test_what_people_say_of_a_job(user, add_job):
    job = add_job()
    url = f"/api/v1/jobs/{job.id}"
    body = {"name": "新名字", "description": SCRIPT, "tags": ["a", " b ", "a"], "priority": 5}
    shown = user.patch(url, json=body).json()
    assert (shown["name"], shown["description"]) == ("新名字", SCRIPT)
    assert (shown["tags"], shown["priority"]) == (["a", "b"], 5)
    shown = user.patch(url, json={"add_tags": ["c"], "remove_tags": ["a"]}).json()
    assert (shown["tags"], shown["description"]) == (["b", "c"], SCRIPT)
    assert user.patch(url, json={"description": None}).json()["description"] is None
    assert user.patch(url, json={}).json()["name"] == "新名字"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": "a/b"}, "job/name"),
        ({"name": "a\nb"}, "job/name"),
        ({"tags": [""]}, "job/tag"),
        ({"add_tags": ["a\u202eb"]}, "job/tag"),
        ({"add_tags": [str(n) for n in range(50)]}, "job/too-many-tags"),
        ({"tags": ["x" * 101]}, "request/invalid"),
        ({"colour": "red"}, "request/invalid"),
        ({"priority": 5000}, "request/invalid"),
    ],
)
def test_what_is_refused_changes_nothing(user, add_job, body, code):
    job = add_job(tags=["kept"])
    url = f"/api/v1/jobs/{job.id}"
    refused = user.patch(url, json={"description": "new"} | body)
    assert refused.status_code in (400, 422)
    assert refused.json()["error"]["code"] == code
    shown = user.get(url).json()
    assert (shown["name"], shown["tags"], shown["description"]) == ("job", ["kept"], None)


def test_the_priority_of_a_job_that_runs_stays(user, core, add_job):
    job = add_job()
    state(core, job, "running")
    url = f"/api/v1/jobs/{job.id}"
    refused = user.patch(url, json={"priority": 5, "tags": ["t"]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "job/not-queued")
    assert user.get(url).json()["tags"] == []
    assert user.patch(url, json={"priority": job.priority, "tags": ["t"]}).status_code == 200


def test_followers_hear_of_an_edit(user, core, add_job, monkeypatch):
    job = add_job()
    heard = []
    monkeypatch.setattr(core.bus, "publish", lambda kind, *what: heard.append((kind, *what)))
    user.patch(f"/api/v1/jobs/{job.id}", json={"name": "other"})
    assert heard == [("job", job.id)]


def bulk(user, **body):
    answer = user.post("/api/v1/jobs/bulk", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_tags_of_several_jobs(user, add_job):
    ids = [add_job().id for _ in range(3)]
    done = bulk(user, ids=[*ids, ids[0], "nope"], action="tag", tags=["x"])
    assert [one["ok"] for one in done] == [True, True, True, False]
    assert done[-1]["error"]["code"] == "job/not-found"
    assert all(user.get(f"/api/v1/jobs/{one}").json()["tags"] == ["x"] for one in ids)
    bulk(user, ids=ids, action="untag", tags=["x"])
    assert all(user.get(f"/api/v1/jobs/{one}").json()["tags"] == [] for one in ids)


def test_one_job_that_runs_does_not_keep_the_others(user, core, add_job):
    live, ended = add_job(), add_job()
    state(core, live, "running")
    state(core, ended, "failed")
    done = bulk(user, ids=[live.id, ended.id], action="delete")
    assert [(one["id"], one["ok"]) for one in done] == [(live.id, False), (ended.id, True)]
    assert done[0]["error"]["code"] == "job/not-ended"
    assert user.get(f"/api/v1/jobs/{ended.id}").status_code == 404
    stopped = bulk(user, ids=[live.id], action="stop")
    assert stopped[0]["ok"]
    assert user.get(f"/api/v1/jobs/{live.id}").json()["desired"] == "stop"


@pytest.mark.parametrize(
    "body",
    [
        {"ids": [], "action": "stop"},
        {"ids": ["a"] * 501, "action": "stop"},
        {"ids": ["a"], "action": "explode"},
        {"ids": ["a"], "action": "tag"},
    ],
)
def test_what_is_no_bulk_request(user, body):
    assert user.post("/api/v1/jobs/bulk", json=body).status_code == 400

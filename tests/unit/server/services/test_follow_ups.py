"""Follow-ups are made once each, also when the making breaks off in the middle."""

import json
import sys

import pytest

from starforge.plan import FollowUp
from starforge.server.services import follow_ups, outputs
from starforge.server.services import jobs as job_service
from starforge.server.store import artifacts, attempts, events, jobs
from starforge.server.store.records import AttemptChange, JobChange

EXPORT = FollowUp(kind="export", method="custom/export")
SCORE = FollowUp(
    kind="benchmark", method="evalkit/benchmark", params={"benchmarks": ["basics"], "limit": 1}
)


@pytest.fixture
def parent(core, add_job, make_plan):
    """A job that has succeeded and left a model."""
    core.settings.catalog_folder.mkdir(parents=True, exist_ok=True)
    here = f"{{python: {sys.executable}}}"
    places = core.settings.catalog_folder / "runtimes.yaml"
    places.write_text(f"custom: {here}\nevalkit: {here}\n", "utf-8")
    job = add_job(make_plan(then=[EXPORT, SCORE]), follow_ups="due", name="first")
    job_dir = core.settings.job_dir(job.id)
    (job_dir / "code").mkdir()
    (job_dir / "output" / "model").mkdir()
    (job_dir / "output" / "model" / "config.json").write_text("{}")
    with core.db.write() as tx:
        artifacts.put(
            tx, job.id, attempt=0, kind="model", path="output/model", name="model", size=2
        )
    end(core, job)
    return job


def end(core, job):
    with core.db.write() as tx:
        jobs.change(tx, job.id, JobChange(state="succeeded"))
        attempts.change(tx, job.id, 0, AttemptChange(state="succeeded"))


def read(core, job):
    with core.db.read() as tx:
        return jobs.get(tx, job.id), jobs.children(tx, job.id), jobs.with_follow_ups_due(tx)


def test_every_step_is_made_and_the_parent_is_at_rest(core, parent):
    assert read(core, parent)[2] == [parent.id]
    follow_ups.make(core, parent.id)
    found, children, due = read(core, parent)
    assert (found.follow_ups, due) == ("made", [])
    assert [child.name for child in children] == ["first-export", "first-basics"]
    assert all(child.state == "queued" for child in children)
    made = core.settings.job_dir(children[1].id)
    written = json.loads((made / "record/experiment/experiment.yaml").read_text())
    assert written["model"] == f"job:{parent.id}"
    follow_ups.make(core, parent.id)
    assert len(read(core, parent)[1]) == 2


def test_a_making_that_breaks_off_is_finished_by_the_next(core, parent, monkeypatch):
    whole = follow_ups.materialise.fill

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(follow_ups.materialise, "fill", full)
    with pytest.raises(OSError, match="No space"):
        follow_ups.make(core, parent.id)
    found, children, due = read(core, parent)
    assert (found.follow_ups, len(children), due) == ("due", 1, [parent.id])
    monkeypatch.setattr(follow_ups.materialise, "fill", whole)
    follow_ups.make(core, parent.id)
    found, children, due = read(core, parent)
    assert [child.method for child in children] == ["custom/export", "evalkit/benchmark"]
    assert not list(core.settings.jobs.glob(".new-*"))


def test_a_retry_is_followed_anew(core, parent):
    follow_ups.make(core, parent.id)
    found, _, _ = read(core, parent)
    job_service.retry(core, found)
    found, _, due = read(core, parent)
    assert (found.follow_ups, due) == ("due", [])  # not before it succeeds again


def test_without_a_model_the_steps_are_refused_and_said(core, parent):
    (core.settings.job_dir(parent.id) / "output/model/config.json").unlink()
    follow_ups.make(core, parent.id)
    found, children, _ = read(core, parent)
    assert (found.state, found.follow_ups, children) == ("succeeded", "made", [])
    with core.db.read() as tx:
        said = [
            one for one in events.after(tx, job_id=parent.id) if one.kind == "follow_up_refused"
        ]
    assert [one.data for one in said] == [{"step": 0}, {"step": 1}]
    assert "没有产出模型" in said[0].text.zh


def test_what_a_check_saw_is_kept_with_the_model(core, parent):
    follow_ups.make(core, parent.id)
    export = read(core, parent)[1][0]
    folder = core.settings.job_dir(export.id) / "attempt-0"
    folder.mkdir()
    seen = {"architecture": "A", "dtype": "float32", "tokens": 8}
    check = core.settings.job_dir(export.id) / "output" / "export.json"
    check.write_text(json.dumps(seen))
    row = {"kind": "check", "path": str(check), "name": "export.json", "meta": seen}
    (folder / "artifacts.jsonl").write_text(json.dumps(row) + "\n")
    outputs.collect(core, export.id, 0, succeeded=True)
    follow_ups.note_check(core, export.id)
    with core.db.read() as tx:
        (model,) = artifacts.of_job(tx, parent.id, kind="model")
    assert model.meta == {"check": {**seen, "job": export.id}}

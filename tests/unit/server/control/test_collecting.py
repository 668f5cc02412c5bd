"""Uploads that nothing came of go after some days; what anything refers to stays."""

import dataclasses
import os
import threading

import pytest

from starforge.pipelines.model import Stage
from starforge.plan import InputRef
from starforge.server.control.collecting import DAY, Collecting, collect
from starforge.server.services import experiments
from starforge.server.services import jobs as job_service
from starforge.server.store import jobs, pipelines, registry, sweeps
from starforge.server.store.pipelines import NewPipeline, NewStage
from starforge.server.store.records import JobChange
from starforge.server.store.sweeps import NewSweep
from starforge.wire.experiments import ExperimentForm


def everything(core):
    return {path.name for path in core.blobs.root.glob("??/??/*")}


def let_days_pass(core, days):
    for path in core.blobs.root.rglob("*"):
        if path.is_file():
            then = path.stat().st_mtime - days * DAY
            os.utime(path, (then, then))


def put(core, text):
    return core.blobs.put([text.encode()])


def request_of(core, name):
    bundle, rows = put(core, f"bundle of {name}"), put(core, f"rows of {name}")
    return {"bundle": bundle, "inputs": [{"name": "data.train", "digest": rows}]}, {bundle, rows}


def a_job(core, add_job, make_plan):
    bundle, rows = put(core, "bundle"), put(core, "rows")
    ref = InputRef(name="data.train", kind="blob", location=rows, digest=rows)
    hub = InputRef(name="model", kind="hub", location="some/model")
    return add_job(make_plan(inputs=[ref, hub]), bundle=bundle), {bundle, rows}


def test_a_form_that_was_never_submitted_goes_after_its_days(core):
    form = ExperimentForm(name="mine", method="trl/sft")
    made = experiments.make(core, form, "en")
    assert made.request.bundle in everything(core)
    let_days_pass(core, 6)
    assert collect(core) == 0
    let_days_pass(core, 2)
    assert collect(core) == len(made.request.inputs) + 1
    assert everything(core) == set()
    again = experiments.make(core, form, "en")
    assert again.request.bundle in everything(core)


def test_what_anything_refers_to_stays_for_ever(core, add_job, make_plan):
    _, kept = a_job(core, add_job, make_plan)
    add_job()  # without a bundle and inputs
    of_stage, used = request_of(core, "stage")
    kept |= used
    of_sweep, used = request_of(core, "sweep")
    kept |= used
    kept.add(put(core, "dataset"))
    with core.db.write() as tx:
        registry.add_dataset(tx, "d", digest=put(core, "dataset"), rows=1, size=7, columns=[],
                             filename="d.jsonl")  # fmt: skip
        stage = NewStage(stage=Stage(name="a", experiment="a"), request=of_stage, plan_digest="p")
        bench = NewStage(stage=Stage(name="b", experiment="b"), request={}, plan_digest="p")
        fields = dict.fromkeys(("lab", "owner", "idempotency_key"))
        pipelines.create(
            tx, NewPipeline(name="p", text="", fresh=False, lang="en", **fields), [stage, bench]
        )
        sweeps.create(
            tx,
            NewSweep(name="s", method="m", metric="loss", goal="min", jobs=1, request=of_sweep,
                     lang="en", idempotency_key=None),
            [],
        )  # fmt: skip
    loose = put(core, "loose")
    let_days_pass(core, 1000)
    assert collect(core) == 1
    assert everything(core) == kept
    assert loose not in kept


def test_what_a_deleted_job_had_goes_with_it(core, add_job, make_plan):
    job, had = a_job(core, add_job, make_plan)
    let_days_pass(core, 8)
    assert collect(core) == 0
    with core.db.write() as tx:
        jobs.change(tx, job.id, JobChange(state="succeeded"))
        job = jobs.get(tx, job.id)
    job_service.delete(core, job, force=False)
    assert collect(core) == len(had)
    assert everything(core) == set()


def test_an_upload_that_broke_off_goes_after_a_day(core):
    put(core, "whole")
    left = core.blobs.root / "tmp" / "left"
    left.write_bytes(b"half")
    let_days_pass(core, 2)
    collect(core)
    assert not left.exists()
    assert len(everything(core)) == 1


def test_a_removal_that_was_cut_short_is_finished(core):
    digest = put(core, "doomed")
    let_days_pass(core, 8)
    core.blobs.path(digest).rename(core.blobs.root / "tmp" / "doomed")  # and killed there
    collect(core)
    assert not list((core.blobs.root / "tmp").iterdir())


@pytest.mark.parametrize(("days", "left"), [(0, 1), (30, 1), (10, 0)])
def test_the_deployment_says_how_long_they_stay(core, days, left):
    core.settings = dataclasses.replace(core.settings, keep_uploads=days)
    put(core, "loose")
    let_days_pass(core, 20)
    collect(core)
    assert len(everything(core)) == left


def test_the_setting_is_read_from_the_environment(monkeypatch, tmp_path):
    from starforge.server.settings import Settings

    assert Settings.from_env(home=tmp_path).keep_uploads == 7
    for text in ("0", "30"):
        monkeypatch.setenv("STARFORGE_KEEP_UPLOADS", text)
        assert Settings.from_env(home=tmp_path).keep_uploads == int(text)


def test_it_stops_between_two_contents(core):
    put(core, "loose")
    let_days_pass(core, 8)
    closed = threading.Event()
    closed.set()
    assert collect(core, closed) == 0


def test_the_thread_collects_and_ends(core, monkeypatch):
    from starforge.server.control import collecting

    monkeypatch.setattr(collecting, "FIRST", 0.0)
    done = threading.Event()
    monkeypatch.setattr(collecting, "collect", lambda core, closed: done.set())
    thread = Collecting(core)
    thread.start()
    assert done.wait(20)
    thread.close()
    assert not [one for one in threading.enumerate() if one.name == "collecting"]

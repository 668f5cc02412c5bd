"""Pipelines in the store: kept whole or not at all, moved on by what their jobs did."""

import json
import sys

import pytest
import yaml

from starforge.client.submit import make_request
from starforge.errors import StarForgeError
from starforge.pipelines.examine import examine
from starforge.server.errors import FindingsError
from starforge.server.services import (
    experiment_values,
    pipeline_resume,
    pipeline_runs,
    pipelines,
    published,
)
from starforge.server.services import jobs as job_service
from starforge.server.store import attempts, jobs, scores
from starforge.server.store import pipelines as store
from starforge.server.store.records import AttemptChange, JobChange, JobFilter, NewScore
from starforge.wire.pipelines import PipelineRequest, StageRequest


@pytest.fixture
def send(core, tmp_path):
    """Send a pipeline of custom experiments that print their name; return its request."""
    core.settings.catalog_folder.mkdir(parents=True, exist_ok=True)
    (core.settings.catalog_folder / "runtimes.yaml").write_text(
        f"custom: {{python: {sys.executable}}}\n"
    )
    lab = tmp_path / "lab"
    (lab / "pipelines" / "p").mkdir(parents=True)
    (lab / "starforge.yaml").write_text("name: lab\n")
    count = iter(range(100))

    def build(stages, **more):
        for stage in stages.values():
            folder = lab / "experiments" / stage["experiment"]
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "train.sh").write_text(f"echo {folder.name}\n")
            (folder / "experiment.yaml").write_text(json.dumps({"method": "custom/custom"}))
        file = lab / "pipelines" / "p" / "pipeline.yaml"
        file.write_text(yaml.safe_dump({"stages": stages}, sort_keys=False))
        found = examine(file, tmp_path / f"work{next(count)}")
        assert found.ok, found.findings
        requests = []
        for name, one in found.stages.items():
            sending = make_request(one.prepared, sets=one.stage.set_texts, replace=one.inputs)
            core.blobs.put([sending.bundle.data], digest=sending.bundle.sha256)
            requests.append(StageRequest(name=name, job=sending.request))
        fields = {"name": "p", "text": file.read_text(), "stages": requests, **more}
        return PipelineRequest(**fields)

    return build


@pytest.fixture
def world(core, send):
    """A pipeline in the store whose jobs end as the test says."""

    class World:
        def start(self, stages, **more):
            self.id, is_new, _ = pipelines.create(core, send(stages, **more), "en")
            assert is_new
            self.go()
            return self

        def go(self):
            pipeline_runs.advance(core, self.id)
            self.stages = {one.name: one for one in self.rows()}

        def rows(self):
            with core.db.read() as tx:
                self.run = store.get(tx, self.id)
                return store.stages(tx, self.id)

        @property
        def states(self):
            return {name: one.state for name, one in self.stages.items()}

        def end(self, name, state="succeeded", score=None, files=None):
            job = self.stages[name].job_id
            folder = core.settings.job_dir(job) / "output"
            for path, text in (files or {}).items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text)
            with core.db.write() as tx:
                if score is not None:
                    value, stderr = score
                    scores.add(tx, job, 0, [NewScore(
                        benchmark="own", metric="acc", value=value, stderr=stderr, items=9,
                        higher_is_better=True, settings={}, created_at=1.0,
                    )])  # fmt: skip
                jobs.change(tx, job, JobChange(state=state, reason="exit_code"))
                attempts.change(tx, job, 0, AttemptChange(state=state))
            self.go()

        def jobs(self):
            with core.db.read() as tx:
                return jobs.page(tx).total

    return World()


A = {"experiment": "a"}
B = {"experiment": "b", "needs": "a"}


def test_stages_start_when_their_turn_comes(core, world):
    world.start({"a": A, "b": B, "c": {"experiment": "c"}})
    assert world.states == {"a": "running", "b": "waiting", "c": "running"}
    world.go()
    assert world.jobs() == 2
    world.end("a")
    assert world.states["b"] == "running"
    with core.db.read() as tx:
        job = jobs.get(tx, world.stages["b"].job_id)
    assert (job.name, job.pipeline, job.experiment["stage"]) == ("p-b", world.id, "b")
    assert job.idempotency_key == f"pipeline:{world.id}:b:0"
    world.end("b")
    assert world.run.state == "running"
    world.end("c")
    assert (world.run.state, world.run.message) == ("succeeded", None)
    assert set(world.states.values()) == {"succeeded"}


def test_every_change_is_told(core, world):
    told = []
    core.bus.listen(lambda one: one.kind == "pipeline" and told.append(one.data))

    def changed():
        """Whether readers were told, and only of this pipeline."""
        found = set(told)
        told.clear()
        return found == {world.id}

    world.start({"a": A, "b": B})
    assert changed()
    world.go()
    assert not told
    world.end("a")
    assert changed()
    pipelines.stop(core, world.run)
    assert changed()
    world.end("b", state="stopped")
    assert (world.run.state, changed()) == ("stopped", True)
    pipeline_resume.resume(core, world.run)
    assert changed()


def test_a_start_that_breaks_off_before_it_is_kept_makes_no_second_job(core, world, monkeypatch):
    change, broken = store.change_stage, []

    def crash(tx, ident, name, new, **more):
        if new.state == "running" and not broken:
            broken.append(name)
            raise OSError(28, "No space left on device")
        return change(tx, ident, name, new, **more)

    monkeypatch.setattr(store, "change_stage", crash)
    with pytest.raises(OSError, match="No space"):
        world.start({"a": A})
    assert (world.jobs(), broken) == (1, ["a"])
    world.go()
    assert (world.states, world.jobs()) == ({"a": "running"}, 1)
    assert not world.stages["a"].reused


def test_a_file_of_one_stage_is_data_of_another(core, world):
    world.start({"a": A, "b": {"experiment": "b", "data_from": {"train": "a:x/r.jsonl"}}})
    world.end("a", files={"x/r.jsonl": '{"n": 1}\n{"n": 2}\n'})
    folder = core.settings.job_dir(world.stages["b"].job_id)
    assert (folder / "data" / "train.jsonl").read_text() == '{"n": 1}\n{"n": 2}\n'
    plan = json.loads((folder / "record" / "plan.json").read_text())
    assert [one["rows"] for one in plan["inputs"]] == [2]


def test_a_file_whose_name_looks_like_a_data_set_is_still_a_file(core, world):
    world.start({"a": A, "b": {"experiment": "b", "data_from": {"train": "a:dataset:x"}}})
    world.end("a", files={"dataset:x": '{"n": 1}\n'})
    assert world.states["b"] == "running"


def test_a_link_out_of_the_output_folder_is_no_file_of_the_stage(core, world, tmp_path):
    secret = tmp_path / "secret.jsonl"
    secret.write_text('{"n": 1}\n')
    world.start({"a": A, "b": {"experiment": "b", "data_from": {"train": "a:r.jsonl"}}})
    (core.settings.job_dir(world.stages["a"].job_id) / "output" / "r.jsonl").symlink_to(secret)
    world.end("a")
    assert world.states["b"] == "failed"
    assert "left no file output/r.jsonl" in world.stages["b"].message.en


def test_gates_are_decided_by_the_scores_and_kept(core, world):
    gate = ["own.acc >= 0.5", "own.acc better than a by 2 se"]
    world.start({"a": A, "b": {"experiment": "b", "gate": gate},
                 "c": {"experiment": "c", "needs": "b"}})  # fmt: skip
    world.end("a", score=(0.4, 0.03))
    world.end("b", score=(0.45, 0.04))
    assert world.states == {"a": "succeeded", "b": "gate_failed", "c": "skipped"}
    first, second = world.stages["b"].verdicts
    assert (first.met, second.met) == (False, False)
    assert second.bound == pytest.approx(0.5)
    assert world.run.state == "failed"
    assert "own.acc = 0.45 ± 0.04 is not >= 0.5" in world.run.message.en
    shown = pipelines.detail(core, world.id, "zh")
    assert "未通过门槛" in shown.message
    assert shown.stages[1].scores[0].value == 0.45
    assert shown.counts == {"succeeded": 1, "gate_failed": 1, "skipped": 1}


def test_a_failed_stage_is_tried_again_with_a_new_job(world):
    world.start({"a": {**A, "retries": 1}, "b": B})
    first = world.stages["a"].job_id
    world.end("a", "failed")
    assert (world.states["a"], world.stages["a"].attempt) == ("running", 1)
    assert world.stages["a"].job_id != first
    world.end("a", "failed")
    assert world.states == {"a": "failed", "b": "skipped"}
    assert world.jobs() == 2


def test_what_ran_before_counts_unless_it_changed_or_is_to_be_fresh(core, world):
    stages = {"a": A, "b": B}
    world.start(stages)
    world.end("a")
    world.end("b")
    first = {name: one.job_id for name, one in world.stages.items()}
    world.start(stages)
    assert world.run.state == "succeeded"
    assert {name: one.job_id for name, one in world.stages.items()} == first
    assert all(one.reused for one in world.stages.values())
    world.start({"a": A, "b": {**B, "set": {"total_steps": 3}}})
    assert (world.stages["a"].reused, world.states["b"]) == (True, "running")
    world.start(stages, fresh=True)
    assert (world.states, world.jobs()) == ({"a": "running", "b": "waiting"}, 4)
    job_service.delete(core, job_service.find(core, first["a"]), force=False)
    world.start(stages)
    assert world.states == {"a": "running", "b": "waiting"}


def test_two_stages_that_do_the_same_both_run(world):
    world.start({"a": A, "again": {"experiment": "a", "needs": "a"}})
    world.end("a")
    assert (world.states["again"], world.jobs()) == ("running", 2)


def test_a_model_counts_by_the_job_that_made_it(core, world):
    stages = {"a": A, "b": {"experiment": "b", "init_from": "a"}}
    model = {"checkpoints/step-1/config.json": "{}"}
    world.start(stages)
    world.end("a", files=model)
    world.end("b")
    old = world.stages["b"].job_id
    world.start(stages, fresh=True)
    world.end("a", files=model)
    assert world.stages["b"].job_id != old
    with core.db.read() as tx:
        job = jobs.get(tx, world.stages["b"].job_id)
    assert job.experiment["model"] == f"job:{world.stages['a'].job_id}"
    assert job.parent == world.stages["a"].job_id


def test_a_stop_stops_what_runs_and_starts_no_more(core, world):
    world.start({"a": A, "b": B})
    pipelines.stop(core, pipelines.find(core, world.id))
    world.go()
    assert world.states == {"a": "running", "b": "skipped"}
    assert pipelines.detail(core, world.id, "en").state == "stopping"
    assert job_service.find(core, world.stages["a"].job_id).desired == "stop"
    world.end("a", "stopped")
    assert (world.run.state, world.states["a"]) == ("stopped", "stopped")


def test_a_resume_takes_up_what_did_not_succeed(core, world):
    world.start({"a": A, "b": B, "c": {"experiment": "c", "needs": "b"}})
    world.end("a")
    kept = world.stages["a"].job_id
    world.end("b", "failed")
    assert world.states == {"a": "succeeded", "b": "failed", "c": "skipped"}
    pipeline_resume.resume(core, pipelines.find(core, "p"))
    world.go()
    assert world.states == {"a": "succeeded", "b": "running", "c": "waiting"}
    assert (world.stages["a"].job_id, world.stages["b"].attempt) == (kept, 1)
    with pytest.raises(StarForgeError) as refused:
        pipeline_resume.resume(core, pipelines.find(core, "p"))
    assert refused.value.code == "pipeline/not-resumable"
    world.end("b")
    world.end("c")
    assert world.run.state == "succeeded"


def test_a_resume_goes_on_with_a_job_that_was_taken_up_by_hand(core, world):
    world.start({"a": A, "b": B})
    job = world.stages["a"].job_id
    world.end("a", "failed")
    assert world.run.state == "failed"
    job_service.retry(core, job_service.find(core, job))
    pipeline_resume.resume(core, pipelines.find(core, world.id))
    world.go()
    assert (world.states, world.stages["a"].job_id) == ({"a": "running", "b": "waiting"}, job)


def test_a_stage_goes_on_from_the_checkpoint_of_its_job(core, world):
    world.start({"a": A})
    job = world.stages["a"].job_id
    world.end("a", "stopped", files={"checkpoints/step-1/config.json": "{}"})
    pipeline_resume.resume(core, pipelines.find(core, world.id))
    world.go()
    found = job_service.find(core, job)
    assert (world.stages["a"].job_id, found.state, found.current_attempt) == (job, "queued", 1)
    with core.db.read() as tx:
        assert attempts.get(tx, job, 1).resume


def test_a_job_that_was_deleted_is_said_and_run_again_on_resume(core, world):
    world.start({"a": A, "b": B})
    with core.db.write() as tx:
        jobs.delete(tx, world.stages["a"].job_id)
    world.go()
    assert "was deleted" in world.stages["a"].message.en
    assert world.run.state == "failed"
    pipeline_resume.resume(core, pipelines.find(core, world.id))
    world.go()
    assert (world.states, world.jobs()) == ({"a": "running", "b": "waiting"}, 1)


def test_the_same_key_answers_the_same_pipeline(core, send):
    asked = send({"a": A}, idempotency_key="k")
    first, is_new, _ = pipelines.create(core, asked, "en")
    assert is_new
    assert pipelines.create(core, asked, "en")[:2] == (first, False)
    assert pipelines.page(core, "en", state=None, search=None, number=1, size=9).total == 1


def test_what_is_refused_leaves_nothing(core, send):
    asked = send({"a": A, "b": B})
    bad = [
        (asked.model_copy(update={"text": "stages: {}"}), FindingsError),
        (asked.model_copy(update={"text": asked.text.replace("needs: a", "needs: z")}),
         FindingsError),
        (asked.model_copy(update={"stages": asked.stages[:1]}), StarForgeError),
        (asked.model_copy(update={"stages": [*asked.stages, asked.stages[0]]}), StarForgeError),
        (asked.model_copy(update={"name": "a/b"}), StarForgeError),
    ]  # fmt: skip
    job = asked.stages[0].job
    for change in ({"plan_digest": "0" * 64}, {"bundle": "0" * 64}, {"sets": ["nope"]}):
        stage = asked.stages[0].model_copy(update={"job": job.model_copy(update=change)})
        bad.append((asked.model_copy(update={"stages": [stage, asked.stages[1]]}), StarForgeError))
    for request, error in bad:
        with pytest.raises(error):
            pipelines.create(core, request, "en")
    assert pipelines.page(core, "en", state=None, search=None, number=1, size=9).total == 0
    assert [one.name for one in core.settings.jobs.iterdir()] == []


def test_a_stage_whose_plan_is_no_longer_the_printed_one_does_not_run(core, world, monkeypatch):
    world.start({"a": A, "b": B})
    with core.db.write() as tx:
        table = store.pipeline_stages
        tx.execute(table.update().where(table.c.name == "b").values(plan_digest="0" * 64))
    world.end("a")
    assert world.states["b"] == "failed"
    assert "not the one that was printed" in world.stages["b"].message.en
    assert world.jobs() == 1


def test_a_method_that_is_no_longer_published_keeps_its_stage_from_running(
    core, world, monkeypatch
):
    world.start({"a": A, "b": B})

    def gone(*_):
        raise StarForgeError("method/unpublished", published.Text("gone", "已下架"), status=404)

    monkeypatch.setattr(published, "require", gone)
    world.end("a")
    assert (world.states["b"], world.stages["b"].message.en) == ("failed", "gone")


def test_the_experiment_of_a_stage_is_given_back_with_what_it_ran_on(core, world):
    world.start({"a": A, "b": {"experiment": "b", "init_from": "a"}})
    world.end("a", files={"checkpoints/step-1/config.json": "{}"})
    job = job_service.find(core, world.stages["b"].job_id)
    with experiment_values.origin(core, job) as one:
        assert one.experiment.model == f"job:{world.stages['a'].job_id}"
        assert experiment_values.request_of(one).replace == {"model": one.experiment.model}
    with core.db.read() as tx:
        of_pipeline = jobs.page(tx, JobFilter(pipeline=world.id))
        assert jobs.page(tx, JobFilter(pipeline="none")).total == 0
    assert {row.id for row in of_pipeline.rows} == {one.job_id for one in world.stages.values()}

"""Sweeps in the store: every trial made once, and the best of them found."""

import sys

import pytest

from starforge.client.submit import make_request
from starforge.errors import StarForgeError
from starforge.prepare import prepare
from starforge.server.errors import FindingsError
from starforge.server.services import sweep_runs, sweeps
from starforge.server.store import attempts, jobs, scalars
from starforge.server.store import sweeps as store
from starforge.server.store.records import AttemptChange, JobChange, JobFilter
from starforge.wire.sweeps import SweepRequest


@pytest.fixture
def request_of(core, tmp_path):
    """Return the request for a sweep of a custom experiment over its own key ``x``."""
    core.settings.catalog_folder.mkdir(parents=True, exist_ok=True)
    (core.settings.catalog_folder / "runtimes.yaml").write_text(
        f"custom: {{python: {sys.executable}}}\n"
    )
    folder = tmp_path / "exp"
    folder.mkdir()
    (folder / "train.sh").write_text("echo\n")
    (folder / "config.yaml").write_text("x: 0\n")
    (folder / "experiment.yaml").write_text("method: custom/custom\ntags: [mine]\n")
    made = prepare(folder)
    assert made.ok, made.findings
    sending = make_request(made)
    core.blobs.put([sending.bundle.data], digest=sending.bundle.sha256)
    base = sending.request.model_copy(update={"plan_digest": None, "idempotency_key": None})

    def build(values, **more):
        trials = [{"x": str(value)} for value in values]
        fields = {"name": "s", "job": base, "trials": trials, "metric": "score", **more}
        return SweepRequest(**fields)

    return build


@pytest.fixture
def world(core, request_of):
    class World:
        def start(self, values, **more):
            self.id, is_new = sweeps.create(core, request_of(values, **more), "en")
            assert is_new
            return self.go()

        def go(self):
            sweep_runs.advance(core, self.id)
            with core.db.read() as tx:
                self.row = store.find(tx, self.id)
                self.trials = store.of_sweep(tx, self.id)
            return self

        @property
        def states(self):
            return [one.state for one in self.trials]

        def end(self, number, value=None, state="succeeded", reason="completed"):
            job = self.trials[number].job_id
            with core.db.write() as tx:
                if value is not None:
                    scalars.append(tx, job, 0, {"score": ([1, 2], [1.0, 2.0], [0.0, value])})
                jobs.change(tx, job, JobChange(state=state, reason=reason))
                attempts.change(tx, job, 0, AttemptChange(state=state))
            return self.go()

        def jobs(self):
            with core.db.read() as tx:
                return jobs.page(tx, JobFilter(tag="sweep:s")).total

    return World()


def test_at_most_so_many_run_at_once_and_the_best_is_found(core, world):
    world.start([1, 2, 3], jobs=2)
    assert world.states == ["running", "running", "waiting"]
    world.go()
    assert world.jobs() == 2
    world.end(0, 0.5)
    assert world.states == ["succeeded", "running", "running"]
    world.end(1, 0.9)
    world.end(2, state="failed", reason="exit_code")
    assert world.states == ["succeeded", "succeeded", "failed"]
    assert (world.row.state, world.jobs()) == ("succeeded", 3)
    found = sweeps.detail(core, world.id, "en")
    assert (found.best, found.trials[1].value) == (1, 0.9)
    with core.db.read() as tx:
        job = jobs.get(tx, found.trials[1].job_id)
    assert (job.name, job.experiment["sets"]) == ("s-1", ["x=2"])
    assert sorted(job.tags) == ["mine", "sweep:s"]


def test_the_lowest_is_best_where_the_goal_is_min(core, world):
    world.start([1, 2], jobs=2, goal="min").end(0, 0.5).end(1, 0.9)
    assert sweeps.detail(core, world.id, "en").best == 0


def test_a_crash_before_a_trial_is_kept_makes_no_second_job(world, monkeypatch):
    change, broken = store.change_trial, []

    def crash(tx, trial, new, **more):
        if new.state == "running" and not broken:
            broken.append(trial.number)
            raise OSError(28, "No space left on device")
        return change(tx, trial, new, **more)

    monkeypatch.setattr(store, "change_trial", crash)
    with pytest.raises(OSError, match="No space"):
        world.start([1, 2])
    assert world.jobs() == 1
    world.go()
    assert (world.states, world.jobs()) == (["running", "waiting"], 1)


def test_a_stop_takes_over_a_job_that_a_crash_left_unknown(core, world, monkeypatch):
    change = store.change_trial
    with monkeypatch.context() as patch:
        patch.setattr(store, "change_trial", lambda *_, **__: False)
        world.start([1, 2])
    assert store.change_trial is change
    assert (world.states, world.jobs()) == (["waiting", "waiting"], 1)
    sweeps.stop(core, world.row)
    assert world.go().states == ["running", "stopped"]
    world.go()
    with core.db.read() as tx:
        assert jobs.get(tx, world.trials[0].job_id).desired == "stop"


def test_stopped_trials_run_when_it_is_resumed(core, world):
    world.start([1, 2, 3]).end(0, 1.0)
    sweeps.stop(core, world.row)
    world.go().end(1, state="stopped", reason="stopped_by_user")
    assert (world.row.state, world.states) == ("stopped", ["succeeded", "stopped", "stopped"])
    first = world.trials[1].job_id
    sweeps.resume(core, world.row)
    world.go()
    assert world.states == ["succeeded", "running", "waiting"]
    assert world.trials[1].job_id != first
    with pytest.raises(StarForgeError) as caught:
        sweeps.resume(core, world.row)
    assert caught.value.code == "sweep/not-stopped"


def test_only_a_failure_of_the_machine_is_tried_once_more(world):
    world.start([1]).end(0, state="failed", reason="runner_lost")
    assert (world.states, world.trials[0].attempt, world.jobs()) == (["running"], 1, 2)
    world.end(0, state="failed", reason="runner_lost")
    assert (world.row.state, world.states, world.jobs()) == ("failed", ["failed"], 2)


def test_a_trial_without_the_metric_is_no_best(core, world):
    world.start([1]).end(0)
    found = sweeps.detail(core, world.id, "en")
    assert (found.state, found.best) == ("succeeded", None)
    assert found.trials[0].message == "it never reported score"


def test_nothing_is_kept_of_a_sweep_with_a_bad_value(core, request_of):
    asked = request_of([1]).model_copy(update={"probes": [{"": "1"}]})
    with pytest.raises(FindingsError):
        sweeps.create(core, asked, "en")
    assert sweeps.listing(core, 5) == []


def test_the_same_key_answers_the_same_sweep(core, request_of):
    asked = request_of([1], idempotency_key="k")
    ident, is_new = sweeps.create(core, asked, "en")
    assert (is_new, sweeps.create(core, asked, "en")) == (True, (ident, False))
    assert [one.id for one in sweeps.listing(core, 5)] == [ident]

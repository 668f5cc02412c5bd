"""Sweeps in the store: every trial made once, and the best of them found."""

import sys

import pytest

from starforge.client.submit import make_request
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.prepare import prepare
from starforge.server.control.finish import Ending, record
from starforge.server.errors import FindingsError
from starforge.server.services import again, sweep_runs, sweep_search, sweeps
from starforge.server.services import jobs as job_service
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
    assert (found.best, found.best_value, found.trials[1].value) == (1, 0.9, 0.9)
    with core.db.read() as tx:
        job = jobs.get(tx, found.trials[1].job_id)
    assert (job.name, job.experiment["sets"]) == ("s-1", ["x=2"])
    assert sorted(job.tags) == ["mine", "sweep:s"]
    shown = job_service.detail(core, job.id, "en")
    assert (shown.sweep, shown.trial) == (world.id, 1)


def test_every_change_is_told(core, world):
    told = []
    core.bus.listen(lambda one: one.kind == "sweep" and told.append(one.data))

    def changed():
        """Whether readers were told, and only of this sweep."""
        found = set(told)
        told.clear()
        return found == {world.id}

    world.start([1, 2])
    assert changed()
    world.go()
    assert not told
    world.end(0, 0.5)
    assert changed()
    sweeps.stop(core, world.row)
    assert changed()
    world.end(1, state="stopped", reason="stopped_by_user")
    assert (world.row.state, changed()) == ("stopped", True)
    sweeps.resume(core, world.row)
    assert changed()


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
    with pytest.raises(FindingsError) as caught:
        sweeps.create(core, asked, "en")
    assert caught.value.message.en == "with =1 the experiment has 1 error; nothing was started"
    assert caught.value.message.zh == "取 =1 时实验有 1 处错误；没有启动任何任务"
    assert "values of the sweep" in caught.value.hint.en
    assert sweeps.listing(core, 5) == []


def test_the_same_key_answers_the_same_sweep(core, request_of):
    asked = request_of([1], idempotency_key="k")
    ident, is_new = sweeps.create(core, asked, "en")
    assert (is_new, sweeps.create(core, asked, "en")) == (True, (ident, False))
    assert [one.id for one in sweeps.listing(core, 5)] == [ident]


class TestSearch:
    @pytest.fixture
    def ask(self, core, world, request_of):
        """Start a search over ``x``; ``world.report`` ends a trial with a value of its ``x``."""

        def start(count, *, space="x=0.0..1.0", **more):
            asked = request_of([], search={"space": [space], "count": count, "seed": 4}, **more)
            world.id, _ = sweeps.create(core, asked, "en")
            return world.go()

        return start

    @staticmethod
    def play(world, count):
        for number in range(count):
            x = float(world.trials[number].parameters["x"])
            world.end(number, -((x - 0.3) ** 2))
        return [one.parameters["x"] for one in world.trials]

    def test_trials_are_chosen_one_after_the_other(self, core, world, ask):
        ask(3)
        assert world.states == ["running"]
        first = self.play(world, 3)
        assert (world.row.state, world.jobs(), len(set(first))) == ("succeeded", 3, 3)
        ask(3)
        assert self.play(world, 3) == first
        found = sweeps.detail(core, world.id, "en")
        assert (found.planned, found.counts) == (3, {"succeeded": 3})

    def test_as_many_are_chosen_as_may_run(self, world, ask):
        ask(4, jobs=3)
        assert world.states == ["running"] * 3
        assert len({one.parameters["x"] for one in world.trials}) == 3
        world.end(1, 0.5)
        assert world.states == ["running", "succeeded", "running", "running"]

    def test_a_crash_after_choosing_changes_nothing(self, core, world, ask, monkeypatch):
        def crash(*_, **__):
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(store, "add_trial", crash)
            with pytest.raises(OSError, match="No space"):
                ask(2)
        assert world.go().states == ["running"]
        chosen = world.trials[0].parameters
        ask(2)
        assert world.trials[0].parameters == chosen

    def test_a_combination_that_is_refused_counts_as_failed(self, core, world, ask, monkeypatch):
        refuse = StarForgeError("config/x", Text("too much", "太多"), status=422)
        check, asked = sweep_search.check_trial, []

        def once(*args):
            asked.append(args)
            if len(asked) == 1:
                raise refuse
            return check(*args)

        monkeypatch.setattr(sweep_search, "check_trial", once)
        ask(2)
        assert world.states == ["failed", "running"]
        assert world.trials[0].message.zh == "太多"
        world.end(1, 0.1)
        assert (world.row.state, world.jobs()) == ("succeeded", 1)

    def test_it_stops_before_all_are_chosen_and_goes_on(self, core, world, ask):
        ask(3).end(0, 0.5)
        sweeps.stop(core, world.row)
        world.go().end(1, state="stopped", reason="stopped_by_user")
        assert (world.row.state, world.states) == ("stopped", ["succeeded", "stopped"])
        tried = [one.parameters for one in world.trials]
        sweeps.resume(core, world.row)
        world.go()
        world.end(1, 0.1).end(2, 0.2)
        assert (world.row.state, world.states) == ("succeeded", ["succeeded"] * 3)
        assert [one.parameters for one in world.trials][:2] == tried

    def test_a_space_that_ends_early_is_refused(self, core, request_of):
        for more in (
            {"search": {"space": ["x=1..3"], "count": 4}},
            {"search": {"space": ["x=3..1"], "count": 1}},
            {"search": None},
        ):
            with pytest.raises(StarForgeError) as caught:
                sweeps.create(core, request_of([], **more), "en")
            assert caught.value.code == "sweep/space"
        assert sweeps.listing(core, 5) == []

    def test_both_ends_are_checked(self, core, request_of, monkeypatch):
        check, seen = sweeps.check_trial, []

        def watched(core, base, parameters):
            seen.append(parameters)
            return check(core, base, parameters)

        monkeypatch.setattr(sweeps, "check_trial", watched)
        sweeps.create(core, request_of([], search={"space": ["x=1..2"], "count": 1}), "en")
        assert seen == [{"x": "1"}, {"x": "2"}]


class TestEarlyStop:
    @pytest.fixture
    def report(self, core, world):
        """Report values of a trial's job at steps, with the steps it will take in all."""

        def told(number, steps, values, total=9):
            job = world.trials[number].job_id
            with core.db.write() as tx:
                times = [float(step) for step in steps]
                scalars.append(tx, job, 0, {"score": (steps, times, values)})
                jobs.change(tx, job, JobChange(state="running", progress_total=total))
            return world.go()

        return told

    def test_a_trial_that_is_not_among_the_best_is_ended(self, core, world, report):
        told = []
        core.bus.listen(lambda one: one.kind == "sweep" and told.append(one.data))
        world.start([1, 2], jobs=2, early_stop={"factor": 3})
        report(0, [1, 2, 3], [0.5, 0.6, 0.7])
        assert world.row.early_stop.first == 1
        assert world.trials[0].rungs == [0.5, 0.7]
        told.clear()
        report(1, [1, 2], [0.4, 9.0])
        assert set(told) == {world.id}
        assert (world.trials[1].pruned_at, world.trials[1].rungs) == (1, [0.4])
        with core.db.read() as tx:
            job = jobs.summary(tx, world.trials[1].job_id)
        assert (job.desired, job.state) == ("stop", "stopping")
        record(core, job, Ending("stopped", "stopped_by_user", None))
        world.go()
        with core.db.read() as tx:
            job = jobs.summary(tx, world.trials[1].job_id)
        assert (job.state, job.reason) == ("stopped", "pruned")
        assert "score was 0.4 at step 1, among 2 from 0.4 to 0.5" in job.message.en
        assert world.states == ["running", "pruned"]
        world.end(0, 1.0)
        found = sweeps.detail(core, world.id, "zh")
        assert (found.state, found.best, found.trials[1].pruned_at) == ("succeeded", 0, 1)
        assert "第 1 步" in found.trials[1].message

    def test_one_that_was_done_in_time_has_succeeded(self, world, report):
        world.start([1, 2], jobs=2, early_stop={"factor": 3})
        report(0, [1], [0.5])
        report(1, [1], [0.4])
        assert world.trials[1].pruned_at == 1
        world.end(1, 0.9)
        assert (world.states[1], world.trials[1].pruned_at) == ("succeeded", None)

    def test_the_last_step_ends_nobody_early(self, world, report):
        world.start([1, 2], jobs=2, early_stop={"factor": 3, "first": 9})
        report(0, [9], [0.5])
        report(1, [9], [0.4])
        assert world.trials[1].pruned_at is None

    def test_steps_that_were_never_told_are_learned_from_the_first_that_succeeds(
        self, core, world, report
    ):
        world.start([1, 2], early_stop={"factor": 3})
        report(0, [1, 90], [0.1, 0.5], total=None)
        assert world.row.early_stop.first is None
        world.end(0)
        assert world.row.early_stop.first == 10
        report(1, [5], [0.1], total=None)
        assert world.trials[1].pruned_at is None
        report(1, [12], [0.2], total=None)
        assert world.trials[1].pruned_at == 10

    def test_a_crash_after_the_decision_only_stops_the_job(self, core, world, report, monkeypatch):
        world.start([1, 2], jobs=2, early_stop={"factor": 3})
        report(0, [1], [0.5])

        def crash(*_, **__):
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(sweep_runs.job_service, "stop", crash)
            with pytest.raises(OSError, match="No space"):
                report(1, [1], [0.4])
        report(0, [2], [0.1])
        assert (world.trials[1].pruned_at, world.trials[1].rungs) == (1, [0.4])
        with core.db.read() as tx:
            assert jobs.summary(tx, world.trials[1].job_id).desired == "stop"

    def test_a_user_who_stops_a_trial_is_named(self, core, world, report):
        world.start([1, 2], jobs=2, early_stop={"factor": 3})
        report(0, [1], [0.5])
        with core.db.read() as tx:
            job = jobs.get(tx, world.trials[0].job_id)
        record(core, job, Ending("stopped", "stopped_by_user", None))
        world.go()
        assert world.states[0] == "stopped"
        with core.db.read() as tx:
            assert jobs.summary(tx, job.id).reason == "stopped_by_user"

    def test_pruned_trials_stay_so_when_it_is_resumed(self, core, world, report):
        world.start([1, 2], jobs=2, early_stop={"factor": 3})
        report(0, [1], [0.5])
        report(1, [1], [0.4])
        sweeps.stop(core, world.row)
        world.end(0, state="stopped", reason="stopped_by_user")
        world.end(1, state="stopped", reason="pruned")
        assert (world.row.state, world.states) == ("stopped", ["stopped", "pruned"])
        sweeps.resume(core, world.row)
        assert world.go().states == ["running", "pruned"]


class TestGoingOn:
    @pytest.fixture
    def resumable(self, monkeypatch):
        """Jobs that have a checkpoint; how often each was asked to go on from it."""
        asked = []

        def resume(core, job):
            asked.append(job.id)
            with core.db.write() as tx:
                assert again.queue(
                    tx, job, job.plan, resume=True, kind="resume", text=again.RESUMED
                )

        monkeypatch.setattr(again, "can_resume", lambda *_: True)
        monkeypatch.setattr(sweep_runs.job_service, "resume", resume)
        return asked

    def test_a_stopped_trial_goes_on_with_its_job(self, core, world, resumable):
        world.start([1])
        job = world.trials[0].job_id
        sweeps.stop(core, world.row)
        world.end(0, state="stopped", reason="stopped_by_user")
        sweeps.resume(core, world.row)
        world.go()
        assert (world.states, world.jobs(), resumable) == (["running"], 1, [job])
        world.end(0, 0.5)
        assert (world.row.state, world.trials[0].value) == ("succeeded", 0.5)

    def test_so_does_one_whose_machine_failed(self, world, resumable):
        world.start([1])
        job = world.trials[0].job_id
        world.end(0, state="failed", reason="runner_lost")
        assert (world.states, world.jobs(), resumable) == (["running"], 1, [job])
        world.end(0, state="failed", reason="runner_lost")
        assert (world.states, resumable) == (["failed"], [job])

    def test_a_crash_before_that_is_kept_asks_no_second_time(
        self, core, world, resumable, monkeypatch
    ):
        world.start([1])
        sweeps.stop(core, world.row)
        world.end(0, state="stopped", reason="stopped_by_user")
        sweeps.resume(core, world.row)
        with monkeypatch.context() as patch:
            patch.setattr(store, "change_trial", lambda *_, **__: False)
            world.go()
        assert world.states == ["waiting"]
        assert (world.go().states, len(resumable), world.jobs()) == (["running"], 1, 1)

"""The board: the newest score of a model in every column, and what its runs come to."""

import math

import pytest

from starforge.server.services import board
from starforge.server.store import scores
from starforge.server.store.records import NewScore


@pytest.fixture
def measure(core, add_job):
    """Return a function that keeps one score of a model, as a job of its own."""

    def made(value, *, model="base", at=1.0, digest=None, **settings):
        job = add_job(name="bench")
        row = NewScore(
            benchmark="sums", metric="acc", value=value, stderr=0.1, items=10,
            higher_is_better=True, settings={"limit": None} | settings, created_at=at,
        )  # fmt: skip
        with core.db.write() as tx:
            scores.add(tx, job.id, 0, [row])
            scores.label(tx, job.id, model=model, model_digest=digest)
        return job.id

    return made


def shown(core, **which):
    return board.scores(core, **{"benchmark": None, "model": None} | which)


def test_repeats_have_mean_deviation_and_jobs(core, measure):
    jobs = [measure(value, at=at, seed=at) for at, value in enumerate((0.2, 0.4, 0.9), 1)]
    (one,) = shown(core)
    assert one.runs.mean == pytest.approx(0.5)
    assert one.runs.deviation == pytest.approx(math.sqrt((0.09 + 0.01 + 0.16) / 2))
    assert one.runs.values == [0.9, 0.4, 0.2] and one.runs.jobs == jobs[::-1]
    assert (one.value, one.job, one.settings["seed"]) == (0.9, jobs[2], 3)


def test_equal_repeats_have_no_deviation(core, measure):
    for at in (1, 2):
        measure(0.25, at=at)
    (one,) = shown(core)
    assert (one.runs.mean, one.runs.deviation) == (0.25, 0.0)


def test_a_single_run_has_none_and_no_number_is_left_out(core, measure):
    measure(0.5, model="once")
    measure(math.nan, model="twice", at=2)
    measure(0.5, model="twice")
    measure(0.5, model="other settings", limit=5)
    measure(0.7, model="other settings")
    found = {(one.model, one.value): one.runs for one in shown(core)}
    assert found == dict.fromkeys(
        [("once", 0.5), ("twice", None), ("other settings", 0.5), ("other settings", 0.7)]
    )
    measure(0.7, model="twice")
    (twice,) = shown(core, model="twice")
    assert twice.value is None and twice.runs.values == [0.7, 0.5], "the newest is no number"


def test_the_newest_is_first_and_weights_tell_models_apart(core, measure):
    measure(0.1, digest="a", at=1)
    measure(0.2, digest="b", at=3)
    measure(0.3, model="other", at=2)
    assert [one.value for one in shown(core)] == [0.2, 0.3, 0.1]
    assert [one.value for one in shown(core, benchmark="words")] == []


def test_a_model_that_is_a_job_has_the_name_of_the_job(core, measure, add_job):
    trained = add_job(name="my-sft")
    for model in (f"job:{trained.id}", f"job:{trained.id}@step-4", "job:gone", "org/base"):
        measure(0.5, model=model)
    assert {one.model: one.model_name for one in shown(core)} == {
        f"job:{trained.id}": "my-sft",
        f"job:{trained.id}@step-4": "my-sft",
        "job:gone": None,
        "org/base": None,
    }

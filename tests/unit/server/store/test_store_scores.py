import math

from tests_store_support import make_job

from starforge.server.store import attempts, jobs, scores
from starforge.server.store.records import NewScore


def score(value, at=1.0, **changes):
    values = {
        "benchmark": "sums",
        "metric": "exact_match",
        "value": value,
        "stderr": 0.01,
        "items": 100,
        "higher_is_better": True,
        "settings": {"shots": 0, "version": 1},
        "created_at": at,
    }
    return NewScore(**{**values, **changes})


def put(db, model, *rows, digest=None):
    with db.write() as tx:
        job = jobs.create(tx, make_job())[0].id
        attempts.create(tx, job, resume=False)
        scores.add(tx, job, 0, rows)
        scores.label(tx, job, model=model, model_digest=digest)
    return job


def runs(db, **which):
    """Return the values of the runs by model, as a sorted list: one entry a column and model."""
    with db.read() as tx:
        found = scores.runs(tx, **which).items()
    return sorted((who[0], [one.value for one in rows]) for (_, who), rows in found)


def test_scores_come_back(db):
    job = put(db, "base", score(0.25), score(math.nan, stderr=None, items=None))
    with db.read() as tx:
        first, second = scores.of_job(tx, job)
    assert (first.value, first.model, first.attempt, first.job_id) == (0.25, "base", 0, job)
    assert math.isnan(second.value)


def test_only_equal_settings_are_runs_of_the_same(db):
    put(db, "base", score(0.2), score(0.3, settings={"shots": 5, "version": 1}))
    put(db, "base", score(0.6, settings={"version": 1, "shots": 0}))
    put(db, "base", score(0.5, metric="acc"), score(0.4, benchmark="words"))
    assert runs(db) == [("base", [0.3]), ("base", [0.4]), ("base", [0.5]), ("base", [0.6, 0.2])]
    assert runs(db, benchmark="words") == [("base", [0.4])]


def test_runs_with_other_seeds_are_of_the_same_and_the_newest_is_first(db):
    for seed, at in ((1, 2.0), (2, 3.0), (3, 1.0)):
        put(db, "base", score(seed / 10, at=at, settings={"shots": 0, "seed": seed}))
    put(db, "base", score(0.4, at=0.5, settings={"shots": 0}))
    assert runs(db) == [("base", [0.2, 0.1, 0.3, 0.4])]


def test_of_a_job_the_last_attempt_counts_once(db):
    job = put(db, "base", score(0.9, at=5.0))
    with db.write() as tx:
        attempts.create(tx, job, resume=False)
        scores.add(tx, job, 1, [score(0.1, at=6.0)])
        scores.label(tx, job, model="base", model_digest=None)
    put(db, "base", score(0.5, at=1.0))
    assert runs(db) == [("base", [0.1, 0.5])]


def test_models_of_one_name_and_other_weights_are_two(db):
    put(db, "my-model", score(0.9), digest="a")
    put(db, "my-model", score(0.1), digest="b")
    put(db, "other", score(0.3), digest="b")
    assert runs(db) == [("my-model", [0.1]), ("my-model", [0.9]), ("other", [0.3])]
    assert runs(db, model="other") == [("other", [0.3])]


def test_a_value_that_is_no_number_stays_one_run(db):
    put(db, "a", score(math.nan))
    ((_, (value,)),) = runs(db)
    assert math.isnan(value)

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


def board(db, **which):
    with db.read() as tx:
        return scores.board(tx, **which)


def test_scores_come_back(db):
    job = put(db, "base", score(0.25), score(math.nan, stderr=None, items=None))
    with db.read() as tx:
        first, second = scores.of_job(tx, job)
    assert (first.value, first.model, first.attempt, first.job_id) == (0.25, "base", 0, job)
    assert math.isnan(second.value)


def test_only_equal_settings_stand_in_one_column(db):
    put(db, "base", score(0.2), score(0.3, settings={"shots": 5, "version": 1}))
    put(db, "tuned", score(0.6, settings={"version": 1, "shots": 0}))
    columns = board(db)
    rows = sorted([row.model for row in column.rows] for column in columns)
    assert rows == [["base"], ["tuned", "base"]]


def test_the_newest_score_of_a_model_counts(db):
    put(db, "base", score(0.9, at=1.0))
    put(db, "base", score(0.1, at=2.0))
    (column,) = board(db)
    assert [row.value for row in column.rows] == [0.1]


def test_models_of_one_name_and_other_weights_are_two(db):
    put(db, "my-model", score(0.9), digest="a")
    put(db, "my-model", score(0.1), digest="b")
    (column,) = board(db)
    assert [row.value for row in column.rows] == [0.9, 0.1]


def test_the_best_is_first_and_nan_last(db):
    put(db, "a", score(math.nan))
    put(db, "b", score(0.1))
    put(db, "c", score(0.5))
    assert [row.model for row in board(db)[0].rows] == ["c", "b", "a"]
    for model, value in (("a", math.nan), ("b", 3.0), ("c", 2.0)):
        put(db, model, score(value, benchmark="loss", higher_is_better=False))
    (column,) = board(db, benchmark="loss")
    assert [row.model for row in column.rows] == ["c", "b", "a"]
    assert not column.higher_is_better
    assert [row.model for row in board(db, model="b", benchmark="loss")[0].rows] == ["b"]

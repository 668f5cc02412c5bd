import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select
from tests_store_support import make_job

from starforge.server.store import attempts, curves, jobs, scalars
from starforge.server.store.database import Database
from starforge.server.store.tables import chunks


def put(db, job, name, steps, values, *, times=None):
    times = [1.7e9 + step for step in steps] if times is None else times
    with db.write() as tx:
        scalars.append(tx, job, 0, {name: (steps, times, values)})


def levels(db):
    with db.read() as tx:
        statement = select(chunks.c.level, func.sum(chunks.c.count)).group_by(chunks.c.level)
        return {level: int(count) for level, count in tx.execute(statement)}


@pytest.mark.parametrize("size", [1, 7, 63, 64, 100, 4096, 5000, 20_000])
def test_points_come_back_in_whatever_portions_they_came(db, job_id, size):
    total = min(size * 150, 20_000)
    rng = np.random.default_rng(size)
    values = rng.standard_normal(total)
    with db.write() as tx:
        for start in range(0, total, size):
            part = range(start, min(start + size, total))
            times = [1.7e9 + step / 8 for step in part]
            scalars.append(tx, job_id, 0, {"loss": (part, times, values[part.start : part.stop])})
    with db.read() as tx:
        curve = curves.read(tx, job_id)["loss"]
    assert np.array_equal(curve.step, np.arange(total))
    assert np.array_equal(curve.value, values)
    assert np.array_equal(curve.time, 1.7e9 + np.arange(total) / 8)
    assert set(curve.count) == {1}


def test_points_move_from_tail_to_small_to_full_chunks(db, job_id):
    for start in range(0, 63):
        put(db, job_id, "loss", [start], [0.0])
    assert levels(db) == {0: 63}
    put(db, job_id, "loss", [63], [0.0])
    assert levels(db) == {1: 64}
    put(db, job_id, "loss", range(64, 4000), [0.0] * 3936)
    put(db, job_id, "loss", [4000], [0.0])
    assert levels(db) == {0: 1, 1: 4000}
    put(db, job_id, "loss", range(4001, 8300), [0.0] * 4299)
    assert levels(db) == {1: 108, 2: 8192}


def test_many_series_grow_together(db, job_id):
    names = [f"m{number}" for number in range(700)]
    for step in range(3):
        with db.write() as tx:
            points = {name: ([step], [1.0], [float(step)]) for name in names}
            scalars.append(tx, job_id, 0, points, {"m1": "train/m1"})
    with db.read() as tx:
        known = {series.name: series for series in scalars.series(tx, job_id)}
        read = curves.read(tx, job_id, ["m1", "m699", "nothing"])
    assert len(known) == 700
    assert (known["m1"].native, known["m2"].native) == ("train/m1", "m2")
    assert set(read) == {"m1", "m699"}
    assert list(read["m699"].value) == [0.0, 1.0, 2.0]


def test_series_know_their_last_least_and_greatest(db, job_id):
    put(db, job_id, "loss", [1, 2, 3], [3.0, math.inf, -1.0])
    put(db, job_id, "loss", [4], [math.nan])
    with db.read() as tx:
        (known,) = scalars.series(tx, job_id)
    assert (known.count, known.last_step, known.last_time) == (4, 4, 1.7e9 + 4)
    assert math.isnan(known.last_value)
    assert (known.minimum, known.maximum) == (-1.0, 3.0)


def test_a_series_of_nothing_finite_has_no_extremes(db, job_id):
    put(db, job_id, "loss", [1], [math.nan])
    with db.read() as tx:
        (known,) = scalars.series(tx, job_id)
    assert (known.minimum, known.maximum) == (None, None)


def test_odd_times_do_not_stop_a_job(db, job_id):
    put(db, job_id, "loss", [1, 2, 3], [1.0, 2.0, 3.0], times=[math.nan, math.inf, -1e300])
    with db.read() as tx:
        curve = curves.read(tx, job_id)["loss"]
    assert list(curve.value) == [1.0, 2.0, 3.0]
    assert np.isfinite(curve.time).all()


def test_appending_nothing_is_nothing(db, job_id):
    put(db, job_id, "loss", [], [])
    with db.read() as tx:
        assert scalars.series(tx, job_id) == []


def test_a_typical_curve_takes_at_most_twelve_bytes_a_point(db, job_id):
    if db.url.get_backend_name() != "sqlite":
        pytest.skip("measures the SQLite file")
    total = 200_000
    rng = np.random.default_rng(3)
    steps = np.arange(total)
    times = 1.79e9 + np.cumsum(1 + 0.05 * rng.standard_normal(total))
    values = 2 * np.exp(-steps / 5e4) + 0.1 * rng.standard_normal(total)
    with db.write() as tx:
        before = tx.exec_driver_sql("PRAGMA page_count").scalar()
        scalars.append(tx, job_id, 0, {"loss": (steps, times, values)})
        pages = tx.exec_driver_sql("PRAGMA page_count").scalar() - before
        used = pages * tx.exec_driver_sql("PRAGMA page_size").scalar()
    assert used / total <= 12


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One SQLite database for all examples of a property."""

    db = Database.open(tmp_path_factory.mktemp("scalars") / "starforge.db")

    def fresh():
        with db.write() as tx:
            job, _ = jobs.create(tx, make_job())
            for _ in range(3):
                attempts.create(tx, job.id, resume=True)
        return job.id

    yield db, fresh
    db.close()


PORTION = st.tuples(
    st.integers(0, 2),  # attempt
    st.integers(0, 400),  # first step
    st.integers(1, 90),  # points
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    portions=st.lists(PORTION, min_size=1, max_size=12),
    window=st.tuples(st.integers(-5, 500), st.integers(-5, 500)) | st.none(),
)
def test_merged_curves_equal_a_plain_model(shared, portions, window):
    db, fresh = shared
    job = fresh()
    portions = sorted(portions, key=lambda portion: portion[0])
    model = {}
    value = 0.0
    with db.write() as tx:
        for attempt, first, count in portions:
            steps = range(first, first + count)
            values = [value := value + 1 for _ in steps]
            scalars.append(tx, job, attempt, {"m": (steps, [0.0] * count, values)})
            model.setdefault(attempt, {}).update(zip(steps, values, strict=True))
    wanted = {}
    for attempt in sorted(model):
        begin = min(model[attempt])
        wanted = {step: kept for step, kept in wanted.items() if step < begin}
        wanted.update({step: (kept, attempt) for step, kept in model[attempt].items()})
    lo, hi = window or (None, None)
    rows = [
        (step, *kept)
        for step, kept in sorted(wanted.items())
        if (lo is None or step >= lo) and (hi is None or step <= hi)
    ]
    with db.read() as tx:
        curve = curves.read(tx, job, lo=lo, hi=hi)["m"]
    got = list(zip(curve.step.tolist(), curve.value.tolist(), curve.attempt.tolist(), strict=True))
    assert got == rows

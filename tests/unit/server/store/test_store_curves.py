import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests_store_support import make_job

from starforge.server.store import attempts, curves, jobs, scalars
from starforge.server.store.database import Database

MILLION = 1_000_000


def put(db, job, steps, values, *, attempt=0, times=None):
    times = np.asarray(steps) / 4 + 1.7e9 if times is None else times
    with db.write() as tx:
        scalars.append(tx, job, attempt, {"loss": (steps, times, values)})


def get(db, job, **how):
    with db.read() as tx:
        return curves.read(tx, job, **how)["loss"]


def naive(values):
    finite = [value for value in values if math.isfinite(value)]
    mean = float(np.mean(finite)) if finite else math.nan
    return mean, min(finite, default=math.nan), max(finite, default=math.nan)


def check_buckets(curve, steps, values):
    """Each entry must sum up the next run of points, and all points must be in one."""
    at = 0
    for i in range(len(curve.step)):
        part = values[at : at + curve.count[i]]
        mean, least, most = naive(part)
        mean = part[0] if len(part) == 1 else mean
        got = (curve.value[i], curve.minimum[i], curve.maximum[i])
        assert got == pytest.approx((mean, least, most), nan_ok=True)
        assert curve.last[i] == pytest.approx(part[-1], nan_ok=True)
        assert curve.nonfinite[i] == np.sum(~np.isfinite(part))
        at += int(curve.count[i])
        assert curve.step[i] == steps[at - 1]
    assert at == len(values)


@pytest.fixture(scope="module")
def million(tmp_path_factory):
    """A job with a curve of a million points: database, job id, values."""
    db = Database.open(tmp_path_factory.mktemp("curves") / "starforge.db")
    rng = np.random.default_rng(4)
    values = np.exp(-np.arange(MILLION) / 2e5) + 0.1 * rng.standard_normal(MILLION)
    values[rng.integers(0, MILLION, 500)] = math.nan
    values[700_000] = math.inf
    with db.write() as tx:
        job = jobs.create(tx, make_job())[0].id
        attempts.create(tx, job, resume=False)
    put(db, job, np.arange(MILLION), values)
    yield db, job, values
    db.close()


@pytest.mark.parametrize("buckets", [1, 50, 300, 1000, 5000])
def test_buckets_of_a_long_curve_sum_up_every_point(million, buckets):
    db, job, values = million
    curve = get(db, job, buckets=buckets)
    assert buckets / 2 <= len(curve.step) <= buckets
    check_buckets(curve, np.arange(MILLION), values)


@pytest.mark.parametrize("window", [(123_456, 654_321), (999_990, 2_000_000), (-5, 70_001)])
def test_windows_hold_exactly_the_points_within(million, window):
    db, job, values = million
    lo, hi = max(window[0], 0), min(window[1], MILLION - 1)
    curve = get(db, job, buckets=400, lo=window[0], hi=window[1])
    check_buckets(curve, np.arange(lo, hi + 1), values[lo : hi + 1])


def test_windows_by_time(million):
    db, job, values = million
    curve = get(db, job, buckets=200, lo=1.7e9 + 1000, hi=1.7e9 + 200_000, x="time")
    check_buckets(curve, np.arange(4000, 800_001), values[4000:800_001])


def test_few_points_come_as_they_are(db, job_id):
    put(db, job_id, [1, 2, 3], [1.0, math.nan, math.inf])
    curve = get(db, job_id, buckets=10)
    assert curve.step.tolist() == [1, 2, 3]
    assert str(curve.value.tolist()) == "[1.0, nan, inf]"
    assert curve.nonfinite.tolist() == [0, 1, 1]


def test_buckets_lie_evenly_along_the_axis(db, job_id):
    steps = [*range(1000), 1_000_000]
    put(db, job_id, steps, [1.0] * 1001)
    curve = get(db, job_id, buckets=10)
    assert curve.step.tolist() == [999, 1_000_000]
    assert curve.count.tolist() == [1000, 1]


def test_an_empty_window_is_empty(db, job_id):
    put(db, job_id, range(10), [1.0] * 10)
    assert len(get(db, job_id, lo=20, hi=30, buckets=5).step) == 0
    assert len(get(db, job_id, lo=5, hi=4).step) == 0


def test_a_later_attempt_wins_from_its_first_step_on(db, job_id):
    put(db, job_id, range(0, 10_000), [0.0] * 10_000, attempt=0)
    put(db, job_id, range(5000, 6000), [1.0] * 1000, attempt=1)
    curve = get(db, job_id)
    assert curve.step.tolist() == list(range(6000))
    assert curve.attempt.tolist() == [0] * 5000 + [1] * 1000
    curve = get(db, job_id, buckets=10)
    check_buckets(curve, np.arange(6000), np.array([0.0] * 5000 + [1.0] * 1000))
    assert len(get(db, job_id, attempt=0).step) == 10_000
    apart = get(db, job_id, merged=False)
    assert apart.step.tolist() == [*range(10_000), *range(5000, 6000)]
    assert apart.attempt.tolist() == [0] * 10_000 + [1] * 1000


def test_steps_that_go_back_are_sorted_and_the_last_one_counts(db, job_id):
    put(db, job_id, range(5000), [0.0] * 5000)
    put(db, job_id, range(2500, 7000), [1.0] * 4500)
    curve = get(db, job_id)
    assert curve.step.tolist() == list(range(7000))
    assert curve.value.tolist() == [0.0] * 2500 + [1.0] * 4500
    curve = get(db, job_id, buckets=7, lo=1000)
    check_buckets(curve, np.arange(1000, 7000), np.array([0.0] * 1500 + [1.0] * 4500))


def test_a_clock_that_goes_back_loses_no_point(db, job_id):
    times = [*np.arange(500.0), *np.arange(250.0, 750.0)]
    put(db, job_id, range(1000), [1.0] * 1000, times=times)
    curve = get(db, job_id, buckets=10, x="time")
    assert curve.count.sum() == 1000
    assert len(curve.step) <= 10


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    db = Database.open(tmp_path_factory.mktemp("shared") / "starforge.db")
    yield db
    db.close()


VALUES = st.lists(st.floats(width=32), min_size=1, max_size=300)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(values=VALUES, gaps=st.data(), buckets=st.integers(1, 40))
def test_buckets_of_points_equal_a_plain_loop(shared, values, gaps, buckets):
    size = len(values)
    steps = np.cumsum(gaps.draw(st.lists(st.integers(1, 50), min_size=size, max_size=size)))
    with shared.write() as tx:
        job = jobs.create(tx, make_job())[0].id
        attempts.create(tx, job, resume=False)
    put(shared, job, steps, values)
    curve = get(shared, job, buckets=buckets)
    check_buckets(curve, steps, np.array(values))
    if size > buckets:
        span = max(int(steps[-1] - steps[0]), 1)
        edges = [min(int((step - steps[0]) / span * buckets), buckets - 1) for step in steps]
        assert curve.count.tolist() == [edges.count(edge) for edge in sorted(set(edges))]

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starforge.server.store import rollup
from starforge.server.store.encode import Points

VALUES = st.floats(allow_nan=True, allow_infinity=True, width=64)


def naive(values):
    finite = [value for value in values if math.isfinite(value)]
    mean = sum(value / len(finite) for value in finite) if finite else math.nan
    least = min(finite, default=math.nan)
    most = max(finite, default=math.nan)
    return mean, least, most, values[-1], len(values), len(values) - len(finite)


def equal(left, right):
    return (math.isnan(left) and math.isnan(right)) or left == pytest.approx(right, rel=1e-9)


def make(values):
    steps = np.arange(len(values), dtype=np.int64)
    return Points(steps, steps * 1000, np.array(values, np.float64))


@given(st.lists(VALUES, min_size=1, max_size=60), st.data())
def test_merging_equals_a_plain_loop(values, data):
    cuts = data.draw(st.sets(st.integers(1, max(len(values) - 1, 1)), max_size=8))
    starts = sorted({0, *(cut for cut in cuts if cut < len(values))})
    merged = rollup.merge(rollup.of_points(make(values), 3), np.array(starts))
    # Means of denormal or huge numbers lose digits either way: compare them loosely.
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(values)
        mean, least, most, last, size, bad = naive(values[start:end])
        spread = max(abs(least), abs(most)) if size > bad else 0.0
        got = float(merged.mean[number])
        assert (math.isnan(mean) and math.isnan(got)) or abs(got - mean) <= 1e-9 * spread
        assert equal(float(merged.minimum[number]), least)
        assert equal(float(merged.maximum[number]), most)
        assert equal(float(merged.last[number]), last)
        assert (merged.size[number], merged.bad[number]) == (size, bad)
        assert merged.step[number] == end - 1
        assert merged.attempt[number] == 3


@pytest.mark.parametrize("size", rollup.SIZES)
def test_kept_runs_equal_merged_points(size):
    rng = np.random.default_rng(2)
    values = rng.standard_normal(rollup.FULL)
    values[100:103] = [math.nan, math.inf, -math.inf]
    values[512:1024] = math.nan
    points = make(values)
    kept = rollup.decode(rollup.encode(points), size, attempt=1)
    wanted = rollup.merge(rollup.of_points(points, 1), np.arange(0, rollup.FULL, size))
    for got, want in zip(kept, wanted, strict=True):
        assert np.array_equal(got, want, equal_nan=got.dtype == np.float64)

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starforge.server.store import encode
from starforge.server.store.encode import Points

INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
FLOAT32 = st.floats(width=32)


def points(rows):
    steps, millis, values = ([row[i] for row in rows] for i in range(3))
    return Points(
        np.array(steps, np.int64), np.array(millis, np.int64), np.array(values, np.float64)
    )


def same(left, right):
    return all(
        a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype == np.float64)
        for a, b in zip(left, right, strict=True)
    )


@given(st.lists(st.tuples(INT64, INT64, st.floats() | FLOAT32), min_size=1, max_size=200))
def test_any_points_come_back_exactly(rows):
    given_points = points(rows)
    assert same(encode.decode(encode.encode(given_points)), given_points)
    assert same(encode.decode(encode.encode_raw(given_points)), given_points)


@given(st.lists(FLOAT32, min_size=1, max_size=50))
def test_signs_of_zero_come_back(values):
    given_points = points([(i, i, value) for i, value in enumerate(values)])
    back = encode.decode(encode.encode(given_points)).values
    assert np.array_equal(np.signbit(back), np.signbit(given_points.values))


def test_values_of_single_precision_take_half():
    rng = np.random.default_rng(1)
    steps = np.arange(4096, dtype=np.int64)
    exact = rng.standard_normal(4096)
    short = exact.astype(np.float32).astype(np.float64)
    sizes = [len(encode.encode(Points(steps, steps, values))) for values in (exact, short)]
    assert sizes[1] < 0.6 * sizes[0]


def test_a_blob_of_another_version_is_refused():
    blob = encode.encode_raw(points([(1, 2, 3.0)]))
    with pytest.raises(ValueError, match="version 9"):
        encode.decode(b"\x09" + blob[1:])

"""Paired statistics against figures worked out by hand or known from the literature."""

import math

import pytest

from starforge.evals.paired import Counts, bootstrap, compare, mcnemar


@pytest.mark.parametrize(
    ("only_a", "only_b", "expected"),
    [
        (0, 0, 1.0),
        (3, 3, 1.0),
        (1, 5, 2 * (1 + 6) / 64),
        (5, 1, 2 * (1 + 6) / 64),
        (0, 6, 2 / 64),
        (2, 10, 2 * (1 + 12 + 66) / 4096),
        # Agresti, Categorical Data Analysis, approval ratings: 150 against 86 changed.
        (150, 86, 3.716e-05),
    ],
)
def test_mcnemar_is_a_fair_coin(only_a, only_b, expected):
    assert mcnemar(only_a, only_b) == pytest.approx(expected, rel=1e-3)


def test_mcnemar_of_many_items_does_not_overflow():
    assert mcnemar(5000, 5000) == 1.0
    assert 0 < mcnemar(4800, 5200) < 1e-4
    assert mcnemar(0, 5000) == 0.0  # below the smallest float


def test_counts_difference_and_error():
    a = [1.0] * 40 + [1.0] * 10 + [0.0] * 30 + [0.0] * 20
    b = [1.0] * 40 + [0.0] * 10 + [1.0] * 30 + [0.0] * 20
    found = compare(a, b, seed=1)
    assert found.counts == Counts(both=40, only_a=10, only_b=30, neither=20)
    assert (found.items, found.mean_a, found.mean_b) == (100, 0.5, 0.7)
    assert found.difference == pytest.approx(0.2)
    variance = (40 - 100 * 0.2**2) / 99
    assert found.stderr == pytest.approx(math.sqrt(variance / 100))
    assert found.p_value == mcnemar(10, 30) < 0.01
    # Normal theory gives 0.2 -/+ 1.96 * 0.06 for the mean of such differences.
    assert (found.low, found.high) == pytest.approx((0.2 - 0.1176, 0.2 + 0.1176), abs=0.011)


def test_the_bootstrap_is_seeded_and_knows_the_exact_distribution():
    # Three draws of {0, 0, 1}: 0 with 8/27, 1/3 with 12/27, 2/3 with 6/27, 1 with 1/27.
    low, high = bootstrap([0.0, 0.0, 1.0], seed=3, level=0.9)
    assert (low, high) == pytest.approx((0.0, 2 / 3))
    low, high = bootstrap([0.0, 0.0, 1.0], seed=3, level=0.98)
    assert (low, high) == pytest.approx((0.0, 1.0))
    values = [math.sin(i) for i in range(500)]
    assert bootstrap(values, seed=7) == bootstrap(values, seed=7) != bootstrap(values, seed=8)


def test_pairing_takes_out_what_makes_items_hard():
    hard = [math.sin(i) * 10 for i in range(200)]
    found = compare(hard, [value + 0.25 for value in hard], seed=0)
    assert found.counts is None and found.p_value is None
    assert (found.low, found.high) == pytest.approx((0.25, 0.25))


def test_one_item_says_nothing_of_chance():
    found = compare([0.0], [1.0], seed=0)
    assert (found.difference, found.p_value) == (1.0, 1.0)
    assert found.low is found.high is found.stderr is None


def test_errors_count_as_right_when_lower_is_better():
    found = compare([1.0, 0.0], [0.0, 0.0], seed=0, higher_is_better=False)
    assert found.counts == Counts(both=1, only_a=0, only_b=1, neither=0)


@pytest.mark.parametrize(("a", "b"), [([], []), ([1.0], []), ([math.nan], [1.0])])
def test_series_that_cannot_be_paired_are_refused(a, b):
    with pytest.raises(ValueError, match=r"needed|number"):
        compare(a, b, seed=0)

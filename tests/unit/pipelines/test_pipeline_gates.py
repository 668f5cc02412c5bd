"""Gates decide by the numbers, and never pass what can't be compared."""

import math

import pytest

from starforge.pipelines.gates import Figure, decide, parse_gate


def verdict(text, own, other=None):
    return decide(parse_gate(text), own, other)


def figure(value, stderr=None, **more):
    return Figure(value=value, stderr=stderr, **more)


@pytest.mark.parametrize(
    ("op", "value", "met"),
    [(">=", 0.4, True), (">", 0.4, False), ("<=", 0.4, True), ("<", 0.4, False),
     (">=", 0.39, False), ("<", 0.39, True)],
)  # fmt: skip
def test_a_number_is_a_bound(op, value, met):
    found = verdict(f"a.b {op} 0.4", figure(value))
    assert (found.met, found.bound, found.value) == (met, 0.4, value)


def test_the_margin_in_standard_errors_is_of_the_difference():
    base = figure(0.3, 0.03)
    found = verdict("a.b >= base + 2se", figure(0.42, 0.04), base)
    assert found.bound == pytest.approx(0.3 + 2 * 0.05)
    assert found.met
    assert not verdict("a.b >= base + 2se", figure(0.39, 0.04), base).met
    assert verdict("a.b >= base - 2se", figure(0.21, 0.04), base).met
    assert "0.39 ± 0.04 is not >= 0.4" in verdict(
        "a.b >= base + 2se", figure(0.39, 0.04), base
    ).text.en  # fmt: skip


def test_better_goes_by_which_way_is_good():
    up, down = figure(0.5, 0.1), figure(0.5, 0.1, higher_is_better=False)
    assert verdict("a.b better than x", figure(0.51), up).met
    assert not verdict("a.b better than x", figure(0.5), up).met
    assert verdict("a.b better than x by 0.1", figure(0.6), up).met
    assert verdict("a.b better than x", figure(0.49, higher_is_better=False), down).met
    assert not verdict("a.b better than x by 0.1", figure(0.45, higher_is_better=False), down).met
    assert verdict("a.b better than x by 0.1", figure(0.4, higher_is_better=False), down).met


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        (None, figure(0.1), "no a.b was measured"),
        (figure(math.nan), figure(0.1), "no a.b was measured"),
        (figure(0.9), None, "measured no a.b"),
        (figure(0.9), figure(math.nan), "measured no a.b"),
        (figure(0.9), figure(0.1, 0.1), "without a standard error"),
        (figure(0.9, settings={"limit": 5}), figure(0.1), "other settings than in x: limit"),
    ],
)  # fmt: skip
def test_what_can_not_be_compared_is_not_met(own, other, said):
    found = verdict("a.b >= x + 2se", own, other)
    assert not found.met
    assert said in found.text.en


def test_a_model_may_have_a_chat_template_of_its_own():
    own = figure(0.9, settings={"limit": 5, "chat_template": "abc"})
    other = figure(0.1, settings={"limit": 5, "chat_template": None})
    assert verdict("a.b >= x", own, other).met

"""The built-in rewards that read text."""

import math

import pytest

from starforge.rewards import (
    exact,
    final_answer,
    formats,
    length,
    matches,
    numeric,
    overlong,
    weighted,
)
from starforge.rewards.numeric import last_number


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>1</think> <answer> 12 </answer>", "12"),
        ("so \\boxed{\\frac{1}{2}} it is", "\\frac{1}{2}"),
        ("<answer>\\boxed{7}</answer>", "7"),
        ("work\n#### 42", "42"),
        ("first #### 1\n#### 2\n", "2"),
        ("Therefore the answer is 9.", "9"),
        ("所以答案是：9。", "9"),
        ("  just this ", "just this"),
        ("\\boxed{never closed", "\\boxed{never closed"),
        ("", ""),
    ],
)
def test_the_final_answer(text, answer):
    assert final_answer(text) == answer


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234", 1234.0), ("it costs $12", 12.0), ("3/4", 0.75), ("\\frac{3}{4}", 0.75),
        ("1e-3", 0.001), ("50%", 0.5), ("-7", -7.0), ("−7", -7.0), ("5-3", 3.0), ("5 - 3", 3.0),
        (".5", 0.5), ("1 then 2", 2.0), ("1/0", None), ("none", None), ("1,23", 23.0),
    ],
)  # fmt: skip
def test_numbers_as_people_write_them(text, number):
    assert last_number(text) == number


def test_numeric():
    texts = ["The answer is 1,000.", "999.9999999", "1", "", "1000 apples\n#### 999"]
    assert numeric(texts, ["1000"] * 5) == [1, 1, 0, 0, 0]
    assert numeric(["3.1"], [3], absolute=0.2) == [1]
    with pytest.raises(ValueError, match="'soon' has no number"):
        numeric(["1"], ["soon"])
    with pytest.raises(ValueError, match="zip"):
        numeric(["1", "2"], ["1"])


def test_exact():
    assert exact(["The answer is  New   York.", "york"], ["new york", ["York", "NYC"]]) == [1, 1]
    assert exact(["Paris"], ["paris"], ignore_case=False) == [0]


def test_formats():
    good = "<think>hm</think>\n<answer>1</answer>"
    bad = [
        "", "hm <answer>1</answer>", f"{good} more", f"x{good}",
        "<think></think><answer>1</answer>",
        "<think>a</think><think>b</think><answer>1</answer>",
        "<answer>1</answer><think>hm</think>",
    ]  # fmt: skip
    assert formats([good, *bad]) == [1.0] + [0.0] * len(bad)
    assert formats(["hm</think><answer>1</answer>", good], opened=True) == [1, 0]
    assert formats(["<a>1</a>"], ("a",)) == [1]
    assert matches(["a\nb", "b"], "a.b") == [1, 0]


def test_length_falls_off_outside():
    assert length(["", "ab", "abcd", "a" * 8], at_least=2, at_most=4) == [0, 1, 1, 0.5]
    assert length(["one two three"], at_most=3, count=lambda text: len(text.split())) == [1]
    with pytest.raises(ValueError, match="no range"):
        length(["a"], at_least=3, at_most=2)


def test_the_overlong_penalty_is_that_of_dapo():
    """arXiv:2503.14476, equation 13, with L_max 10 and L_cache 4."""
    sizes = [0, 6, 7, 8, 10, 11, 100]
    assert overlong(["a" * n for n in sizes], 10, 4) == [0, 0, -0.25, -0.5, -1, -1, -1]
    with pytest.raises(ValueError, match="buffer"):
        overlong(["a"], 10, 11)


def test_weighted_keeps_the_parts_and_their_weights():
    first, second = weighted(correct=([1, 0], 2.0), format=([0.5, 1], 0.1), plain=[1, 1])
    assert first == {"correct": 1, "format": 0.5, "plain": 1}
    assert second.weights == {"correct": 2.0, "format": 0.1, "plain": 1.0}
    assert math.isclose(sum(first.weights[k] * v for k, v in first.items()), 3.05)
    assert weighted(pair=([1.0, 0.0]))[1] == {"pair": 0.0}
    with pytest.raises(ValueError, match="different numbers"):
        weighted(a=([1], 1), b=([1, 2], 1))
    with pytest.raises(ValueError, match="at least one"):
        weighted()

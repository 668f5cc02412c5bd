"""What ``sf job samples`` shows of a row: as much as the row says, and no more."""

import pytest

from starforge import lang
from starforge.cli.job_samples import _facts
from starforge.wire.samples import Sample

FULL = {"attempt": 0, "step": 3, "reward": 1.1, "rewards": {"right": 1.0, "form": 0.1},
        "group": 2, "length": 16, "truncated": True, "prompt": "p", "completion": "c"}  # fmt: skip


@pytest.fixture
def speak():
    yield lang.set_lang
    lang.set_lang(None)


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", "  reward 1.1 (right 1, form 0.1)  group 2  16 tokens  truncated"),
        ("zh", "  奖励 1.1（right 1，form 0.1）  第 2 组  16 个词元  被截断"),
    ],
)
def test_a_row_that_says_everything(speak, language, shown):
    speak(language)
    assert _facts(Sample.model_validate(FULL)) == shown


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ({}, ""),
        ({"reward": 0.0, "truncated": False}, "  reward 0"),
        ({"group": 0, "length": 0}, "  group 0  0 tokens"),
        ({"reward": 1.0, "rewards": {"odd": None}}, "  reward 1 (odd -)"),
    ],
)
def test_what_a_row_does_not_say_is_left_out(speak, row, shown):
    speak("en")
    assert _facts(Sample.model_validate({"attempt": 0} | row)) == shown

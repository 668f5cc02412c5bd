"""Wrapping by columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from starforge.lab.wrap import cells, wrap


def test_words_and_wide_characters() -> None:
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]
    assert wrap("需要服务的命令", 6) == ["需要服", "务的命", "令"]
    assert wrap("用 sf up 启动服务。", 10) == ["用 sf up", "启动服务。"]
    assert wrap("", 10) == []
    assert cells("中a") == 3


@given(st.text(alphabet="ab 中文，。", max_size=80), st.integers(min_value=8, max_value=40))
def test_nothing_is_lost_and_lines_fit(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    for line in lines:
        # Closing punctuation may hang over, and a word longer than a line stays whole.
        core = line.rstrip("，。 ")
        longest = max((cells(word) for word in core.split()), default=0)
        assert cells(core) <= max(width, longest)


def test_code_and_brackets_stay_whole() -> None:
    assert wrap("run `sf job rerun FILE` now", 16) == ["run", "`sf job rerun FILE`", "now"]
    assert wrap("一二（三）四", 6) == ["一二", "（三）", "四"]

"""Hydra's values: what the plan writes is read back, and what people write is understood."""

from __future__ import annotations

from typing import Any

import pytest

from starforge.convert.importing.hydra import HydraSyntaxError, read_override, read_value
from starforge.frameworks.verl.hydra_args import spell

VALUES: list[Any] = [
    None, True, False, 0, -3, 1.5, 1e-6, -2.5e10, "", "a", "null", "true", "1", "1e-6", "a b",
    "it's", "back\\slash", "end\\", "\\'", "a,b", "[x]", "{x}", "k:v", "k=v", "中文", '"quoted"',
    "${a.b}", [], [1, "two", None, [True]], {}, {"a": 1, "b": {"c": [1, 2]}, "d e": "x"},
    {"it:s": "v,w"}, ["a,b", "c]d", "e'f"],
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_what_the_plan_spells_is_read_back(value: Any) -> None:
    read = read_value(spell(value))
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("['console','wandb']", ["console", "wandb"]),
        ('["a", "b"]', ["a", "b"]),
        ("[a.parquet, b.parquet]", ["a.parquet", "b.parquet"]),
        ("/data/x.parquet", "/data/x.parquet"),
        ("{'a': 1}", {"a": 1}),
        ("0.5_5.0", "0.5_5.0"),
        ("True", True),
        ("1_000", 1000),
        (".5", 0.5),
        ("${oc.env:HOME}/x", "${oc.env:HOME}/x"),
        ("a\\,b", "a,b"),
    ],
)
def test_what_people_write_is_understood(written: str, value: Any) -> None:
    assert read_value(written) == value


@pytest.mark.parametrize("written", ["[1,2", "{a:1", "'x", "[1 2]x", "{a}"])
def test_broken_values_are_refused(written: str) -> None:
    with pytest.raises(HydraSyntaxError):
        read_value(written)


def test_signs_and_deletions_are_told_apart() -> None:
    signs = {word: read_override(word) for word in ("a=1", "+a=1", "++a=1", "~a", "word", "--x")}
    assert [o.sign if o else None for o in signs.values()] == ["", "+", "++", "~", None, None]

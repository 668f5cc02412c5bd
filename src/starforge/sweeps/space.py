"""Values to try: all combinations of lists, or random draws from ranges and lists.

Values stay the text that ``--set`` would have, so what is checked is what runs.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Sequence

import msgspec

from starforge.errors import StarForgeError
from starforge.i18n import Text

MOST = 500
"""Trials of one sweep."""
TRIES = 100  # draws for each trial that is wanted, until enough differ
_INTEGER = re.compile(r"[+-]?\d+")

Trial = dict[str, str]


class Choice(msgspec.Struct, frozen=True):
    """One of some values."""

    values: list[str]

    def draw(self, source: random.Random) -> str:
        """Return one of them, all as likely."""
        return source.choice(self.values)

    def ends(self) -> list[str]:
        """Return what must be allowed for every draw to be."""
        return self.values


class Range(msgspec.Struct, frozen=True):
    """Numbers from ``low`` to ``high``, whole ones when both are; even in log with ``log``."""

    low: str
    high: str
    log: bool

    def draw(self, source: random.Random) -> str:
        """Return one of them, to six significant digits."""
        low, high = float(self.low), float(self.high)
        whole = bool(_INTEGER.fullmatch(self.low) and _INTEGER.fullmatch(self.high))
        if whole and not self.log:
            return str(source.randint(int(self.low), int(self.high)))
        value = source.uniform(math.log(low), math.log(high)) if self.log else None
        drawn = math.exp(value) if value is not None else source.uniform(low, high)
        drawn = min(max(drawn, low), high)
        return str(round(drawn)) if whole else f"{min(max(float(f'{drawn:.6g}'), low), high):g}"

    def ends(self) -> list[str]:
        """Return both ends."""
        return [self.low, self.high]


def grid(texts: Sequence[str]) -> list[Trial]:
    """Return every combination of ``NAME=A,B,...``; the last name varies fastest."""
    named: dict[str, list[str]] = {}
    for text in texts:
        name, value = _named(text, named)
        named[name] = _values(text, value)
    count = math.prod(len(values) for values in named.values())
    if count > MOST:
        raise _wrong(
            Text(f"the grid has {count} combinations, more than {MOST}",
                 f"网格共有 {count} 种组合，超过上限 {MOST}"),
            Text("name fewer values, or draw some of them with --random",
                 "请减少取值，或用 --random 从中抽取"),
        )  # fmt: skip
    return [dict(zip(named, one, strict=True)) for one in itertools.product(*named.values())]


def space(texts: Sequence[str]) -> dict[str, Choice | Range]:
    """Read ``NAME=LOW..HIGH``, ``NAME=LOW..HIGH:log`` and ``NAME=A,B,...``."""
    found: dict[str, Choice | Range] = {}
    for text in texts:
        name, value = _named(text, found)
        found[name] = _range(text, value) if ".." in value else Choice(_values(text, value))
    return found


def draws(found: dict[str, Choice | Range], count: int, seed: int) -> list[Trial]:
    """Return ``count`` different draws; the same seed always gives the same ones."""
    source = random.Random(seed)  # noqa: S311 - nothing secret
    made: list[Trial] = []
    for _ in range(count * TRIES):
        one = {name: part.draw(source) for name, part in found.items()}
        if one not in made:
            made.append(one)
        if len(made) == count:
            return made
    raise _wrong(
        Text(f"there are not {count} different draws of this space ({len(made)} were found)",
             f"该空间抽不出 {count} 组不同的取值（只找到 {len(made)} 组）"),
        Text("ask for fewer with --random, or try all with --grid",
             "请减小 --random 的数量，或用 --grid 全部尝试"),
    )  # fmt: skip


def probes(found: dict[str, Choice | Range]) -> list[Trial]:
    """Return what is checked before anything is drawn: every end, one parameter at a time."""
    return [{name: value} for name, part in found.items() for value in part.ends()]


def _named(text: str, known: dict[str, list[str]] | dict[str, Choice | Range]) -> tuple[str, str]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not name or not equals:
        raise _wrong(
            Text(f"`{text}` is not NAME=VALUES", f"`{text}` 不是 名字=取值 的形式"),
            Text("for example learning_rate=1e-6,3e-6 or learning_rate=1e-7..1e-5:log",
                 "例如 learning_rate=1e-6,3e-6 或 learning_rate=1e-7..1e-5:log"),
        )  # fmt: skip
    if name in known:
        raise _wrong(
            Text(f"`{name}` is given twice", f"`{name}` 给出了两次"),
            Text("put all its values into one option", "请把所有取值写在同一个选项里"),
        )
    return name, value


def _values(text: str, value: str) -> list[str]:
    values = list(dict.fromkeys(part.strip() for part in value.split(",")))
    if "" in values:
        raise _wrong(
            Text(f"`{text}` has an empty value", f"`{text}` 中有空的取值"),
            Text("separate values by single commas", "取值之间用一个逗号分隔"),
        )
    return values


def _range(text: str, value: str) -> Range:
    ends, _, kind = value.partition(":")
    low, _, high = (part.strip() for part in ends.partition(".."))
    hint = Text("write LOW..HIGH or LOW..HIGH:log, for example 1e-7..1e-5:log",
                "写成 下限..上限 或 下限..上限:log，例如 1e-7..1e-5:log")  # fmt: skip
    try:
        numbers = float(low), float(high)
    except ValueError:
        numbers = (math.nan, math.nan)
    if kind not in ("", "log") or not all(map(math.isfinite, numbers)):
        raise _wrong(Text(f"`{text}` is not a range of numbers", f"`{text}` 不是数值范围"), hint)
    if numbers[0] >= numbers[1]:
        text_ = Text(f"the range of `{text}` is empty", f"`{text}` 的范围是空的")
        raise _wrong(text_, hint)
    if kind == "log" and numbers[0] <= 0:
        text_ = Text(f"`{text}`: a range in log must be above zero",
                     f"`{text}`：对数范围的下限必须大于零")  # fmt: skip
        raise _wrong(text_, hint)
    return Range(low, high, kind == "log")


def _wrong(message: Text, hint: Text) -> StarForgeError:
    return StarForgeError("sweep/space", message, hint, status=422)

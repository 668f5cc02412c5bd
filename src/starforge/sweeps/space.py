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

    def parsed(self, text: str) -> str:
        """Return what was drawn, which is text already."""
        return text


class Range(msgspec.Struct, frozen=True):
    """Numbers from ``low`` to ``high``, whole ones when both are; even in log with ``log``."""

    low: str
    high: str
    log: bool

    @property
    def whole(self) -> bool:
        """Say whether these are whole numbers."""
        return bool(_INTEGER.fullmatch(self.low) and _INTEGER.fullmatch(self.high))

    def draw(self, source: random.Random) -> str:
        """Return one of them, to six significant digits."""
        low, high = float(self.low), float(self.high)
        if self.whole and not self.log:
            return str(source.randint(int(self.low), int(self.high)))
        if self.log:
            return self.text(math.exp(source.uniform(math.log(low), math.log(high))))
        return self.text(source.uniform(low, high))

    def text(self, value: float) -> str:
        """Return a number as it is tried: six significant digits, never past an end."""
        if self.whole:
            return str(min(max(round(value), int(self.low)), int(self.high)))
        short = f"{value:.6g}"
        if float(short) <= float(self.low):
            return self.low
        return self.high if float(short) >= float(self.high) else short

    def parsed(self, text: str) -> float:
        """Return the number that :meth:`text` made."""
        return int(text) if self.whole else float(text)

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
    raise _too_few(count, len(made))


def require_size(found: dict[str, Choice | Range], count: int) -> None:
    """Refuse to look for more trials than the space holds."""
    held = size(found)
    if held is not None and held < count:
        raise _too_few(count, held)


def size(found: dict[str, Choice | Range]) -> int | None:
    """Return how many different trials there are; ``None`` for as many as one likes."""
    counts = []
    for part in found.values():
        if isinstance(part, Choice):
            counts.append(len(part.values))
        elif part.whole:
            counts.append(int(part.high) - int(part.low) + 1)
        else:
            return None
    return math.prod(counts)


def unseen(
    found: dict[str, Choice | Range], seen: Sequence[Trial], source: random.Random
) -> Trial | None:
    """Return a random draw that is none of ``seen``; ``None`` when none is left."""
    for _ in range(TRIES):
        one = {name: part.draw(source) for name, part in found.items()}
        if one not in seen:
            return one
    held = size(found)
    if held is None or held > TRIES * MOST:
        return None
    every = itertools.product(*(_all(part) for part in found.values()))
    left = [one for values in every if (one := dict(zip(found, values, strict=True))) not in seen]
    return source.choice(left) if left else None


def _all(part: Choice | Range) -> Sequence[str]:
    """Return every value of what has only so many."""
    if isinstance(part, Choice):
        return part.values
    return [str(number) for number in range(int(part.low), int(part.high) + 1)]


def _too_few(count: int, held: int) -> StarForgeError:
    return _wrong(
        Text(f"there are not {count} different draws of this space ({held} were found)",
             f"该空间抽不出 {count} 组不同的取值（只找到 {held} 组）"),
        Text("ask for fewer with --random or --tpe, or try all with --grid",
             "请减小 --random 或 --tpe 的数量，或用 --grid 全部尝试"),
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

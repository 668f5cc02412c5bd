"""Cut the words of an argparse command line into flags and their values."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from starforge.convert.shell import Arg

_NUMBER = re.compile(r"-(\d+\.?\d*|\.\d+)")  # what argparse takes for a value, not a flag


class Flag(msgspec.Struct, frozen=True):
    """``--name`` and the words up to the next flag. A name of ``""`` holds stray words."""

    name: str
    values: list[str]
    line: int


def flags(args: list[Arg]) -> Iterator[Flag]:
    """Yield flags in order; ``--x=v`` has exactly one value."""
    place = 0
    while place < len(args):
        one = args[place]
        place += 1
        if not is_flag(one.text):
            yield Flag("", [one.text], one.line)
            continue
        name, equals, value = one.text.lstrip("-").partition("=")
        values = [value] if equals else []
        while not equals and place < len(args) and not is_flag(args[place].text):
            values.append(args[place].text)
            place += 1
        yield Flag(name, values, one.line)


def is_flag(word: str) -> bool:
    """Say whether argparse would take a word for a flag."""
    return word.startswith("-") and len(word) > 1 and not _NUMBER.fullmatch(word)

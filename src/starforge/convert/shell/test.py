"""Decide conditions of a script: ``[ ... ]``, ``[[ ... ]]``, ``test``, and ``!``."""

from __future__ import annotations

import fnmatch
import operator
from collections.abc import Callable, Sequence
from pathlib import Path

from starforge.convert.shell.expand import expand_one
from starforge.convert.shell.lexer import Token
from starforge.convert.shell.scope import Scope, unknown_in

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq, "-ne": operator.ne, "-lt": operator.lt, "-le": operator.le,
    "-gt": operator.gt, "-ge": operator.ge,
}  # fmt: skip
_FILES: dict[str, Callable[[Path], bool]] = {
    "-f": Path.is_file, "-d": Path.is_dir, "-e": Path.exists,
}  # fmt: skip


def decide(tokens: Sequence[Token], scope: Scope) -> bool | None:
    """Say whether a condition holds; ``None`` when that takes running a command."""
    words = [token.text for token in tokens]
    for sign in ("||", "&&"):
        if sign in words:
            place = words.index(sign)
            left, right = decide(tokens[:place], scope), decide(tokens[place + 1 :], scope)
            return _joined(sign, left, right)
    if words[:1] == ["!"]:
        held = decide(tokens[1:], scope)
        return None if held is None else not held
    closing = {"[": "]", "[[": "]]"}
    if words and words[0] in closing and words[-1] == closing[words[0]]:
        return _test(words[1:-1], scope, patterns=words[0] == "[[")
    if words[:1] == ["test"]:
        return _test(words[1:], scope, patterns=False)
    return {"true": True, "false": False, ":": True}.get(" ".join(words))


def _joined(sign: str, left: bool | None, right: bool | None) -> bool | None:
    decisive = sign == "||"
    if left is decisive or right is decisive:
        return decisive
    return None if left is None or right is None else not decisive


def _test(words: list[str], scope: Scope, *, patterns: bool) -> bool | None:
    if words[:1] == ["!"]:
        held = _test(words[1:], scope, patterns=patterns)
        return None if held is None else not held
    values = [expand_one(word, scope) for word in words]
    if any(unknown_in(value) for value in values):
        return None
    match len(values):
        case 1:
            return bool(values[0])
        case 2:
            return _one_sided(values[0], values[1], scope)
        case 3:
            return _compared(values[0], words[1], values[2], patterns=patterns)
    return None


def _one_sided(sign: str, value: str, scope: Scope) -> bool | None:
    if sign == "-z":
        return not value
    if sign == "-n":
        return bool(value)
    look = _FILES.get(sign)
    return look(scope.folder / value) if look else None


def _compared(left: str, sign: str, right: str, *, patterns: bool) -> bool | None:
    if sign in ("=", "=="):
        return fnmatch.fnmatchcase(left, right) if patterns else left == right
    if sign == "!=":
        return not fnmatch.fnmatchcase(left, right) if patterns else left != right
    compare = _NUMBERS.get(sign)
    try:
        return compare(int(left), int(right)) if compare else None
    except ValueError:
        return None

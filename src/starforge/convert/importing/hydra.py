"""Read Hydra's overrides (``+a.b=[1,x]``): the reverse of ``frameworks.verl.hydra_args``."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

_KEY = re.compile(r"(\+\+|\+|~)?([A-Za-z_][\w./@${}-]*)(?:=(.*))?", re.DOTALL)
_CONSTANTS = {"null": None, "true": True, "false": False}
_INT = re.compile(r"[-+]?\d[\d_]*")
_FLOAT = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?")
_FLAGS_WITH_VALUE = ("--config-name", "-cn", "--config-path", "-cp", "--config-dir", "-cd")


class Override(msgspec.Struct, frozen=True):
    """One override. ``sign`` is ``+``, ``++``, ``~`` (delete) or nothing."""

    sign: str
    key: str
    value: Any
    kind: Literal["value", "flag", "odd"] = "value"


class HydraSyntaxError(ValueError):
    """A value that Hydra's grammar does not take."""


def read_override(word: str) -> Override | None:
    """Return the override that ``word`` is, ``None`` when it is none.

    Raises :class:`HydraSyntaxError` for a value that Hydra refuses.
    """
    match = _KEY.fullmatch(word)
    if match is None or (match[3] is None and match[1] != "~"):
        return None
    value = None if match[3] is None else read_value(match[3])
    return Override(match[1] or "", match[2], value)


def flag_width(word: str) -> int:
    """Return how many words a flag of Hydra takes; 0 when it is none."""
    if not word.startswith("-"):
        return 0
    return 2 if word in _FLAGS_WITH_VALUE else 1


def read_value(text: str) -> Any:
    """Return the value of an override."""
    parser = _Parser(text)
    value = parser.value(top=True)
    if parser.at != len(text):
        raise HydraSyntaxError(text)
    return value


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def value(self, *, top: bool = False) -> Any:
        self._space()
        letter = self.text[self.at : self.at + 1]
        if letter == "[":
            return self._list()
        if letter == "{":
            return self._mapping()
        if letter in ("'", '"') and letter:
            made = self._quoted(letter)
            self._space()
            return made
        return self._primitive("" if top else ",]}")

    def _space(self) -> None:
        while self.text[self.at : self.at + 1] in (" ", "\t", "\n"):
            self.at += 1

    def _list(self) -> list[Any]:
        items: list[Any] = []
        for _ in self._entries("]"):
            items.append(self.value())
        return items

    def _mapping(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in self._entries("}"):
            self._space()
            letter = self.text[self.at : self.at + 1]
            if letter in ("'", '"') and letter:
                name = self._quoted(letter)
                self._space()
            else:
                name = self._raw(":").strip()
            if self.text[self.at : self.at + 1] != ":":
                raise HydraSyntaxError(self.text)
            self.at += 1
            found[name] = self.value()
        return found

    def _entries(self, closing: str) -> Any:
        """Yield once an entry, past the commas, until ``closing``."""
        self.at += 1
        self._space()
        if self.text[self.at : self.at + 1] == closing:
            self.at += 1
            self._space()
            return
        while True:
            yield
            self._space()
            sign = self.text[self.at : self.at + 1]
            self.at += 1
            if sign == closing:
                self._space()
                return
            if sign != ",":
                raise HydraSyntaxError(self.text)

    def _quoted(self, quote: str) -> str:
        r"""Read up to the closing quote. Backslashes count only before a quote."""
        self.at += 1
        made = ""
        while self.at < len(self.text):
            run = re.match(r"\\+", self.text[self.at :])
            slashes = len(run[0]) if run else 0
            after = self.text[self.at + slashes : self.at + slashes + 1]
            if slashes and after == quote:
                made += "\\" * (slashes // 2)
                self.at += slashes
                if slashes % 2:
                    made += quote
                    self.at += 1
                continue
            if slashes:
                made += "\\" * slashes
                self.at += slashes
                continue
            self.at += 1
            if after == quote:
                return made
            made += after
        raise HydraSyntaxError(self.text)

    def _raw(self, stops: str) -> str:
        r"""Read unquoted text; ``\x`` is the letter ``x``, ``${...}`` is kept whole."""
        made = ""
        while self.at < len(self.text) and self.text[self.at] not in stops:
            if self.text.startswith("${", self.at):
                made += self._reference()
                continue
            if self.text[self.at] == "\\" and self.at + 1 < len(self.text):
                self.at += 1
            made += self.text[self.at]
            self.at += 1
        return made

    def _reference(self) -> str:
        start, depth = self.at, 0
        while self.at < len(self.text):
            depth += {"{": 1, "}": -1}.get(self.text[self.at], 0)
            self.at += 1
            if depth == 0 and self.text[self.at - 1] == "}":
                break
        return self.text[start : self.at]

    def _primitive(self, stops: str) -> Any:
        text = self._raw(stops).strip()
        if text.lower() in _CONSTANTS:
            return _CONSTANTS[text.lower()]
        if _INT.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
        return text

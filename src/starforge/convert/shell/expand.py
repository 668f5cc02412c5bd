"""Expand the words of a script: quotes, variables, defaults, arrays and arithmetic.

Nothing is executed. What only running tells (``$(nvidia-smi ...)``) becomes a marker, by
which :func:`.scope.unknown_in` finds it again.
"""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

from starforge.convert.shell.arithmetic import arithmetic
from starforge.convert.shell.nesting import closing, end_of_double
from starforge.convert.shell.scope import UNKNOWN, Scope, unknown

_LIST = re.compile(r"\$(?:@|\{(?:@|([A-Za-z_]\w*)\[@\])\})")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_PARAMETER = re.compile(r"(#?)([A-Za-z_]\w*|[0-9]+|[@*#?$!-])(?:\[([^\]]*)\])?(.*)", re.DOTALL)


def expand(raw: str, scope: Scope) -> list[str]:
    """Return the words that a raw word becomes (none for an unset variable alone)."""
    return _Expander(scope).fields(raw)


def expand_one(raw: str, scope: Scope) -> str:
    """Return a raw word as one text, as on the right of an assignment."""
    made = _Expander(scope, split=False)
    return " ".join(made.fields(raw))


def here_document(body: str, scope: Scope) -> str:
    """Expand the text of a here-document, in which quotes are plain letters."""
    return _Expander(scope, split=False, quotes=False).whole(body)


class _Expander:
    """Expands one word. A field is kept when it has letters, or was quoted."""

    def __init__(self, scope: Scope, *, split: bool = True, quotes: bool = True) -> None:
        self.scope = scope
        self.split = split
        self.quotes = quotes
        self.done: list[str] = []
        self.field = ""
        self.started = False

    def fields(self, raw: str) -> list[str]:
        if raw == "~" or raw.startswith("~/"):
            raw = (self.scope.get("HOME") or "~") + raw[1:]
        self._walk(raw, quoted=False)
        self._close()
        return self.done

    def whole(self, raw: str) -> str:
        self._walk(raw, quoted=True)
        return self.field

    def _close(self) -> None:
        if self.field or self.started:
            self.done.append(self.field)
        self.field, self.started = "", False

    def _walk(self, raw: str, *, quoted: bool) -> None:
        at = 0
        while at < len(raw):
            letter = raw[at]
            if letter == "\\":
                at = self._escape(raw, at, quoted=quoted)
            elif letter == "'" and not quoted:
                end = raw.index("'", at + 1)
                self._add(raw[at + 1 : end])
                at = end + 1
            elif letter == '"' and self.quotes and not quoted:
                end = end_of_double(raw, at)
                self.started |= not self._is_nothing(raw[at + 1 : end])
                self._walk(raw[at + 1 : end], quoted=True)
                at = end + 1
            elif letter == "`":
                end = raw.find("`", at + 1)
                end = len(raw) if end < 0 else end
                self._output(raw[at + 1 : end])
                at = end + 1
            elif letter == "$":
                at = self._dollar(raw, at, quoted=quoted)
            else:
                self.field += letter
                at += 1

    def _is_nothing(self, quoted: str) -> bool:
        """Say whether quoted text is a list without items (``"$@"``), which makes no word."""
        if (found := _LIST.fullmatch(quoted)) is None:
            return False
        return not (self._array(found[1]) if found[1] else self.scope.arguments)

    def _add(self, text: str) -> None:
        self.field += text
        self.started = True

    def _escape(self, raw: str, at: int, *, quoted: bool) -> int:
        after = raw[at + 1 : at + 2]
        if after == "\n":
            return at + 2
        if quoted and after not in ("$", "`", '"', "\\", ""):
            self.field += "\\" + after
        else:
            self._add(after)
        return at + 2

    def _dollar(self, raw: str, at: int, *, quoted: bool) -> int:
        rest = raw[at + 1 :]
        if rest.startswith("(("):
            end = closing(raw, at + 1, "(")
            self._value(arithmetic(raw[at + 3 : end - 1], self.scope), quoted=quoted)
            return end + 1
        if rest.startswith("("):
            end = closing(raw, at + 1, "(")
            self._output(raw[at + 2 : end])
            return end + 1
        if rest.startswith("{"):
            end = closing(raw, at + 1, "{")
            self._parameter(raw[at + 2 : end], quoted=quoted)
            return end + 1
        if rest.startswith("'") and not quoted:
            end = raw.index("'", at + 2)
            escapes = raw[at + 2 : end].replace("\\n", "\n").replace("\\t", "\t")
            self._add(escapes)
            return end + 1
        name = _NAME.match(rest)
        if name is None:
            self.field += "$"
            return at + 1
        self._parameter(name[0], quoted=quoted)
        return at + 1 + len(name[0])

    def _parameter(self, text: str, *, quoted: bool) -> None:
        match = _PARAMETER.fullmatch(text)
        if match is None:
            self._add(unknown(f"${{{text}}}"))
            return
        length, name, index, rest = match.groups()
        if name in ("@", "*") or index in ("@", "*"):
            items = self.scope.arguments if name in ("@", "*") else self._array(name)
            if length:
                self._value(str(len(items)), quoted=quoted)
            else:
                self._items(items, quoted=quoted, joined=name == "*" or index == "*")
            return
        value = self._element(name, index) if index else self.scope.get(name)
        if length:
            self._value(str(len(value or "")), quoted=quoted)
            return
        self._value(self._modified(name, value, rest), quoted=quoted)

    def _array(self, name: str) -> list[str]:
        if name in self.scope.arrays:
            return self.scope.arrays[name]
        value = self.scope.get(name)
        return [] if value is None else [value]

    def _element(self, name: str, index: str) -> str | None:
        number, items = arithmetic(index, self.scope), self._array(name)
        return items[int(number)] if number.isdigit() and int(number) < len(items) else None

    def _items(self, items: list[str], *, quoted: bool, joined: bool) -> None:
        if joined and quoted:
            self._add(" ".join(items))
            return
        for number, item in enumerate(items):
            if number:
                self._close() if self.split else self._add(" ")
            if quoted:
                self._add(item)
            else:
                self._value(item, quoted=False)

    def _modified(  # noqa: PLR0911 - one return a form
        self, name: str, value: str | None, rest: str
    ) -> str:
        """Apply what follows the name in ``${NAME...}``."""
        if not rest:
            if value is None and not name.isdigit():
                self.scope.unset.add(name)
            return value or ""
        sign = re.match(r":?[-=+?]|##|#|%%|%|//|/|:", rest)
        if sign is None:
            return unknown(f"${{{name}{rest}}}")
        word = rest[sign.end() :]
        empty = value is None or (sign[0].startswith(":") and not value)
        match sign[0].lstrip(":"):
            case "-" | "?":
                return self._one(word) if empty else value or ""
            case "=":
                if empty:
                    self.scope.values[name] = value = self._one(word)
                return value or ""
            case "+":
                return "" if empty else self._one(word)
            case "#" | "##" | "%" | "%%":
                return _trimmed(value or "", sign[0], self._one(word))
            case "/" | "//":
                old, _, new = self._one(word).partition("/")
                return (value or "").replace(old, new, -1 if sign[0] == "//" else 1)
        return unknown(f"${{{name}{rest}}}")

    def _one(self, word: str) -> str:
        return expand_one(word, self.scope)

    def _value(self, value: str, *, quoted: bool) -> None:
        if quoted or not self.split or UNKNOWN in value:
            self.field += value
            return
        pieces = re.split(r"[ \t\n]+", value)
        for number, piece in enumerate(pieces):
            if number:
                self._close()
            self.field += piece

    def _output(self, command: str) -> None:
        self._add(_known_output(command, self.scope) or unknown(f"$({command})"))


def _known_output(command: str, scope: Scope) -> str | None:
    """Return the output of the few commands that only say where the script is."""
    words = command.split()
    if words == ["pwd"]:
        return str(scope.folder)
    if len(words) == 2 and words[0] in ("dirname", "basename"):
        path = Path(expand_one(words[1], scope))
        return str(path.parent) if words[0] == "dirname" else path.name
    return None


def _trimmed(value: str, sign: str, pattern: str) -> str:
    cuts = range(len(value) + 1)
    if sign[0] == "#":
        fits = [cut for cut in cuts if fnmatch.fnmatchcase(value[:cut], pattern)]
        return value[(max(fits) if sign == "##" else min(fits)) :] if fits else value
    fits = [cut for cut in cuts if fnmatch.fnmatchcase(value[cut:], pattern)]
    return value[: (min(fits) if sign == "%%" else max(fits))] if fits else value

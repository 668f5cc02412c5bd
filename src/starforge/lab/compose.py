"""Build plain values from YAML events, noting every place and every problem on the way."""

from __future__ import annotations

from typing import Any, NoReturn

import msgspec
import yaml

from starforge.findings import Finding, Location, Rule
from starforge.i18n import Text
from starforge.lab import rules_yaml as rules
from starforge.lab.scalars import NotFiniteError, TooLargeError, plain_value

MAX_DEPTH = 64
MAX_NODES = 50_000
_CORE = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset({"str", "int", "float", "bool", "null", "map", "seq"})
_MERGE = "<<"
_QUOTED = frozenset("'\"|>")


class Position(msgspec.Struct, frozen=True):
    """1-based line and column."""

    line: int
    column: int


class StopComposingError(Exception):
    """The rest of the file cannot be used; the reason is already among the findings."""


class Composer:
    """Reads the first document of ``text``. Values are plain dicts, lists and scalars.

    ``keys`` and ``marks`` map dotted paths to the places of keys and values. The parser's
    own ``yaml.MarkedYAMLError`` passes through :meth:`compose`.
    """

    def __init__(self, text: str, file: str) -> None:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._events = yaml.parse(text, Loader=loader)
        self._file = file
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._nodes = 0
        self.findings: list[Finding] = []
        self.keys: dict[str, Position] = {}
        self.marks: dict[str, Position] = {}

    def compose(self) -> Any:
        """Return the value of the document, ``None`` for an empty file."""
        value = None
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._note(rules.SEVERAL_DOCUMENTS, event, "", None)
                    break
                value = self._node(next(self._events), "", 0)
        return value

    def _note(self, rule: Rule, event: Any, path: str, shown: Any, **args: Any) -> None:
        mark = event.start_mark
        at = Location(
            file=self._file, line=mark.line + 1, column=mark.column + 1,
            key=path or None, value=shown,
        )  # fmt: skip
        self.findings.append(rule.at(at, **args))

    def _stop(self, rule: Rule, event: Any, path: str, **args: Any) -> NoReturn:
        self._note(rule, event, path, None, **args)
        raise StopComposingError

    def _count(self, event: Any, path: str, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            unit = Text("values (aliases expanded)", "个值（别名展开后）")
            self._stop(rules.TOO_LARGE, event, path, file=self._file, limit=MAX_NODES, unit=unit)

    def _node(self, event: Any, path: str, depth: int) -> Any:
        if depth > MAX_DEPTH:
            self._stop(rules.TOO_DEEP, event, path, limit=MAX_DEPTH)
        if path:
            self.marks[path] = _position(event)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, path)
        before = self._nodes
        self._count(event, path, 1)
        self._check_tag(event, path)
        value: Any
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event, path)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self._sequence(path, depth)
        else:
            value = self._mapping(path, depth)
        if event.anchor:
            self._anchors[event.anchor] = (value, self._nodes - before)
        return value

    def _alias(self, event: Any, path: str) -> Any:
        known = self._anchors.get(event.anchor)
        if known is None:
            self._note(rules.ALIAS, event, path, f"*{event.anchor}", name=event.anchor)
            return None
        value, nodes = known
        self._count(event, path, nodes)
        return value

    def _check_tag(self, event: Any, path: str) -> None:
        tag = event.tag
        if tag and tag != "!" and tag.removeprefix(_CORE) not in _PLAIN_TAGS:
            shown = tag.replace(_CORE, "!!")
            self._note(rules.TAG, event, path, shown, tag=shown)

    def _scalar(self, event: Any, path: str) -> Any:
        text: str = event.value
        if event.style in _QUOTED or event.tag in ("!", _CORE + "str"):
            return text
        try:
            return plain_value(text)
        except NotFiniteError:
            self._note(rules.NOT_FINITE, event, path, text, value=text)
        except TooLargeError:
            self._note(rules.NUMBER_TOO_LARGE, event, path, text, value=text)
        return None

    def _sequence(self, path: str, depth: int) -> list[Any]:
        items: list[Any] = []
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            items.append(self._node(event, _join(path, str(len(items))), depth + 1))
        return items

    def _mapping(self, path: str, depth: int) -> dict[str, Any]:
        own: dict[str, Any] = {}
        first: dict[str, int] = {}
        merged: dict[str, Any] = {}
        event: Any
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._key(event, path, depth)
            if key is None:
                self._node(next(self._events), _join(path, "?"), depth + 1)
                continue
            full = _join(path, key)
            if key in first:
                self._note(rules.DUPLICATE_KEY, event, full, None, key=key, first=first[key])
            position = _position(event)
            first.setdefault(key, position.line)
            self.keys.setdefault(full, position)
            value = self._node(next(self._events), full, depth + 1)
            if key == _MERGE and event.style not in _QUOTED:
                merged = _merge(value) | merged
            else:
                own.setdefault(key, value)
        return merged | own

    def _key(self, event: Any, path: str, depth: int) -> str | None:
        if isinstance(event, yaml.ScalarEvent) and event.value:
            self._check_tag(event, _join(path, event.value))
            return str(event.value)
        self._note(rules.KEY, event, path, None)
        if not isinstance(event, yaml.ScalarEvent):
            self._node(event, _join(path, "?"), depth + 1)
        return None


def _merge(value: Any) -> dict[str, Any]:
    """Join what ``<<`` names: one mapping or a list of them, the earlier one winning."""
    if isinstance(value, dict):
        return value
    joined: dict[str, Any] = {}
    for one in value if isinstance(value, list) else []:
        if isinstance(one, dict):
            joined = one | joined
    return joined


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _position(event: Any) -> Position:
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)

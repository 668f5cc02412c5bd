"""A YAML file as plain values with the place of every key and value."""

from __future__ import annotations

from typing import Any

import msgspec

from starforge.findings import Location


class Position(msgspec.Struct, frozen=True):
    """1-based line and column."""

    line: int
    column: int


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed YAML file.

    ``file`` is the name shown in findings (relative to the experiment folder); ``keys``
    and ``marks`` map dotted paths (``params.learning_rate``, ``then.0``) to the place of
    the key and of its value.
    """

    file: str
    value: Any = None
    keys: dict[str, Position] = {}
    marks: dict[str, Position] = {}

    def get(self, path: str, default: Any = None) -> Any:
        """Return the value at a dotted path."""
        node = self.value
        for part in path.split("."):
            if isinstance(node, dict) and part in node:
                node = node[part]
            elif isinstance(node, list) and part.isdigit() and int(part) < len(node):
                node = node[int(part)]
            else:
                return default
        return node

    def at(self, path: str) -> Location:
        """Return where the key ``path`` is written.

        When it is not there, the place of the nearest parent that is; the key of the
        location is always ``path``.
        """
        found = path
        while found and found not in self.keys:
            found = found.rpartition(".")[0]
        position = self.keys.get(found)
        return Location(
            file=self.file,
            line=position.line if position else None,
            column=position.column if position else None,
            key=path,
            value=self.get(path),
        )

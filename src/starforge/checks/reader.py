"""Typed decoding of rows: what fits the expected types is recognised by msgspec, in C.

A reader is made from the first good row of a file. A row that it takes has exactly the same
columns, with values of the right types; only what types can't say is left to look at. Every
other row is decoded plainly and looked at column by column (:mod:`starforge.checks.rows`), so
a reader is about speed and never about the verdict.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from starforge.checks.rows import ROLES, TEXTS
from starforge.checks.turns import ANSWERS, turn_problems

MOST_READERS = 4


class Turn(msgspec.Struct, forbid_unknown_fields=True):
    """A plain message. Fields in order of their names, so that encoding it is canonical."""

    content: str
    role: Literal[ROLES]  # type: ignore[valid-type]


class Reader:
    """Decodes rows with the columns of a row that was found good."""

    def __init__(self, row: dict[str, Any], shape: list[str]) -> None:
        columns = [c for c in shape if c in TEXTS or c in ("messages", "text")]
        messages = {c for c in columns if isinstance(row[c], list)}
        types: dict[str, Any] = dict.fromkeys(row, Any)
        types |= dict.fromkeys(columns, str) | dict.fromkeys(messages, list[Turn])
        if "label" in shape:
            types["label"] = bool
        # Columns may be called anything, so fields have names of their own; sorted by column.
        fields = {name: f"f{index}" for index, name in enumerate(sorted(row))}
        made = msgspec.defstruct(
            "Row", [(field, types[name]) for name, field in fields.items()],
            rename={field: name for name, field in fields.items()},
            forbid_unknown_fields=True, gc=False, namespace={"get": _getter(fields)},
        )  # fmt: skip
        self._decode = msgspec.json.Decoder(made).decode
        self._messages = [(column, fields[column]) for column in sorted(messages)]
        self._texts = [fields[column] for column in columns if column not in messages]
        pair = ("chosen", "rejected")
        self._pair = tuple(fields[c] for c in pair) if set(pair) <= set(shape) else None
        self._continued = {c for c in ANSWERS - {"messages"} if "prompt" in shape}

    def read(self, line: bytes) -> Any:
        """Return the row, with ``get(column)``; ``None`` when it must be looked at closely."""
        try:
            row = self._decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        return row if self._sound(row) else None

    def _sound(self, row: Any) -> bool:
        for field in self._texts:
            text = getattr(row, field)
            if not text or text.isspace():
                return False
        for column, field in self._messages:
            turns = getattr(row, field)
            for turn in turns:
                if not turn.content or turn.content.isspace():
                    return False
            roles = tuple([turn.role for turn in turns])
            if not roles or turn_problems(column, roles, column in self._continued):
                return False
        if self._pair is None:
            return True
        return bool(getattr(row, self._pair[0]) != getattr(row, self._pair[1]))


class Readers:
    """The readers of a file: one for each set of columns that good rows of it have."""

    def __init__(self) -> None:
        self._readers: list[Reader] = []
        self._encode = msgspec.json.Encoder(order="deterministic").encode

    def learn(self, row: dict[str, Any], shape: list[str]) -> None:
        """Take rows like this good one from now on."""
        if len(self._readers) < MOST_READERS and _plain(row, shape):
            self._readers.append(Reader(row, shape))

    def read(self, line: bytes) -> tuple[Any, bytes] | None:
        """Return a good row and its canonical bytes; ``None`` for one to look at closely."""
        for index, reader in enumerate(self._readers):
            row = reader.read(line)
            if row is not None:
                if index:  # the next row is probably like this one
                    self._readers.insert(0, self._readers.pop(index))
                return row, self._encode(row)
        return None


def _getter(fields: dict[str, str]) -> Any:
    def get(row: Any, column: str) -> Any:
        field = fields.get(column)
        return None if field is None else getattr(row, field)

    return get


def _plain(row: dict[str, Any], shape: list[str]) -> bool:
    """Say whether the messages of a row are such as :class:`Turn` takes."""
    lists = [row[c] for c in shape if isinstance(row[c], list)]
    return all(set(turn) == {"role", "content"} for turns in lists for turn in turns)


def canonical(row: Any) -> bytes:
    """Return the same bytes for the same row, however it is spaced, escaped and ordered."""
    return msgspec.json.encode(row, order="deterministic")

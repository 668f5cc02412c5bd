"""Small helpers that the modules of one noun share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Row, Table, func
from sqlalchemy.dialects import postgresql, sqlite

from starforge.server.store.database import Tx

T = TypeVar("T")
Insert = sqlite.Insert | postgresql.Insert


def struct(kind: type[T], row: Row[Any]) -> T:
    """Make a frozen struct of a row whose columns are its fields."""
    return msgspec.convert(fields(row), type=kind)


def fields(row: Row[Any]) -> dict[str, Any]:
    """Return a row by column name; plain `str`, which msgspec insists on."""
    return {str(name): value for name, value in row._mapping.items()}


def changes(new: msgspec.Struct) -> dict[str, Any]:
    """Return the fields of a change that were given."""
    given = ((name, getattr(new, name)) for name in new.__struct_fields__)
    return {name: value for name, value in given if value is not msgspec.UNSET}


def insert(tx: Tx, table: Table) -> Insert:
    """Return an INSERT that knows ON CONFLICT, which both databases spell alike."""
    return _insert(tx.dialect.name, table)


def _insert(dialect: str, table: Table) -> Insert:
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)


def upsert(tx: Tx, table: Table, keys: Sequence[str], values: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows of equal shape; where ``keys`` are taken, replace what is there."""
    if not values:
        return
    changed = tuple(name for name in values[0] if name not in keys)
    tx.execute(_upsert(tx.dialect.name, table, tuple(keys), changed), list(values))


@lru_cache(maxsize=64)
def _upsert(dialect: str, table: Table, keys: tuple[str, ...], changed: tuple[str, ...]) -> Insert:
    # Building this statement takes longer than running it, and every chunk of points needs two.
    statement = _insert(dialect, table)
    updated = {name: statement.excluded[name] for name in changed}
    return statement.on_conflict_do_update(index_elements=list(keys), set_=updated)


def contains(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    """Say that a column contains ``text`` literally, without regard to case."""
    return func.lower(column).contains(text.lower(), autoescape=True)


def clean(text: str) -> str:
    """Make a text from outside storable: no NUL, no half surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")

"""Scores that others measured. They stand in a table of their own, never among our results."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import select

from starforge.server.store.database import Tx
from starforge.server.store.rows import clean, struct
from starforge.server.store.tables import external_scores as table


class NewExternal(msgspec.Struct, frozen=True, kw_only=True):
    """A score and where it comes from; ``date`` is the source's, as YYYY-MM-DD."""

    model: str
    benchmark: str
    metric: str
    value: float
    stderr: float | None = None
    items: int | None = None
    higher_is_better: bool = True
    source: str
    date: str | None = None
    settings: dict[str, Any] = {}


class External(NewExternal, frozen=True, kw_only=True):
    """A kept one."""

    id: int
    added_at: float


_COLUMNS = [table.c[name] for name in External.__struct_fields__]
_TEXTS = ("model", "benchmark", "metric", "source")


def add(tx: Tx, rows: Sequence[NewExternal]) -> int:
    """Keep scores; those that are there already are left as they are. Return how many are new."""
    new = 0
    for row in rows:
        values = msgspec.structs.asdict(row)
        values |= {name: clean(values[name]) for name in _TEXTS}
        digest = hashlib.sha256(msgspec.json.encode(values, order="sorted")).hexdigest()
        if tx.execute(select(table.c.id).where(table.c.digest == digest)).scalar() is None:
            tx.execute(table.insert().values(**values, digest=digest, added_at=time.time()))
            new += 1
    return new


def find(tx: Tx, *, benchmark: str | None = None, model: str | None = None) -> list[External]:
    """Return the scores by benchmark, metric and model."""
    statement = select(*_COLUMNS)
    if benchmark is not None:
        statement = statement.where(table.c.benchmark == benchmark)
    if model is not None:
        statement = statement.where(table.c.model == model)
    order = (table.c.benchmark, table.c.metric, table.c.model, table.c.id)
    return [struct(External, row) for row in tx.execute(statement.order_by(*order))]


def remove(tx: Tx, ident: int) -> bool:
    """Remove a score; say whether it was there."""
    return tx.execute(table.delete().where(table.c.id == ident)).rowcount == 1

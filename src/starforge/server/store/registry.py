"""Registered datasets and models: ``NAME@VERSION``, versions counted from 1."""

from __future__ import annotations

import time
from typing import Any, Literal, TypeVar

from sqlalchemy import Table, func, select

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.store.database import Tx
from starforge.server.store.records import Dataset, Model, Page
from starforge.server.store.rows import contains, struct
from starforge.server.store.tables import datasets as dataset_table
from starforge.server.store.tables import models as model_table

T = TypeVar("T", Dataset, Model)


def add_dataset(
    tx: Tx,
    name: str,
    *,
    digest: str,
    rows: int,
    size: int,
    columns: list[str],
    filename: str,
    description: str | None = None,
) -> Dataset:
    """Register a version; content already registered under the name gives that version."""
    values = {
        "rows": rows,
        "bytes": size,
        "columns": columns,
        "filename": filename,
        "description": description,
    }
    return _add(tx, dataset_table, Dataset, name=name, digest=digest, values=values)


def dataset(tx: Tx, ref: str) -> Dataset:
    """Return ``NAME@VERSION``, or the newest version of ``NAME``.

    Raises:
        StarForgeError: ``dataset/not-found`` (404).
    """
    found = _find(tx, dataset_table, Dataset, ref)
    if found is None:
        raise _not_found("dataset", ref, Text("dataset", "数据集"))
    return found


def datasets(
    tx: Tx,
    *,
    name: str | None = None,
    search: str | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Page[Dataset]:
    """List versions, newest first."""
    return _page(tx, dataset_table, Dataset, name=name, search=search, limit=limit, offset=offset)


def add_model(
    tx: Tx,
    name: str,
    *,
    kind: Literal["path", "hub", "job", "blob"],
    location: str,
    digest: str,
    size: int,
    architecture: str | None = None,
    job_id: str | None = None,
    description: str | None = None,
) -> Model:
    """Register a version; content already registered under the name gives that version."""
    values = {
        "kind": kind,
        "location": location,
        "bytes": size,
        "architecture": architecture,
        "job_id": job_id,
        "description": description,
    }
    return _add(tx, model_table, Model, name=name, digest=digest, values=values)


def model(tx: Tx, ref: str) -> Model:
    """Return ``NAME@VERSION``, or the newest version of ``NAME``.

    Raises:
        StarForgeError: ``model/not-found`` (404).
    """
    found = _find(tx, model_table, Model, ref)
    if found is None:
        raise _not_found("model", ref, Text("model", "模型"))
    return found


def models(
    tx: Tx,
    *,
    name: str | None = None,
    search: str | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Page[Model]:
    """List versions, newest first."""
    return _page(tx, model_table, Model, name=name, search=search, limit=limit, offset=offset)


def _columns(table: Table, kind: type[T]) -> list[Any]:
    return [table.c[name] for name in kind.__struct_fields__]


def _add(
    tx: Tx, table: Table, kind: type[T], *, name: str, digest: str, values: dict[str, Any]
) -> T:
    columns = _columns(table, kind)
    same = (table.c.name == name, table.c.digest == digest)
    known = tx.execute(select(*columns).where(*same)).one_or_none()
    if known is not None:
        return struct(kind, known)
    newest = tx.execute(select(func.max(table.c.version)).where(table.c.name == name)).scalar()
    version = (newest or 0) + 1
    key = {"name": name, "version": version, "digest": digest, "created_at": time.time()}
    tx.execute(table.insert().values(**key, **values))
    return struct(kind, tx.execute(select(*columns).where(*same)).one())


def _find(tx: Tx, table: Table, kind: type[T], ref: str) -> T | None:
    name, at, version = ref.rpartition("@")
    statement = select(*_columns(table, kind))
    if not at:
        newest = statement.where(table.c.name == ref).order_by(table.c.version.desc()).limit(1)
        row = tx.execute(newest).one_or_none()
    else:
        number = version.removeprefix("v")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            return None
        exact = (table.c.name == name, table.c.version == int(number))
        row = tx.execute(statement.where(*exact)).one_or_none()
    return None if row is None else struct(kind, row)


def _page(
    tx: Tx,
    table: Table,
    kind: type[T],
    *,
    name: str | None,
    search: str | None,
    limit: int,
    offset: int,
) -> Page[T]:
    conditions = []
    if name is not None:
        conditions.append(table.c.name == name)
    if search:
        either = contains(table.c.name, search) | contains(table.c.description, search)
        conditions.append(either)
    total = tx.execute(select(func.count()).select_from(table).where(*conditions)).scalar_one()
    order = (table.c.created_at.desc(), table.c.name, table.c.version.desc())
    statement = select(*_columns(table, kind)).where(*conditions).order_by(*order)
    rows = tx.execute(statement.limit(limit).offset(offset)).all()
    return Page(total=total, rows=[struct(kind, row) for row in rows])


def _not_found(area: str, ref: str, what: Text) -> StarForgeError:
    return StarForgeError(
        f"{area}/not-found",
        Text(f"there is no {what.en} `{{ref}}`", f"没有名为 `{{ref}}` 的{what.zh}").format(ref=ref),
        Text(
            f"`sf {area} ls` lists what is registered; a version is written NAME@2",
            f"用 `sf {area} ls` 查看已登记的{what.zh}；指定版本时写作 NAME@2",
        ),
        status=404,
    )

"""Registered datasets and models: ``NAME@VERSION``, versions counted from 1."""

from __future__ import annotations

from typing import Literal

from starforge.server.store.database import Tx
from starforge.server.store.records import Dataset, Model, Page


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
    raise NotImplementedError


def dataset(tx: Tx, ref: str) -> Dataset:
    """Return ``NAME@VERSION``, or the newest version of ``NAME``."""
    raise NotImplementedError


def datasets(
    tx: Tx,
    *,
    name: str | None = None,
    search: str | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Page[Dataset]:
    """List versions, newest first."""
    raise NotImplementedError


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
    raise NotImplementedError


def model(tx: Tx, ref: str) -> Model:
    """Return ``NAME@VERSION``, or the newest version of ``NAME``."""
    raise NotImplementedError


def models(
    tx: Tx,
    *,
    name: str | None = None,
    search: str | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Page[Model]:
    """List versions, newest first."""
    raise NotImplementedError


def models_of_job(tx: Tx, job_id: str) -> list[Model]:
    """Return the models registered from a job."""
    raise NotImplementedError

"""Open, migrate and use the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection

Tx = Connection


class Database:
    """A SQLite file or a PostgreSQL database, migrated to this version's schema."""

    @classmethod
    def open(cls, where: str | Path) -> Database:
        """Open ``where`` (a path, or an SQLAlchemy URL) and migrate it when needed."""
        raise NotImplementedError

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """Give a transaction that sees one snapshot."""
        raise NotImplementedError

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """Give a transaction that commits at the end; one at a time on SQLite."""
        raise NotImplementedError

    def close(self) -> None:
        """Close all connections."""

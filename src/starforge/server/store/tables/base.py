"""What all tables are made of. Times are Unix seconds; JSON is text."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import (
    BigInteger,
    Column,
    Dialect,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Text,
    TypeDecorator,
)


class Json(TypeDecorator[Any]):
    """A JSON document kept as text, the same on every database."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Encode on the way in; structs are fine, and half a surrogate pair becomes ``?``."""
        if value is None:
            return None
        try:
            return msgspec.json.encode(value).decode()
        except UnicodeEncodeError:
            return msgspec.json.encode(_whole(msgspec.to_builtins(value))).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Decode on the way out."""
        return None if value is None else msgspec.json.decode(value)


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_whole(key): _whole(one) for key, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list) else value


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Serial = BigInteger().with_variant(Integer, "sqlite")
"""SQLite counts up by itself only in a column of type INTEGER."""


def job_column(*, primary_key: bool = False) -> Column[str]:
    """Return the column of what goes with its job."""
    return Column(
        "job_id",
        String(10),
        ForeignKey("jobs.id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


def stream_column() -> Column[int]:
    """Return the column of what goes with its stream."""
    return Column(
        "stream_id", BigInteger, ForeignKey("streams.id", ondelete="CASCADE"), nullable=False
    )

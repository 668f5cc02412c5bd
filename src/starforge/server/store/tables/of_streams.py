"""What jobs write: files by offset, samples, and the points of metrics."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from starforge.server.store.tables.base import Json, Serial, job_column, metadata, stream_column

streams = Table(
    "streams",
    metadata,
    Column("id", Serial, primary_key=True),
    job_column(),
    Column("attempt", Integer, nullable=False),
    Column("path", Text, nullable=False),
    Column("format", String(16), nullable=False),
    Column("offset", BigInteger, nullable=False),
    Column("lines", BigInteger, nullable=False),
    Column("notes", Json, nullable=False),
    Column("updated_at", Double, nullable=False),
    UniqueConstraint("job_id", "attempt", "path"),
)

segments = Table(
    "segments",
    metadata,
    stream_column(),
    Column("number", Integer, nullable=False),
    Column("first_line", BigInteger, nullable=False),  # newlines before the segment
    PrimaryKeyConstraint("stream_id", "number"),
)

samples = Table(
    "samples",
    metadata,
    stream_column(),
    Column("offset", BigInteger, nullable=False),
    Column("length", Integer, nullable=False),
    job_column(),
    Column("step", BigInteger, nullable=False),
    Column("reward", Double),
    PrimaryKeyConstraint("stream_id", "offset"),
    Index(None, "job_id", "step"),
    Index(None, "job_id", "reward"),
)

series = Table(
    "series",
    metadata,
    Column("id", Serial, primary_key=True),
    job_column(),
    Column("name", Text, nullable=False),
    Column("native", Text, nullable=False),
    Column("count", BigInteger, nullable=False),
    Column("last_step", BigInteger),
    Column("last_value", Double),
    Column("last_time", Double),
    Column("minimum", Double),
    Column("maximum", Double),
    UniqueConstraint("job_id", "name"),
)

chunks = Table(
    "chunks",
    metadata,
    Column("series_id", BigInteger, ForeignKey("series.id", ondelete="CASCADE"), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("seq", BigInteger, nullable=False),  # points of the attempt before this chunk
    Column("level", Integer, nullable=False),  # 0 open tail, 1 small, 2 full with rollups
    Column("count", Integer, nullable=False),
    Column("ordered", Boolean, nullable=False),  # steps strictly increase
    Column("min_step", BigInteger, nullable=False),
    Column("max_step", BigInteger, nullable=False),
    Column("min_time", Double, nullable=False),
    Column("max_time", Double, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("rollup", LargeBinary),
    PrimaryKeyConstraint("series_id", "attempt", "seq"),
)

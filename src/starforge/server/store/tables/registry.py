"""Datasets, models, and scores: own ones and those of others."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from starforge.server.store.tables.base import Json, Serial, job_column, metadata

datasets = Table(
    "datasets",
    metadata,
    Column("name", String(200), nullable=False),
    Column("version", Integer, nullable=False),
    Column("digest", Text, nullable=False),
    Column("rows", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("columns", Json, nullable=False),
    Column("filename", Text, nullable=False),
    Column("description", Text),
    Column("created_at", Double, nullable=False),
    PrimaryKeyConstraint("name", "version"),
    UniqueConstraint("name", "digest"),
    Index(None, "created_at"),
)

models = Table(
    "models",
    metadata,
    Column("name", String(200), nullable=False),
    Column("version", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("location", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("architecture", Text),
    Column("job_id", String(10)),  # stays when the job is deleted
    Column("description", Text),
    Column("created_at", Double, nullable=False),
    PrimaryKeyConstraint("name", "version"),
    UniqueConstraint("name", "digest"),
    Index(None, "created_at"),
    Index(None, "job_id"),
)

scores = Table(
    "scores",
    metadata,
    Column("id", Serial, primary_key=True),
    job_column(),
    Column("attempt", Integer, nullable=False),
    Column("model", Text, nullable=False),
    Column("model_digest", Text),
    Column("benchmark", Text, nullable=False),
    Column("metric", Text, nullable=False),
    Column("value", Double),
    Column("stderr", Double),
    Column("items", BigInteger),
    Column("higher_is_better", Boolean, nullable=False),
    Column("settings", Json, nullable=False),
    Column("settings_digest", String(64), nullable=False),
    Column("created_at", Double, nullable=False),
    Column("seen", BigInteger),  # items found in the model's training data; NULL: not known
    Column("seen_of", BigInteger),  # so many were looked for
    Index(None, "job_id"),
    Index(None, "benchmark", "metric", "settings_digest", "created_at"),
)

external_scores = Table(
    "external_scores",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("model", Text, nullable=False),
    Column("benchmark", Text, nullable=False),
    Column("metric", Text, nullable=False),
    Column("value", Double, nullable=False),
    Column("stderr", Double),
    Column("items", BigInteger),
    Column("higher_is_better", Boolean, nullable=False),
    Column("source", Text, nullable=False),
    Column("date", String(10)),  # of the source, as YYYY-MM-DD
    Column("settings", Json, nullable=False),
    Column("digest", String(64), nullable=False, unique=True),  # of all the above
    Column("added_at", Double, nullable=False),
    Index(None, "benchmark"),
)

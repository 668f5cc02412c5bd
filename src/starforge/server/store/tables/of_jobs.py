"""Jobs: what they are, what they were made of, their attempts, events and outputs."""

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
    String,
    Table,
    Text,
    UniqueConstraint,
)

from starforge.server.store.tables.base import Json, Serial, job_column, metadata

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(10), primary_key=True),
    Column("name", Text, nullable=False),
    Column("method", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("desired", String(8), nullable=False),
    Column("reason", Text),
    Column("message", Json),
    Column("priority", Integer, nullable=False),
    Column("engine", Text, nullable=False),
    Column("profile", Text, nullable=False),
    Column("cpus", Integer, nullable=False),
    Column("gpus", Integer, nullable=False),
    Column("owner", Text),
    Column("lab", Text),
    Column("tags", Json, nullable=False),
    Column("description", Text),
    Column("created_at", Double, nullable=False),
    Column("started_at", Double),
    Column("ended_at", Double),
    Column("updated_at", Double, nullable=False),
    Column("current_attempt", Integer),
    Column("progress_step", BigInteger),
    Column("progress_total", BigInteger),
    Column("headline", Json, nullable=False),
    Column("parent", String(10)),  # the job that this one follows; stays when that is deleted
    Column("follow_ups", String(8)),  # "due" until what follows this job has been made
    Column("pipeline", String(10)),  # the pipeline that made this job for one of its stages
    Index(None, "created_at", "id"),
    Index(None, "state", "created_at"),
    Index(None, "method", "created_at"),
    Index(None, "name", "created_at"),
    Index(None, "parent"),
    Index(None, "follow_ups"),
    Index(None, "pipeline"),
)

job_specs = Table(
    "job_specs",
    metadata,
    job_column(primary_key=True),
    Column("plan", LargeBinary, nullable=False),  # zstd of the plan's JSON
    Column("plan_digest", String(64), nullable=False),
    Column("experiment", Json, nullable=False),
    Column("bundle", String(64)),
    Column("source", Json),
    Column("idempotency_key", String(200), unique=True),
    Column("token_hash", Text, nullable=False),
)

attempts = Table(
    "attempts",
    metadata,
    job_column(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("state", String(16), nullable=False),
    Column("reason", Text),
    Column("message", Json),
    Column("exit_code", Integer),
    Column("resume", Boolean, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("started_at", Double),
    Column("ended_at", Double),
    Column("heartbeat_at", Double),
    Column("engine_state", Json, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("job_id", String(10), ForeignKey("jobs.id", ondelete="CASCADE")),
    Column("time", Double, nullable=False),
    Column("kind", String(64), nullable=False),
    Column("text", Json),
    Column("data", Json, nullable=False),
    Index(None, "job_id", "id"),
    sqlite_autoincrement=True,  # an id is never given twice, or followers would miss events
)

artifacts = Table(
    "artifacts",
    metadata,
    Column("id", Serial, primary_key=True),
    job_column(),
    Column("attempt", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("digest", Text),
    Column("created_at", Double, nullable=False),
    Column("meta", Json),  # what is known of it beyond its bytes
    UniqueConstraint("job_id", "path"),
)

"""Pipelines with their stages, sweeps with their trials."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from starforge.server.store.tables.base import Json, metadata

pipelines = Table(
    "pipelines",
    metadata,
    Column("id", String(10), primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("desired", String(8), nullable=False),
    Column("message", Json),
    Column("text", Text, nullable=False),  # pipeline.yaml as it was sent
    Column("fresh", Boolean, nullable=False),  # never takes what was run before
    Column("lang", String(2), nullable=False),
    Column("lab", Text),
    Column("owner", Text),
    Column("idempotency_key", String(200), unique=True),
    Column("created_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("updated_at", Double, nullable=False),
    Index(None, "state"),
    Index(None, "name", "created_at"),
    Index(None, "created_at", "id"),
)

pipeline_stages = Table(
    "pipeline_stages",
    metadata,
    Column(
        "pipeline_id",
        String(10),
        ForeignKey("pipelines.id", ondelete="CASCADE"),
        primary_key=True,
        nullable=False,
    ),
    Column("name", String(60), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("stage", Json, nullable=False),  # pipelines.model.Stage
    Column("request", Json, nullable=False),  # the submission that its job is made of
    Column("plan_digest", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("job_id", String(10)),  # stays when the job is deleted
    Column("digest", String(64)),  # of the plan and of what went in
    Column("reused", Boolean, nullable=False),  # the job is of an earlier run
    Column("message", Json),
    Column("verdicts", Json, nullable=False),
    Column("started_at", Double),
    Column("ended_at", Double),
    Index(None, "digest"),
    Index(None, "job_id"),
)

sweeps = Table(
    "sweeps",
    metadata,
    Column("id", String(10), primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("desired", String(8), nullable=False),
    Column("method", Text, nullable=False),
    Column("metric", Text, nullable=False),
    Column("goal", String(3), nullable=False),
    Column("jobs", Integer, nullable=False),  # at most so many at once
    Column("request", Json, nullable=False),  # the submission that every trial is made of
    Column("search", Json),  # how further trials are chosen; null: all are given
    Column("early_stop", Json),
    Column("lang", String(2), nullable=False),
    Column("idempotency_key", String(200), unique=True),
    Column("created_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("updated_at", Double, nullable=False),
    Index(None, "state"),
    Index(None, "created_at", "id"),
)

trials = Table(
    "trials",
    metadata,
    Column(
        "sweep_id",
        String(10),
        ForeignKey("sweeps.id", ondelete="CASCADE"),
        primary_key=True,
        nullable=False,
    ),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("parameters", Json, nullable=False),
    Column("plan_digest", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("job_id", String(10)),  # stays when the job is deleted
    Column("value", Double),
    Column("message", Json),
    Column("rungs", Json),  # what it had at each rung it came to
    Column("pruned_at", BigInteger),  # the step at which it was decided that it ends early
)

"""The schema. Times are Unix seconds; JSON is text; the migrations must end up here."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
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


def _job_column(*, primary_key: bool = False) -> Column[str]:
    return Column(
        "job_id",
        String(10),
        ForeignKey("jobs.id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


def _stream_column() -> Column[int]:
    return Column(
        "stream_id", BigInteger, ForeignKey("streams.id", ondelete="CASCADE"), nullable=False
    )


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
    _job_column(primary_key=True),
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
    _job_column(primary_key=True),
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

streams = Table(
    "streams",
    metadata,
    Column("id", Serial, primary_key=True),
    _job_column(),
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
    _stream_column(),
    Column("number", Integer, nullable=False),
    Column("first_line", BigInteger, nullable=False),  # newlines before the segment
    PrimaryKeyConstraint("stream_id", "number"),
)

samples = Table(
    "samples",
    metadata,
    _stream_column(),
    Column("offset", BigInteger, nullable=False),
    Column("length", Integer, nullable=False),
    _job_column(),
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
    _job_column(),
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
    _job_column(),
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
    _job_column(),
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

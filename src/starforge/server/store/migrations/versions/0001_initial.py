"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table; parents before children."""
    _datasets()
    _jobs()
    _models()
    _artifacts()
    _attempts()
    _events()
    _job_specs()
    _scores()
    _series()
    _streams()
    _chunks()
    _samples()
    _segments()


def _datasets() -> None:
    op.create_table(
        "datasets",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("columns", sa.Text(), nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", "version", name=op.f("pk_datasets")),
        sa.UniqueConstraint("name", "digest", name=op.f("uq_datasets_name_digest")),
    )
    op.create_index(op.f("ix_datasets_created_at"), "datasets", ["created_at"], unique=False)


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=10), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("desired", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("cpus", sa.Integer(), nullable=False),
        sa.Column("gpus", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("lab", sa.Text(), nullable=True),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.Column("current_attempt", sa.Integer(), nullable=True),
        sa.Column("progress_step", sa.BigInteger(), nullable=True),
        sa.Column("progress_total", sa.BigInteger(), nullable=True),
        sa.Column("headline", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    op.create_index(op.f("ix_jobs_created_at_id"), "jobs", ["created_at", "id"], unique=False)
    op.create_index(
        op.f("ix_jobs_method_created_at"), "jobs", ["method", "created_at"], unique=False
    )
    op.create_index(op.f("ix_jobs_name_created_at"), "jobs", ["name", "created_at"], unique=False)
    op.create_index(op.f("ix_jobs_state_created_at"), "jobs", ["state", "created_at"], unique=False)


def _models() -> None:
    op.create_table(
        "models",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("location", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("architecture", sa.Text(), nullable=True),
        sa.Column("job_id", sa.String(length=10), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", "version", name=op.f("pk_models")),
        sa.UniqueConstraint("name", "digest", name=op.f("uq_models_name_digest")),
    )
    op.create_index(op.f("ix_models_created_at"), "models", ["created_at"], unique=False)
    op.create_index(op.f("ix_models_job_id"), "models", ["job_id"], unique=False)


def _artifacts() -> None:
    op.create_table(
        "artifacts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("job_id", sa.String(length=10), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_artifacts_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artifacts")),
        sa.UniqueConstraint("job_id", "path", name=op.f("uq_artifacts_job_id_path")),
    )


def _attempts() -> None:
    op.create_table(
        "attempts",
        sa.Column("job_id", sa.String(length=10), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("resume", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("heartbeat_at", sa.Double(), nullable=True),
        sa.Column("engine_state", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_attempts_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "number", name=op.f("pk_attempts")),
    )


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("job_id", sa.String(length=10), nullable=True),
        sa.Column("time", sa.Double(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("data", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_events_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_events_job_id_id"), "events", ["job_id", "id"], unique=False)


def _job_specs() -> None:
    op.create_table(
        "job_specs",
        sa.Column("job_id", sa.String(length=10), nullable=False),
        sa.Column("plan", sa.LargeBinary(), nullable=False),
        sa.Column("plan_digest", sa.String(length=64), nullable=False),
        sa.Column("experiment", sa.Text(), nullable=False),
        sa.Column("bundle", sa.String(length=64), nullable=True),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("idempotency_key", sa.String(length=200), nullable=True),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_job_specs_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_job_specs")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_job_specs_idempotency_key")),
    )


def _scores() -> None:
    op.create_table(
        "scores",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("job_id", sa.String(length=10), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("model_digest", sa.Text(), nullable=True),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("stderr", sa.Double(), nullable=True),
        sa.Column("items", sa.BigInteger(), nullable=True),
        sa.Column("higher_is_better", sa.Boolean(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("settings_digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_scores_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scores")),
    )
    op.create_index(
        op.f("ix_scores_benchmark_metric_settings_digest_created_at"),
        "scores",
        ["benchmark", "metric", "settings_digest", "created_at"],
        unique=False,
    )
    op.create_index(op.f("ix_scores_job_id"), "scores", ["job_id"], unique=False)


def _series() -> None:
    op.create_table(
        "series",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("job_id", sa.String(length=10), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("native", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=True),
        sa.Column("last_value", sa.Double(), nullable=True),
        sa.Column("last_time", sa.Double(), nullable=True),
        sa.Column("minimum", sa.Double(), nullable=True),
        sa.Column("maximum", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_series_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_series")),
        sa.UniqueConstraint("job_id", "name", name=op.f("uq_series_job_id_name")),
    )


def _streams() -> None:
    op.create_table(
        "streams",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("job_id", sa.String(length=10), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("format", sa.String(length=16), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.BigInteger(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_streams_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_streams")),
        sa.UniqueConstraint(
            "job_id", "attempt", "path", name=op.f("uq_streams_job_id_attempt_path")
        ),
    )


def _chunks() -> None:
    op.create_table(
        "chunks",
        sa.Column("series_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("ordered", sa.Boolean(), nullable=False),
        sa.Column("min_step", sa.BigInteger(), nullable=False),
        sa.Column("max_step", sa.BigInteger(), nullable=False),
        sa.Column("min_time", sa.Double(), nullable=False),
        sa.Column("max_time", sa.Double(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("rollup", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_chunks_series_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("series_id", "attempt", "seq", name=op.f("pk_chunks")),
    )


def _samples() -> None:
    op.create_table(
        "samples",
        sa.Column("stream_id", sa.BigInteger(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.String(length=10), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("reward", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_samples_job_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["stream_id"], ["streams.id"], name=op.f("fk_samples_stream_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("stream_id", "offset", name=op.f("pk_samples")),
    )
    op.create_index(op.f("ix_samples_job_id_reward"), "samples", ["job_id", "reward"], unique=False)
    op.create_index(op.f("ix_samples_job_id_step"), "samples", ["job_id", "step"], unique=False)


def _segments() -> None:
    op.create_table(
        "segments",
        sa.Column("stream_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("first_line", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["stream_id"], ["streams.id"], name=op.f("fk_segments_stream_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("stream_id", "number", name=op.f("pk_segments")),
    )

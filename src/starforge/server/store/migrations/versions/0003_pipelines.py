"""Pipelines and their stages, and the pipeline a job was made for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the tables; no job that is there is of a pipeline."""
    op.add_column("jobs", sa.Column("pipeline", sa.String(length=10), nullable=True))
    op.create_index(op.f("ix_jobs_pipeline"), "jobs", ["pipeline"], unique=False)
    _pipelines()
    _stages()


def _pipelines() -> None:
    op.create_table(
        "pipelines",
        sa.Column("id", sa.String(length=10), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("desired", sa.String(length=8), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("fresh", sa.Boolean(), nullable=False),
        sa.Column("lang", sa.String(length=2), nullable=False),
        sa.Column("lab", sa.Text(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("idempotency_key", sa.String(length=200), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pipelines")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_pipelines_idempotency_key")),
    )
    for columns in (["state"], ["name", "created_at"], ["created_at", "id"]):
        name = op.f(f"ix_pipelines_{'_'.join(columns)}")
        op.create_index(name, "pipelines", columns, unique=False)


def _stages() -> None:
    op.create_table(
        "pipeline_stages",
        sa.Column("pipeline_id", sa.String(length=10), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("plan_digest", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.String(length=10), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=True),
        sa.Column("reused", sa.Boolean(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("verdicts", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["pipeline_id"],
            ["pipelines.id"],
            name=op.f("fk_pipeline_stages_pipeline_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("pipeline_id", "name", name=op.f("pk_pipeline_stages")),
    )
    for column in ("digest", "job_id"):
        op.create_index(
            op.f(f"ix_pipeline_stages_{column}"), "pipeline_stages", [column], unique=False
        )

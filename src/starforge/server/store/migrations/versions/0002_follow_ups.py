"""Jobs that follow a job, and what is known of an output."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns; the jobs that are there follow none."""
    op.add_column("jobs", sa.Column("parent", sa.String(length=10), nullable=True))
    op.add_column("jobs", sa.Column("follow_ups", sa.String(length=8), nullable=True))
    op.create_index(op.f("ix_jobs_parent"), "jobs", ["parent"], unique=False)
    op.create_index(op.f("ix_jobs_follow_ups"), "jobs", ["follow_ups"], unique=False)
    op.add_column("artifacts", sa.Column("meta", sa.Text(), nullable=True))

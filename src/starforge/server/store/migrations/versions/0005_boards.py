"""What scores know of training data, and scores of others."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns, not known of the scores that are there, and the table."""
    op.add_column("scores", sa.Column("seen", sa.BigInteger(), nullable=True))
    op.add_column("scores", sa.Column("seen_of", sa.BigInteger(), nullable=True))
    serial = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "external_scores",
        sa.Column("id", serial, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("stderr", sa.Double(), nullable=True),
        sa.Column("items", sa.BigInteger(), nullable=True),
        sa.Column("higher_is_better", sa.Boolean(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("date", sa.String(length=10), nullable=True),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("added_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_external_scores")),
        sa.UniqueConstraint("digest", name=op.f("uq_external_scores_digest")),
    )
    op.create_index(
        op.f("ix_external_scores_benchmark"), "external_scores", ["benchmark"], unique=False
    )

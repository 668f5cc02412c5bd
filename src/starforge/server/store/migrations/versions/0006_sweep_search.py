"""Sweeps that choose their trials as they go, and end bad ones early."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the columns; the sweeps that are there have neither."""
    op.add_column("sweeps", sa.Column("search", sa.Text(), nullable=True))
    op.add_column("sweeps", sa.Column("early_stop", sa.Text(), nullable=True))
    op.add_column("trials", sa.Column("rungs", sa.Text(), nullable=True))
    op.add_column("trials", sa.Column("pruned_at", sa.BigInteger(), nullable=True))

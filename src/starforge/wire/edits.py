"""Changing what people say about jobs, and several jobs at once."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from starforge.wire.base import Request, Shape
from starforge.wire.errors import ErrorBody

Tag = Annotated[str, Field(max_length=100)]


class JobEdit(Request):
    """New values; what is left out stays. ``priority`` changes only while a job is queued.

    ``tags`` are all tags the job then has; ``add_tags`` and ``remove_tags`` change single ones.
    A ``description`` of ``null`` or without text takes it away.
    """

    name: str | None = None
    description: str | None = Field(default=None, max_length=10_000)
    tags: list[Tag] | None = Field(default=None, max_length=50)
    add_tags: list[Tag] = Field(default=[], max_length=50)
    remove_tags: list[Tag] = Field(default=[], max_length=50)
    priority: int | None = Field(default=None, ge=-1000, le=1000)


class BulkRequest(Request):
    """One action on several jobs (ids, prefixes or names).

    ``force`` is that of stopping or deleting one; ``tags`` are what is added or taken away.
    """

    ids: list[str] = Field(min_length=1, max_length=500)
    action: Literal["stop", "delete", "tag", "untag"]
    tags: list[Tag] = Field(default=[], max_length=50)
    force: bool = False


class BulkResult(Shape):
    """What became of one job: ``error`` says why nothing was done. ``ref`` is as asked."""

    ref: str
    id: str | None = None
    ok: bool
    error: ErrorBody | None = None

"""Registered data: one JSON-lines (or other) file, by content."""

from __future__ import annotations

from pydantic import Field

from starforge.wire.base import Request, Shape, Time

NAME = r"^[^\s/@:\\]{1,100}$"


class DatasetCreate(Request):
    """Register an uploaded blob as the next version of ``name``.

    The same content under the same name answers the version it already has.
    """

    name: str = Field(pattern=NAME)
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
    file: str = "data.jsonl"
    description: str | None = None


class Dataset(Shape):
    """A version of a dataset; ``ref`` is what an experiment writes."""

    name: str
    version: int
    ref: str
    digest: str
    rows: int | None = None
    bytes: int = 0
    columns: list[str] = []
    file: str | None = None
    description: str | None = None
    created_at: Time

"""Registered models."""

from __future__ import annotations

from pydantic import Field

from starforge.wire.base import Request, Shape, Time
from starforge.wire.datasets import NAME


class ModelFile(Request):
    """One uploaded file of a model: its relative path and the sha256 of its blob."""

    path: str
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")


class ModelCreate(Request):
    """Register a model: exactly one of a folder on the server's machine, ``job:ID`` or files."""

    name: str = Field(pattern=NAME)
    path: str | None = None
    job: str | None = None
    files: list[ModelFile] | None = None
    description: str | None = None


class Model(Shape):
    """A version of a model; ``ref`` is what an experiment writes."""

    name: str
    version: int
    ref: str
    kind: str
    location: str
    digest: str | None = None
    bytes: int | None = None
    architecture: str | None = None
    job: str | None = None
    description: str | None = None
    created_at: Time

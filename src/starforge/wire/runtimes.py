"""Pinned environments on the server's machine, and background work."""

from __future__ import annotations

from typing import Any, Literal

from starforge.wire.base import BothTexts, Request, Shape, Time


class Runtime(Shape):
    """A runtime of the catalog, installed or not; also builds of locks of older versions.

    Those are not ``current``, and have no ``title``. ``size`` is what an installed one takes
    on disk; ``estimate`` and ``download`` are about what a build takes and fetches, in bytes.
    """

    name: str
    device: str
    digest: str
    installed: bool
    path: str | None = None
    python: str | None = None
    size: int | None = None
    used_by: list[str] = []
    title: BothTexts | None = None
    current: bool = True
    estimate: int | None = None
    download: int | None = None


class RuntimeInstall(Request):
    """``device`` defaults to what the machine has."""

    name: str
    device: Literal["cpu", "cuda"] | None = None


class RuntimeReport(Shape):
    """What the doctor says."""

    name: str
    device: str
    ok: bool
    detail: dict[str, Any] = {}


class Task(Shape):
    """Work in the background of the server. ``done`` and ``total`` count its parts."""

    id: str
    kind: str
    target: str
    state: Literal["running", "succeeded", "failed"]
    done: int | None = None
    total: int | None = None
    message: str | None = None
    hint: str | None = None
    started_at: Time
    ended_at: Time | None = None

"""What runners speak (the job's own token; see architecture.md, Shipping)."""

from __future__ import annotations

from typing import Any, Literal

from starforge.wire.base import OpenShape, Shape


class Offset(Shape):
    """Up to where the server has durably taken a stream."""

    offset: int


class Offsets(Shape):
    """All offsets of an attempt by stream path."""

    offsets: dict[str, int]


class Heartbeat(OpenShape):
    """``status.json`` of the attempt."""

    state: str | None = None
    progress: dict[str, Any] | None = None


class Desired(Shape):
    """What the user wants of the attempt."""

    desired: Literal["run", "stop"]

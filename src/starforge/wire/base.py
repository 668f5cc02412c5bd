"""What every shape has in common."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, overload

from pydantic import BaseModel, ConfigDict, PlainSerializer


def iso(when: datetime) -> str:
    """Render a time as ISO-8601 UTC with milliseconds: ``2026-01-31T09:30:00.000Z``."""
    moment = when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


_LAST = datetime(9000, 1, 1, tzinfo=UTC).timestamp()  # in every time zone before the year 10000
Time = Annotated[datetime, PlainSerializer(iso, return_type=str, when_used="json")]


@overload
def from_unix(seconds: float) -> datetime: ...
@overload
def from_unix(seconds: float | None) -> datetime | None: ...
def from_unix(seconds: float | None) -> datetime | None:
    """Turn Unix seconds into an aware time; what no calendar holds becomes its nearest end."""
    if seconds is None:
        return None
    known = 0.0 if seconds != seconds else min(max(seconds, 0.0), _LAST)  # noqa: PLR0124 - NaN
    return datetime.fromtimestamp(known, UTC)


class Shape(BaseModel):
    """Base of everything the server answers."""

    model_config = ConfigDict(extra="ignore")


class OpenShape(BaseModel):
    """A shape that keeps keys it does not know (rows of users' own files)."""

    model_config = ConfigDict(extra="allow")


class Request(BaseModel):
    """Base of everything a client sends: an unknown key is an error, not a silent loss."""

    model_config = ConfigDict(extra="forbid")


class BothTexts(Shape):
    """One text in both languages."""

    en: str
    zh: str

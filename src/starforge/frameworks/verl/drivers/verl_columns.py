"""The columns that are added to verl's dumps of rollouts. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

LENGTH, TRUNCATED, PARTS = "response_length", "response_truncated", "reward_parts"
Columns = dict[str, list[Any]]


def length_columns(lengths: Iterable[int], limit: int) -> Columns:
    """Return the columns of answers that have so many tokens, of at most ``limit``."""
    found = [int(one) for one in lengths]
    return {LENGTH: found, TRUNCATED: [one >= limit for one in found]}


def parts_of(fields: Any) -> dict[str, Any]:
    """Return the parts of a reward from the further fields of one answer."""
    fields = getattr(fields, "data", fields)
    given = fields.get("reward_extra_info") if isinstance(fields, dict) else None
    return dict(given or {})


class Remembered:
    """What is known of answers, by verl's key, until they are dumped."""

    def __init__(self) -> None:
        self.lengths: dict[str, int] = {}
        self.parts: dict[str, dict[str, Any]] = {}

    def take(self, batch: Any) -> None:
        """Take the lengths from the tags of a batch."""
        for key, tag in zip(batch.keys, batch.tags, strict=True):
            if "response_len" in tag:
                self.lengths[key] = int(tag["response_len"])

    def columns(self, keys: Sequence[str], limit: int) -> Columns:
        """Return the columns for a dump of ``keys``; none where something is not known."""
        made: Columns = {}
        if all(key in self.lengths for key in keys):
            made |= length_columns((self.lengths[key] for key in keys), limit)
        if self.parts:
            made[PARTS] = [self.parts.get(key, {}) for key in keys]
        return made

"""``data.map`` against the data: names that no row has, and names that are taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from starforge.checks import rules_data as rules
from starforge.findings import Finding, nearest
from starforge.lab.assign import did_you_mean
from starforge.lab.columns import BYTE_ORDER_MARK
from starforge.lab.context import DataSource, PrepareContext


def check_column_map(context: PrepareContext) -> Iterator[Finding]:
    """Yield what is wrong with the renamings, by all rows of all splits."""
    columns = context.experiment.data_map
    sources = [source for source in context.data.values() if source.path is not None]
    if not columns or not sources:
        return
    seen: dict[str, None] = {}
    for source in sources:
        taken: dict[str, int] = {}
        for line, row in _rows(source):
            seen.update(dict.fromkeys(row))
            for old, new in columns.items():
                if new in row and new not in columns and old in row:
                    taken.setdefault(old, line)
        for old, line in taken.items():
            at = context.data_location(source.split, line)
            yield rules.MAP_TAKEN.at(at, old=old, new=columns[old], row=line)
    for old in columns:
        if old not in seen:
            near = did_you_mean(nearest(old, seen))
            at, listed = context.at(f"data.map.{old}"), ", ".join(f"`{name}`" for name in seen)
            yield rules.MAP_UNKNOWN.at(at, hint=near, old=old, known=listed or "-")


def _rows(source: DataSource) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, raw in source.raw_lines():
        try:
            row = msgspec.json.decode(raw.removeprefix(BYTE_ORDER_MARK))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if isinstance(row, dict):
            yield line, row

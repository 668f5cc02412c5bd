"""Reading small files of models and data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from starforge.lab.context import DataSource


def read_json(file: Path) -> Any:
    """Return the JSON value of a small file, ``None`` when it can't be read."""
    try:
        return msgspec.json.decode(file.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def read_object(file: Path) -> dict[str, Any]:
    """Return the JSON object of a small file, empty when there is none that can be read."""
    found = read_json(file)
    return found if isinstance(found, dict) else {}


def first_row(source: DataSource) -> dict[str, Any]:
    """Return the first row of a split, empty when there is none that can be read."""
    for _, raw in source.lines():
        try:
            row = msgspec.json.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return {}
        return row if isinstance(row, dict) else {}
    return {}

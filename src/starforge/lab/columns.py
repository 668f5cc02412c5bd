"""``data.map``: columns of data files under the names that the job reads them by."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def rename(row: dict[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """Return a row with its columns renamed, in the same order."""
    return {columns.get(name, name): value for name, value in row.items()}


def rename_line(line: bytes, columns: Mapping[str, str]) -> bytes:
    """Return a line of JSON with its columns renamed; what is no object stays as it is."""
    try:
        row = msgspec.json.decode(line.removeprefix(BYTE_ORDER_MARK))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return line
    return msgspec.json.encode(rename(row, columns)) if isinstance(row, dict) else line


def rename_file(source: Path, target: Path, columns: Mapping[str, str]) -> None:
    """Write the rows of ``source`` to ``target`` with their columns renamed.

    Line numbers stay the same, so that what a job says about a row can be found in the file.
    """
    with source.open("rb") as rows, target.open("wb") as renamed:
        for line in rows:
            renamed.write((rename_line(line, columns) if line.strip() else b"").rstrip() + b"\n")

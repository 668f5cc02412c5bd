"""The published shape of a suggestion: ``sf suggest --json`` and ``POST /suggest``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from starforge.choose.columns import all_columns, rename
from starforge.choose.detect import Detected, as_seen, detect
from starforge.choose.source import Source
from starforge.choose.suggest import Recommendation
from starforge.i18n import Lang


def examine(source: Source, mapping: Mapping[str, str]) -> Detected:
    """Tell what the rows of a source are, once columns were renamed (old name to new name).

    The mapping of the result goes from the names in the file to those that methods read.
    """
    found = detect(rename(source.rows, mapping))
    return msgspec.structs.replace(found, mapping=_joined(mapping, found.mapping))


def _joined(given: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """Join two renamings; a column that was renamed twice goes straight to its last name."""
    straight = {old: more.get(new, new) for old, new in given.items()}
    return straight | {old: new for old, new in more.items() if old not in given.values()}


def public(
    source: Source,
    found: Detected,
    best: Sequence[Recommendation],
    file: str,
    lang: Lang | None = None,
) -> dict[str, Any]:
    """Return ``{kind, form, why, rows, notes, map, file, columns, recommendations}``.

    ``rows`` are three as a method sees them, ``columns`` all of the file under the names it
    has for them, ``file`` is its name as it is shown.
    """
    return {
        "kind": found.kind,
        "form": found.form,
        "why": [one.pick(lang) for one in found.why],
        "rows": as_seen(found),
        "notes": [one.pick(lang) for one in found.notes],
        "map": found.mapping,
        "file": file,
        "columns": all_columns(source.rows),
        "recommendations": [
            {
                "method": one.method,
                "title": one.title.pick(lang),
                "reason": one.reason.pick(lang),
                "command": one.command,
            }
            for one in best
        ],
    }

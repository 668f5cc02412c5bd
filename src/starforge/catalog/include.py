"""Fragments that several recipes of a framework share: ``include: [_rl]``.

A fragment is ``recipes/<framework>/_<name>.yaml`` with any fields of a recipe. Later files
win: first the fragments in the order they are named, then the recipe itself. ``parameters``
and the lists below are joined entry by entry; ``null`` takes a parameter out again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from starforge.catalog.source import broken, read_mapping

# Lists joined by the field that names an entry; an entry of the same name is replaced.
_NAMED = {"pins": "path", "renamed": "old", "ignored": "path", "metrics": "name",
          "roles": "name", "links": "url", "presets": "name"}  # fmt: skip

Read = Callable[[Path], dict[str, Any]]


def with_fragments(
    file: Path, raw: dict[str, Any], folders: list[Path], read: Read = read_mapping
) -> dict[str, Any]:
    """Return a recipe's mapping with all its fragments joined in.

    A fragment is taken from the first of ``folders`` that has it. ``read`` parses a file, so
    that a fragment of many recipes is parsed once. Raises :class:`StarForgeError` for a
    fragment that is not there or that includes another.
    """
    names = raw.get("include") or []
    if not names:
        return raw
    joined: dict[str, Any] = {}
    for name in names:
        places = (folder / f"{name}.yaml" for folder in folders)
        path = next((place for place in places if place.is_file()), None)
        if path is None or not str(name).startswith("_"):
            raise broken(file, [f"include: there is no fragment {name}.yaml beside it"])
        fragment = read(path)
        if "include" in fragment:
            raise broken(path, ["include: a fragment can't include another"])
        joined = _join(joined, fragment)
    whole = _join(joined, {key: value for key, value in raw.items() if key != "include"})
    if isinstance(whole.get("parameters"), dict):
        whole["parameters"] = {n: f for n, f in whole["parameters"].items() if f is not None}
    return whole


def _join(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for field, value in over.items():
        old = base.get(field)
        if field == "parameters" and isinstance(old, dict) and isinstance(value, dict):
            result[field] = _parameters(old, value)
        elif field in _NAMED and isinstance(old, list) and isinstance(value, list):
            result[field] = _named(old, value, _NAMED[field])
        else:
            result[field] = value
    return result


def _parameters(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    result = dict(old)
    for name, fields in new.items():
        before = old.get(name)
        both = isinstance(before, dict) and isinstance(fields, dict)
        result[name] = {**before, **fields} if both else fields  # type: ignore[dict-item]
    return result


def _named(old: list[Any], new: list[Any], key: str) -> list[Any]:
    def name(entry: Any) -> Any:
        return entry.get(key) if isinstance(entry, dict) else None

    replaced = {name(entry): entry for entry in new if name(entry) is not None}
    kept = [replaced.pop(name(entry), entry) for entry in old]
    added = [entry for entry in new if name(entry) is None or name(entry) in replaced]
    return kept + added

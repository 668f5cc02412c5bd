"""Rename keys of config.yaml that have another name now, leaving all else as it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from starforge.catalog.models import ContractConfig, Recipe
from starforge.catalog.types import accepts_key
from starforge.lab.document import Document, parse_document
from starforge.lab.experiment import CONFIG_FILE


class Renaming(msgspec.Struct, frozen=True, kw_only=True):
    """What was renamed (old path to new), and what has to be moved by hand."""

    text: str
    done: dict[str, str] = {}
    by_hand: dict[str, str] = {}


def rename_keys(folder: Path, recipe: Recipe, config: ContractConfig) -> Renaming | None:
    """Return config.yaml with renamed keys; ``None`` when there is nothing to do.

    A key is renamed where it stands only when the catalog has no more to say about it (a note
    mostly says that the value means something else now), its value is one of the new key, its
    new name begins with the same parents and is not set already, and the file then reads the
    same but for that name. Nothing is written.
    """
    try:
        text = (folder / CONFIG_FILE).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    document, _ = parse_document(text.encode(), CONFIG_FILE)
    wanted = {one.old: one.new for one in recipe.renamed if one.new is not None}
    plain = {one.old for one in recipe.renamed if one.note is None}
    written = [path for path in wanted if path in document.keys]
    if document.broken or not written:
        return None
    done: dict[str, str] = {}
    for old in written:
        key = config.keys.get(wanted[old])
        fits = key is not None and accepts_key(key, document.get(old))[0]
        changed = _renamed(text, old, wanted[old]) if old in plain and fits else None
        if changed is not None:
            text, done[old] = changed, wanted[old]
    rest = {old: wanted[old] for old in written if old not in done}
    return Renaming(text=text, done=done, by_hand=rest)


def _renamed(text: str, old: str, new: str) -> str | None:
    """Return ``text`` with one key renamed, or ``None`` when that is not safe."""
    before, _ = parse_document(text.encode(), CONFIG_FILE)
    missing = object()
    if before.get(new, missing) is not missing:
        return None
    own = _own_name(before, old)
    parents = old[: len(old) - len(own)]
    if not new.startswith(parents) or len(new) == len(parents):
        return None
    place = before.keys[old]
    lines = text.splitlines(keepends=True)
    line = lines[place.line - 1]
    start = place.column - 1
    quote = line[start] if line[start] in "'\"" else ""
    if not line[start + len(quote) :].startswith(own + quote):
        return None  # an escape or an anchor stands there
    tail = line[start + len(quote) + len(own) :]
    lines[place.line - 1] = line[: start + len(quote)] + new[len(parents) :] + tail
    changed = "".join(lines)
    after, findings = parse_document(changed.encode(), CONFIG_FILE)
    same = not findings and _without(after, new) == _without(before, old)
    return changed if same and after.get(new) == before.get(old) else None


def _own_name(document: Document, path: str) -> str:
    """Return the key as it is written, without the parents it stands under."""
    parents = [p for p in document.keys if path.startswith(p + ".") and p != path]
    nearest = max(parents, key=len, default="")
    return path[len(nearest) + 1 :] if nearest else path


def _without(document: Document, path: str) -> Any:
    """Return all values by path but those at and below ``path``."""
    kept = (one for one in document.marks if one != path and not one.startswith(path + "."))
    return {one: document.get(one) for one in kept if not path.startswith(one + ".")}

"""Read YAML configurations of upstream: plain ones, and NeMo-RL's that start from others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from starforge.convert.importing.model import Note, Setting
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lab.document import Document, load_document

DEFAULTS, OVERRIDE = "defaults", "_override_"
_DEPTH = 20


class Tree(msgspec.Struct, frozen=True):
    """A YAML file: its values, with the line of each."""

    document: Document

    @property
    def mapping(self) -> dict[str, Any]:
        """The values, nested."""
        return self.document.mapping

    def top(self) -> Iterator[tuple[str, Any, int]]:
        """Yield the entries of the first level, with their lines."""
        for name, value in self.mapping.items():
            yield str(name), value, self.document.at(str(name)).line or 0


class Composed(msgspec.Struct, kw_only=True):
    """What a chain of files comes to. ``sections`` were replaced whole by ``_override_``."""

    settings: dict[str, Setting] = {}
    sections: set[str] = set()
    bases: list[str] = []
    notes: list[Note] = []


def read_tree(path: Path) -> Tree:
    """Read one file. Raises :class:`StarForgeError` when that can't be done."""
    document, findings = load_document(path, str(path))
    if document.broken or not path.is_file():
        message = findings[0].message if findings else Text("there is no such file", "文件不存在")
        raise StarForgeError(
            "import/unreadable",
            Text(f"{path}: {message.en}", f"{path}：{message.zh}"),
        )
    return Tree(document)


def compose(path: Path, keys: set[str], depth: int = 0) -> Composed:
    """Return what a file and the parents it names (``defaults:``) come to.

    ``keys`` are the paths that hold values; what lies above them is cut at the dots. A
    parent that is not on this machine is one of ``bases`` (upstream's own file, usually).
    """
    tree = read_tree(path)
    named = tree.mapping.get(DEFAULTS)
    made = Composed(settings={}, sections=set(), bases=[], notes=[])
    parents = [] if named is None else named if isinstance(named, list) else [named]
    for parent in map(str, parents):
        file = path.parent / parent
        if depth < _DEPTH and file.is_file():
            _over(made, compose(file, keys, depth + 1))
        else:
            made.bases.append(parent)
    own = Composed(settings={}, sections=set(), bases=[], notes=[])
    for name, value, line in _flat("", tree.mapping, keys, tree.document):
        section, _, last = name.rpartition(".")
        if last == OVERRIDE:
            if value is True and "." not in section:
                own.sections.add(section)
        elif name != DEFAULTS:
            own.settings[name] = Setting(path=name, value=value, line=line if depth == 0 else 0)
    _over(made, own)
    return made


def _over(under: Composed, over: Composed) -> None:
    kept = {
        path: one for path, one in under.settings.items()
        if path.partition(".")[0] not in over.sections
        and not any(other.startswith(f"{path}.") for other in over.settings)
    }  # fmt: skip
    under.settings = kept | over.settings
    under.sections |= over.sections
    under.bases += over.bases
    under.notes += over.notes


def _flat(
    prefix: str, mapping: dict[str, Any], keys: set[str], document: Document
) -> Iterator[tuple[str, Any, int]]:
    for key, value in mapping.items():
        path = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, dict) and value and path not in keys:
            yield from _flat(path, value, keys, document)
        else:
            yield path, value, document.at(path).line or 0

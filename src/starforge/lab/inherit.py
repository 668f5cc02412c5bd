"""``defaults:`` and ``_override_`` in config.yaml, as frameworks configured by OmegaConf have them.

``defaults: parent.yaml`` (or a list of parents) starts from other files, each relative to the
file that names it; parents go first, later ones win, the file itself wins over them. A
top-level section with ``_override_: true`` replaces what stands below it instead of being
merged with it. The framework's own default file lies under everything; naming it as a parent
says where it comes in. Parents lie in the experiment's folder, so they travel with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import msgspec

from starforge.findings import Finding, Location
from starforge.lab import rules_inherit as rules
from starforge.lab.document import Document, load_document
from starforge.lab.experiment import CONFIG_FILE, Experiment

DEFAULTS = "defaults"
OVERRIDE = "_override_"


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """One value of a file of the chain: its dotted path, and where it is written."""

    path: str
    value: Any
    at: Location


class Inherited(msgspec.Struct, frozen=True, kw_only=True):
    """What a chain of files comes to.

    ``values`` holds the last value of every path; ``dropped`` are the top-level sections of
    the framework's default file that ``_override_`` replaced.
    """

    values: dict[str, Written]
    dropped: frozenset[str] = frozenset()


def inherit(
    experiment: Experiment,
    document: Document,
    base: str | None,
    keys: set[str],
    sections: frozenset[str] = frozenset(),
) -> tuple[Inherited, list[Finding]]:
    """Return what config.yaml and its parents set, with findings about the files themselves.

    ``base`` names the framework's default file (``examples/configs/sft.yaml``), and ``keys``
    are the dotted keys that may hold values; ``sections`` are further names that values lie
    in. Unknown keys are left for the caller to judge.
    """
    chain = _Chain(experiment, base, keys, sections)
    found = chain.file(_File(name=CONFIG_FILE, document=document), under=_Part(dropped=set()))
    return Inherited(values=found.values, dropped=frozenset(found.dropped or ())), chain.findings


class _Part(msgspec.Struct):
    """The values of some of the files. ``dropped`` is ``None`` when the base is not under them.

    ``markers`` are sections whose ``_override_`` has not met anything to replace yet.
    """

    values: dict[str, Written] = {}
    markers: set[str] = set()
    dropped: set[str] | None = None


class _File(msgspec.Struct, frozen=True):
    """A file of the chain: its name in the experiment, and the files that led to it."""

    name: str
    document: Document
    above: tuple[str, ...] = ()


class _Chain:
    def __init__(
        self, experiment: Experiment, base: str | None, keys: set[str], sections: frozenset[str]
    ) -> None:
        self.folder = experiment.folder
        self.base = base
        self.keys = keys
        self.findings: list[Finding] = []
        within = {path[:dot] for path in keys for dot, c in enumerate(path) if c == "."}
        self._sections = within | sections

    def file(self, file: _File, under: _Part) -> _Part:
        """Return a file with its parents, put on top of ``under``."""
        own = self._own(file.document)
        parents = self._parents(file.document)
        if not parents:
            # Without parents a marker still waits for what the file is merged into.
            has_under = bool(under.values) or under.dropped is not None
            return self._merge(under, own) if has_under else own
        result = self._parent(file, parents[0], under)
        for parent in parents[1:]:
            result = self._merge(result, self._parent(file, parent, _Part()))
        return self._merge(result, own)

    def _parent(self, file: _File, parent: str, under: _Part) -> _Part:
        path = os.path.normpath(PurePosixPath(file.name).parent / parent)
        at = file.document.at(DEFAULTS)
        inside = not parent.startswith("/") and not path.startswith("..")
        there = inside and (self.folder / path).is_file()
        if not there and self._is_base(parent):
            return under if under.dropped is not None else _Part(dropped=set())
        if not there:
            rule = rules.PARENT_MISSING if inside else rules.PARENT_OUTSIDE
            self.findings.append(rule.at(at, parent=parent, base=self.base or "-"))
            return under
        if path == file.name or path in file.above:
            chain = " → ".join([*file.above, file.name, path])
            self.findings.append(rules.CYCLE.at(at, parent=parent, chain=chain))
            return under
        loaded, findings = load_document(self.folder / path, path)
        self.findings += findings
        if loaded.broken:
            return under
        return self.file(_File(path, loaded, (*file.above, file.name)), under)

    def _is_base(self, parent: str) -> bool:
        return self.base is not None and PurePosixPath(parent).name == PurePosixPath(self.base).name

    def _parents(self, document: Document) -> list[str]:
        named = document.mapping.get(DEFAULTS)
        if named is None:
            return []
        names = named if isinstance(named, list) else [named]
        if not all(isinstance(one, str) and one for one in names):
            self.findings.append(rules.FORM.at(document.at(DEFAULTS)))
            return []
        return list(names)

    def _own(self, document: Document) -> _Part:
        part = _Part(values={}, markers=set())
        for path, value in self._flatten("", document.mapping):
            section, _, key = path.rpartition(".")
            if key == OVERRIDE and section and "." not in section:
                if value is True:
                    part.markers.add(section)
                continue
            at = document.at(path)
            if key == OVERRIDE and section:
                self.findings.append(rules.OVERRIDE_PLACE.at(at, section=section))
            elif path != DEFAULTS and document.is_usable(path):
                part.values[path] = Written(path=path, value=value, at=at)
        return part

    def _flatten(self, prefix: str, mapping: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for key, value in mapping.items():
            path = f"{prefix}.{key}" if prefix else str(key)
            if isinstance(value, dict) and (path in self._sections or OVERRIDE in value):
                yield from self._flatten(path, value)
            else:
                yield path, value

    def _merge(self, under: _Part, over: _Part) -> _Part:
        """Put ``over`` on top of ``under``; its markers replace sections and are spent."""
        kept = {
            path: one for path, one in under.values.items()
            if path.partition(".")[0] not in over.markers
        }  # fmt: skip
        dropped = under.dropped
        if over.dropped is not None:
            # The framework's default file comes in here, over what was set before it.
            kept = {path: one for path, one in kept.items() if path not in self.keys}
            dropped = set(over.dropped)
        elif dropped is not None:
            dropped = dropped | over.markers
        for path, one in over.values.items():
            inner, outer = f"{path}.", [path[:dot] for dot, c in enumerate(path) if c == "."]
            kept = {p: o for p, o in kept.items() if not p.startswith(inner) and p not in outer}
            kept[path] = one
        return _Part(values=kept, markers=set(), dropped=dropped)

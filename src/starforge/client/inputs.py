"""Inputs of an experiment when a server is at hand: registered datasets are looked up there.

A plan names a dataset by version and digest, so what is prepared here equals what the
server prepares only when both know which rows are meant.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from starforge.client.versions import pick_version, split_ref
from starforge.errors import ExitCode, StarForgeError
from starforge.findings import Finding
from starforge.lab.context import DataSource
from starforge.lab.inputs import LocalResolver
from starforge.lab.lab import find_lab
from starforge.lab.rules_experiment import unresolved
from starforge.wire.datasets import Dataset

Lookup = Callable[[str], Dataset | None]
"""Find ``NAME`` or ``NAME@VERSION``; ``None`` when no server can be asked."""


class ConnectedResolver(LocalResolver):
    """Finds files on this machine and registered datasets on the server."""

    def __init__(self, folder: Path, lab_root: Path | None, lookup: Lookup) -> None:
        super().__init__(folder, lab_root)
        self._lookup = lookup

    def data(self, reference: str, split: str) -> DataSource | Finding:
        """Find a data file, or what the server knows of a dataset."""
        found = super().data(reference, split)
        if isinstance(found, Finding) or found.ref.kind != "registry":
            return found
        try:
            row = self._lookup(found.ref.location)
        except StarForgeError as error:
            if error.exit_code == ExitCode.UNREACHABLE:
                return found
            return unresolved(error, reference)
        if row is None:
            return found
        where = f"{row.name}@{row.version}"
        ref = msgspec.structs.replace(found.ref, location=where, digest=row.digest, rows=row.rows)
        return msgspec.structs.replace(found, ref=ref)


def connected(folder: Path, *, launch: bool, lab_root: Path | None = None) -> ConnectedResolver:
    """Return the resolver of an experiment folder; ``lab_root`` is its lab when not around it.

    The server is asked only for experiments that name a dataset, and started for them only
    with ``launch``.
    """
    if lab_root is None:
        lab = find_lab(folder)
        lab_root = lab.root if lab else None
    return ConnectedResolver(folder, lab_root, _lookup(launch=launch))


def _lookup(*, launch: bool) -> Lookup:
    def look(location: str) -> Dataset | None:
        from starforge.client.embedded import connect, connect_running

        client = connect() if launch else connect_running()
        if client is None:
            return None
        name, version = split_ref(location)
        with client:
            return pick_version(client.datasets.versions(name), f"dataset:{location}", version)

    return look

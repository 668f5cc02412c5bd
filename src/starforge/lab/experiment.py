"""experiment.yaml, typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from starforge.findings import Location
from starforge.lab.document import Document
from starforge.plan import Policies


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """One experiment as its author wrote it, with the places of everything written.

    References in ``model`` and ``data`` are as written, not resolved. ``config`` is
    config.yaml as nested plain values.
    """

    folder: Path
    name: str
    method: str
    document: Document
    config_document: Document | None = None
    model: str | None = None
    data: dict[str, str] = {}
    params: dict[str, Any] = {}
    config: dict[str, Any] = {}
    resources: str = "local"
    then: list[str] = []
    policies: Policies = Policies()
    description: str = ""
    tags: list[str] = []
    priority: int = 0

    def at(self, key: str) -> Location:
        """Return where ``key`` stands in experiment.yaml (its parent when it is absent)."""
        return self.document.at(key)

"""What changed since an experiment was locked, by name, and what that breaks in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from starforge.catalog.load import Catalog
from starforge.errors import StarForgeError
from starforge.findings import Finding
from starforge.i18n import Text
from starforge.lab.experiment import CONFIG_FILE, EXPERIMENT_FILE
from starforge.lab.lock import Lock, make_lock, read_lock
from starforge.prepare import Prepared, prepare, runtime_digests

Part = Literal["method", "version", "recipe", "contract", "runtime", "model", "data"]
# Findings about keys and values that the catalog does not take (any more).
_DEAD = ("config/unknown-key", "config/unknown-parameter", "config/renamed-key",
         "config/deprecated-key", "config/ignored-key", "config/pinned", "config/wrong-type",
         "config/out-of-range", "config/not-a-choice")  # fmt: skip
_REFUSED: frozenset[Part] = frozenset({"version", "recipe", "contract"})


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a lock that is different now; ``refused``: it stops a submission."""

    part: Part
    name: str
    was: str | None
    now: str | None
    refused: bool = False


class Moves(msgspec.Struct, frozen=True, kw_only=True):
    """Published parameters then and now; ``moved`` maps a name to its old and new setting."""

    gone: list[str] = []
    new: list[str] = []
    moved: dict[str, tuple[str, str]] = {}


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one experiment's lock.

    ``locked`` is ``None`` without a lock; ``dead`` are the findings about its keys.
    """

    folder: Path
    method: str
    locked: Lock | None
    current: Lock
    changes: list[Change]
    moves: Moves
    dead: list[Finding]

    @property
    def refused(self) -> bool:
        """Whether a submission would be refused for it."""
        return any(change.refused for change in self.changes)


def drift_of(folder: Path, catalog: Catalog) -> Drift:
    """Compare an experiment's lock with the catalog.

    Raises :class:`StarForgeError` when the experiment can't be read or its lock is broken.
    """
    prepared = prepare(folder, catalog=catalog)
    if prepared.recipe is None or prepared.context is None:
        raise _first(prepared.findings)
    locked, broken = read_lock(folder)
    if broken:
        raise _first(broken)
    current = _current(prepared, catalog)
    return Drift(
        folder=folder, method=prepared.recipe.name, locked=locked, current=current,
        changes=changes_between(locked, current) if locked else [],
        moves=moves_between(locked, current) if locked else Moves(),
        dead=[
            finding
            for finding in prepared.findings
            if finding.code in _DEAD and finding.at.file in (CONFIG_FILE, EXPERIMENT_FILE)
        ],
    )  # fmt: skip


def _current(prepared: Prepared, catalog: Catalog) -> Lock:
    assert prepared.recipe is not None and prepared.context is not None
    inputs = [*prepared.context.models, *(one.ref for one in prepared.context.data.values())]
    return make_lock(
        prepared.recipe,
        catalog.contract_digest(prepared.recipe),
        runtime=runtime_digests(prepared.recipe),
        inputs=inputs,
    )


def changes_between(locked: Lock, current: Lock) -> list[Change]:
    """Return what a lock says differently; another method is the author's own change."""
    if locked.method != current.method:
        return [Change(part="method", name="method", was=locked.method, now=current.method)]
    plain: tuple[tuple[Part, str, str], ...] = (
        ("version", locked.version, current.version),
        ("recipe", locked.recipe, current.recipe),
        ("contract", locked.contract, current.contract),
    )
    found = [
        Change(part=part, name=part, was=was, now=now, refused=part in _REFUSED)
        for part, was, now in plain
        if was != now
    ]
    for device in sorted(locked.runtime.keys() & current.runtime.keys()):
        was, now = locked.runtime[device], current.runtime[device]
        if was != now:
            found.append(Change(part="runtime", name=f"runtime.{device}", was=was, now=now))
    if not locked.inputs:
        return found  # a lock of `sf new`: the author has not said yet what to train on
    for name in sorted(locked.inputs.keys() | current.inputs.keys()):
        before, after = locked.inputs.get(name), current.inputs.get(name)
        if before != after:
            part: Part = "data" if name.startswith("data.") else "model"
            found.append(Change(part=part, name=name, was=before, now=after))
    return found


def moves_between(locked: Lock, current: Lock) -> Moves:
    """Return what became of the published parameters; nothing for locks without them."""
    if not locked.parameters or locked.method != current.method:
        return Moves()
    before, after = locked.parameters, current.parameters
    return Moves(
        gone=[name for name in before if name not in after],
        new=[name for name in after if name not in before],
        moved={
            name: (before[name], after[name])
            for name in before
            if name in after and before[name] != after[name]
        },
    )


def public(drift: Drift) -> dict[str, Any]:
    """Return the published shape of ``sf recipe status``."""
    return {
        "name": drift.folder.name,
        "method": drift.method,
        "locked": drift.locked is not None,
        "refused": drift.refused,
        "changes": [msgspec.to_builtins(change) for change in drift.changes],
        "parameters": msgspec.to_builtins(drift.moves),
        "dead": [finding.to_public() for finding in drift.dead],
    }


def _first(findings: list[Finding]) -> StarForgeError:
    finding = next((one for one in findings if one.severity == "error"), None)
    if finding is None:
        return StarForgeError("recipe/unreadable", Text("it can't be read", "无法读取"))
    place = ":".join(str(part) for part in (finding.at.file, finding.at.line) if part)
    message = Text(f"{place}: {finding.message.en}", f"{place}：{finding.message.zh}")
    return StarForgeError(finding.code, message if place else finding.message, finding.hint)

"""``NAME@VERSION``: which of all versions of a dataset or model is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from starforge.errors import StarForgeError
from starforge.i18n import Text

LATEST = "latest"


class _Versioned(Protocol):
    @property
    def version(self) -> int: ...


V = TypeVar("V", bound=_Versioned)


def split_ref(text: str, prefix: str = "") -> tuple[str, str]:
    """Split ``NAME`` or ``NAME@VERSION`` (``latest`` when none); ``prefix`` may stand before."""
    name, _, version = text.removeprefix(prefix).partition("@")
    return name, version or LATEST


def pick_version(versions: Sequence[V], ref: str, version: str) -> V:
    """Return one of all versions (newest first)."""
    if version == LATEST and versions:
        return versions[0]
    for one in versions:
        if str(one.version) == version:
            return one
    known = ", ".join(str(one.version) for one in versions)
    raise StarForgeError(
        "registry/no-version",
        Text(f"there is no `{ref}`", f"没有 `{ref}`"),
        Text(f"there are versions {known}", f"现有版本：{known}"),
        status=404,
    )

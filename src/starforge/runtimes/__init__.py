"""Runtimes: pinned Python environments that methods run in, built from locks with pip.

A runtime is a name and a device (``trl`` for ``cpu``), its lock a file of exact versions.
Built runtimes lie under ``<home>/runtimes`` (or ``STARFORGE_RUNTIMES``), in folders named
by the digest of their lock, so several can stand side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starforge.runtimes.spec import Device, detect_device, get_spec, lock_digest, specs

if TYPE_CHECKING:
    from starforge.runtimes.build import install
    from starforge.runtimes.examine import doctor
    from starforge.runtimes.registry import InstalledRuntime, find, installed, remove

__all__ = [
    "Device", "InstalledRuntime", "detect_device", "doctor", "find", "get_spec", "install",
    "installed", "lock_digest", "remove", "specs",
]  # fmt: skip

# Planning needs the locks' digests only: building and inspecting are loaded when used.
_LAZY = {
    "InstalledRuntime": "registry", "find": "registry", "installed": "registry",
    "remove": "registry", "install": "build", "doctor": "examine",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)

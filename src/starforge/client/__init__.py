"""The typed client of the HTTP API: used by the CLI, the SDK and tests.

>>> from starforge.client import connect
>>> with connect() as client:
...     client.jobs.page().jobs
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.client.embedded import connect

__all__ = ["Client", "connect"]

_MODULES = {"Client": "client", "connect": "embedded"}


def __getattr__(name: str) -> Any:
    """Load a part when it is used: finding a server must not cost loading the whole client."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""Import a checkout of NeMo-RL without torch, ray and all else that it needs to train.

Any interpreter with omegaconf, hydra-core and pydantic will do: whatever else is imported is
answered with an empty stand-in. So what a configuration may hold can be read, and a
configuration can be validated by upstream's own classes, on any machine in a second.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REAL = {"omegaconf", "hydra", "pydantic", "nemo_rl"}
NEEDED_BY_REAL = {
    "antlr4", "yaml", "_yaml", "packaging", "typing_extensions", "typing_inspection",
    "annotated_types", "pydantic_core", "importlib_resources", "cython_runtime",
}  # fmt: skip


class _Kind(type):
    """Class of stand-ins: whatever is asked of one is answered with another stand-in."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn

    def __getitem__(cls, _item: object) -> Any:
        return StandIn

    def __or__(cls, other: Any) -> Any:
        return typing.Union[cls, other]  # noqa: UP007 - `|` would call this again

    def __ror__(cls, other: Any) -> Any:
        return typing.Union[other, cls]  # noqa: UP007

    def __iter__(cls) -> Iterator[Any]:
        return iter(())


class StandIn(metaclass=_Kind):
    """Anything of a package that is not there: class, function, decorator, value."""

    def __new__(cls, *args: Any, **_options: Any) -> Any:  # noqa: D102
        if cls is StandIn and len(args) == 1 and callable(args[0]):
            return args[0]  # a decorator gives back what it decorates
        return super().__new__(cls)

    def __init__(self, *_args: Any, **_options: Any) -> None:
        pass

    def __call__(self, *args: Any, **_options: Any) -> Any:  # noqa: D102
        return args[0] if len(args) == 1 and callable(args[0]) else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn

    def __mro_entries__(self, _bases: Any) -> tuple[type, ...]:
        return (StandIn,)


class _StandInModule(types.ModuleType):
    __version__ = "5.8.1"  # upstream asserts a range of transformers when it is imported

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__all__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers every import that is neither the standard library nor one of ``REAL``."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        top = name.partition(".")[0]
        if top.startswith("_") or top in sys.stdlib_module_names | REAL | NEEDED_BY_REAL:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> types.ModuleType:
        return _StandInModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        return None


def prepare(checkout: Path) -> None:
    """Make ``nemo_rl`` of ``checkout`` importable with stand-ins for what it needs."""
    import typing_extensions

    # Whole before the stand-ins are in place.
    for name in ("hydra._internal.config_loader_impl", "omegaconf", "pydantic.main",
                 "hydra.core.override_parser.overrides_parser"):  # fmt: skip
        importlib.import_module(name)
    if sys.version_info < (3, 12):
        # pydantic reads only this one before Python 3.12.
        typing.TypedDict = typing_extensions.TypedDict
    sys.path.insert(0, str(checkout))
    sys.meta_path.insert(0, _Finder())

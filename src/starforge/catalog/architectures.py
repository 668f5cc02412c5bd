"""The model architectures that the pinned framework's transformers knows."""

from __future__ import annotations

from functools import cache
from importlib import resources

import msgspec

from starforge.catalog.models import Recipe


class Architectures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names from the auto classes of one transformers version (scripts/architectures.py).

    ``types`` are values of ``model_type`` in config.json, ``language`` the classes that
    generate text.
    """

    transformers: str
    types: frozenset[str]
    language: frozenset[str]


def architectures_of(recipe: Recipe) -> Architectures | None:
    """Return what the recipe's framework can load; ``None`` when that is not recorded."""
    return _load(f"{recipe.framework}-{recipe.version}")


@cache
def _load(pin: str) -> Architectures | None:
    folder = resources.files("starforge.catalog").joinpath("data", "architectures")
    try:
        text = folder.joinpath(f"{pin}.json").read_bytes()
    except FileNotFoundError:
        return None
    return msgspec.json.decode(text, type=Architectures)

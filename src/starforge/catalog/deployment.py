"""Where a deployment runs each framework: a locked runtime, an image, or an interpreter.

The first of these that speaks of a framework decides: the environment variable
``FORGE_IMAGE_<FRAMEWORK>``, ``runtimes.yaml`` in the deployment's catalog folder, the locked
runtime of the recipe::

    openrlhf: {image: "registry.example/openrlhf:0.11.0"}
    nemo-rl: {python: /opt/nemo-rl/.venv/bin/python}
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import msgspec

from starforge.catalog.source import broken, read_mapping

REGISTRY = "runtimes.yaml"
IMAGE_VARIABLE = "FORGE_IMAGE_"


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a framework runs. ``value`` is an image, a path, or the name of a runtime."""

    kind: Literal["image", "python", "runtime"]
    value: str
    source: str


def image_variable(framework: str) -> str:
    """Return the variable that names a framework's image: ``FORGE_IMAGE_NEMO_RL``."""
    return IMAGE_VARIABLE + framework.replace("-", "_").upper()


def place_of(framework: str, folder: Path) -> Place | None:
    """Return where the deployment says ``framework`` runs; ``None``: in its locked runtime.

    Raises :class:`StarForgeError` when ``runtimes.yaml`` can't be read.
    """
    variable = image_variable(framework)
    if image := os.environ.get(variable, "").strip():
        return Place(kind="image", value=image, source=variable)
    file = folder / REGISTRY
    if not file.is_file():
        return None
    entry = read_mapping(file).get(framework)
    if entry is None:
        return None
    named = list(entry.items()) if isinstance(entry, dict) else []
    if len(named) != 1 or named[0][0] not in ("image", "python", "runtime"):
        raise broken(file, [f"{framework}: give one of `image`, `python` and `runtime`"])
    kind, value = named[0]
    if not isinstance(value, str) or not value.strip():
        raise broken(file, [f"{framework}.{kind}: must be a text"])
    return Place(kind=kind, value=value.strip(), source=REGISTRY)

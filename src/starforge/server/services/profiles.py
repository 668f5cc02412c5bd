"""Resource profiles by size, and whether this machine has as much."""

from __future__ import annotations

import shutil

from starforge.catalog.models import Recipe
from starforge.i18n import Text
from starforge.lab.values import parse_profile
from starforge.plan import Resources
from starforge.server.core import Core
from starforge.server.services import machine, published
from starforge.wire.base import BothTexts
from starforge.wire.experiments import Profile, Profiles
from starforge.wire.server import Machine

LOCAL = "local"


def profiles(core: Core, method: str | None) -> Profiles:
    """Return the profiles up to this machine's size; ``method`` says how much it takes at least.

    Without a method ``local``, which is a method's minimum, is left out. What does not fit
    is listed too when it is the method's minimum.
    """
    recipe = None
    if method is not None:
        published.require(core, method)
        recipe = core.catalog.recipe(method)
    here = machine.describe(core, shutil.disk_usage(core.settings.home).free)
    sizes = [
        *([LOCAL] if recipe is not None else []),
        *(f"cpu:{count}" for count in _counts(here.cpus)),
        *(f"gpu:{count}" for count in _counts(len(here.gpus))),
    ]
    return Profiles(profiles=[_profile(name, recipe, here) for name in sizes], machine=here)


def _counts(most: int) -> list[int]:
    """Return 1, 2, 4, ... and the most there is."""
    steps = [1 << power for power in range(most.bit_length())]
    return sorted({count for count in (*steps, most) if 0 < count <= most})


def _profile(name: str, recipe: Recipe | None, here: Machine) -> Profile:
    asked = parse_profile(name, recipe) if recipe is not None else _bare(name)
    assert asked is not None
    title = _title(asked)
    return Profile(
        name=name,
        title=BothTexts(en=title.en, zh=title.zh),
        cpus=asked.cpus,
        gpus=asked.gpus,
        fits=asked.cpus <= here.cpus and asked.gpus <= len(here.gpus),
        free=asked.cpus <= here.cpus_free and asked.gpus <= here.gpus_free,
    )


def _bare(name: str) -> Resources:
    """Return what a profile takes when no method asks for more."""
    kind, _, count = name.partition(":")
    return Resources(cpus=int(count), gpus=int(count) if kind == "gpu" else 0, profile=name)


def _title(asked: Resources) -> Text:
    cpus = Text(f"{asked.cpus} CPU{'s' if asked.cpus > 1 else ''}", f"{asked.cpus} 个 CPU")
    if not asked.gpus:
        return Text(f"{cpus.en}, no GPU", f"{cpus.zh}，不用 GPU")
    gpus = Text(f"{asked.gpus} GPU{'s' if asked.gpus > 1 else ''}", f"{asked.gpus} 块 GPU")
    return Text(f"{gpus.en} with {cpus.en}", f"{gpus.zh}、{cpus.zh}")

"""The native keys of a method, for whoever writes its config.yaml."""

from __future__ import annotations

from starforge.catalog.models import ContractKey, Recipe
from starforge.i18n import Lang
from starforge.server.core import Core
from starforge.server.services import published
from starforge.wire.keys import NativeKey, NativeKeys


def keys(core: Core, name: str, lang: Lang, *, search: str | None, limit: int) -> NativeKeys:
    """Return keys whose path or published name holds ``search``; beginnings come first."""
    published.require(core, name)
    recipe = core.catalog.recipe(name)
    config = core.catalog.contract(recipe).configs[recipe.config]
    pins = {pin.path: pin.reason.pick(lang) for pin in recipe.pins}
    published_as = {one.path: one.name for one in recipe.parameters}
    wanted = (search or "").strip().lower()
    found = [
        (not _begins(path, wanted), path)
        for path in config.keys
        if wanted in path.lower() or wanted in published_as.get(path, "").lower()
    ]
    shown = [path for _, path in sorted(found)]
    return NativeKeys(
        pin=recipe.pin,
        total=len(shown),
        open=config.open,
        keys=[
            _shape(path, config.keys[path], recipe, published_as.get(path), pins.get(path))
            for path in shown[:limit]
        ],
    )


def _begins(path: str, wanted: str) -> bool:
    lowered = path.lower()
    return lowered.startswith(wanted) or lowered.rpartition(".")[2].startswith(wanted)


def _shape(
    path: str, key: ContractKey, recipe: Recipe, name: str | None, pinned: str | None
) -> NativeKey:
    parameter = recipe.parameter(name) if name else None
    return NativeKey(
        path=path,
        type=key.type,
        default=key.default,
        choices=key.choices,
        required=key.required,
        parameter=name,
        recipe_default=parameter.default if parameter else None,
        pinned=pinned,
    )

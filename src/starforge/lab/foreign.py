"""Keys of other frameworks and methods, told apart from slips by what the catalog publishes.

A canonical name means the same in every framework, so a native key that another method
publishes leads through its canonical name to the key that works here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from starforge.catalog.load import load_catalog
from starforge.catalog.models import ContractConfig, Recipe
from starforge.findings import Finding
from starforge.findings.nearest import nearest
from starforge.i18n import Text
from starforge.lab import rules_experiment
from starforge.lab.experiment import KEYS

FRAMEWORK_NAMES = {
    "trl": "TRL", "verl": "verl", "openrlhf": "OpenRLHF", "nemo-rl": "NeMo-RL",
    "evalkit": "evalkit", "custom": "custom",
}  # fmt: skip


class Elsewhere(msgspec.Struct, frozen=True, kw_only=True):
    """A method that knows a key: the canonical name of it, when it has one.

    ``owned`` is the placeholder (``${MODEL}``) with which the method fills the key itself.
    """

    method: str
    canonical: str | None = None
    owned: str | None = None

    @property
    def framework(self) -> str:
        """The part of the method's name before the slash."""
        return self.method.partition("/")[0]


# What the platform fills in, and the key of experiment.yaml that decides it.
_OWNED = {"${MODEL}": "model", "${TEACHER}": "teacher"}


@lru_cache(maxsize=1)
def _index() -> dict[str, list[Elsewhere]]:
    """Return every published native path, pin of an input, and canonical name, with methods."""
    catalog = load_catalog()
    found: dict[str, list[Elsewhere]] = {}
    for method in catalog.names():
        recipe = catalog.recipe(method)
        for parameter in recipe.parameters:
            one = Elsewhere(method=method, canonical=parameter.name)
            for name in {parameter.path, parameter.name}:
                found.setdefault(name, []).append(one)
        for pin in recipe.pins:
            if isinstance(pin.value, str) and pin.value in _OWNED:
                one = Elsewhere(method=method, owned=_OWNED[pin.value])
                found.setdefault(pin.path, []).append(one)
    return found


@lru_cache(maxsize=1)
def _last_parts() -> dict[str, list[Elsewhere]]:
    """Return published paths by their last part, where that is telling (``ppo_epochs``)."""
    found: dict[str, list[Elsewhere]] = {}
    for path, known in _index().items():
        last = path.rpartition(".")[2]
        if last != path and "_" in last:
            found.setdefault(last, []).extend(one for one in known if one.canonical)
    return found


@lru_cache(maxsize=1)
def _keys() -> dict[str, str]:
    """Return every key of every contract with the first method that takes it."""
    catalog = load_catalog()
    found: dict[str, str] = {}
    for method in catalog.names():
        recipe = catalog.recipe(method)
        for path in catalog.contract(recipe).configs[recipe.config].keys:
            found.setdefault(path, method)
    return found


def place_keys(
    findings: Iterable[Finding], recipe: Recipe, config: ContractConfig
) -> list[Finding]:
    """Return the findings; those of unknown keys in experiment.yaml say where the key belongs."""

    def placed(one: Finding) -> Finding:
        key = one.at.key or ""
        unknown = one.code == rules_experiment.UNKNOWN_KEY.code
        hint = _place_of(key, recipe, config) if unknown else None
        return one if hint is None else msgspec.structs.replace(one, hint=hint)

    return [placed(one) for one in findings]


def _place_of(name: str, recipe: Recipe, config: ContractConfig) -> Text | None:
    if recipe.parameter(name) is not None or recipe.preset(name) is not None:
        return Text(f"`{name}` is a parameter: put it under `params`",
                    f"`{name}` 是参数，请写到 `params` 下")  # fmt: skip
    published = next((one.name for one in recipe.parameters if one.path == name), None)
    if published is not None:
        return Text(f"put it under `params` as `{published}` (`{name}` is upstream's key)",
                    f"请在 `params` 下写 `{published}`（`{name}` 是上游的键）")  # fmt: skip
    if any(path == name or path.startswith(f"{name}.") for path in config.keys):
        return Text(f"`{name}` is upstream's own key: put it into config.yaml",
                    f"`{name}` 是上游自己的键，请写到 config.yaml 中")  # fmt: skip
    own = "." in name or nearest(name, KEYS, count=1)  # a slip of an experiment's own key
    close = [] if own else nearest(name, [one.name for one in recipe.parameters], count=1)
    if close:
        return Text(f"did you mean the parameter `{close[0]}`, under `params`?",
                    f"是不是想在 `params` 下写参数 `{close[0]}`？")  # fmt: skip
    return None


def explain_foreign(name: str, recipe: Recipe, config: ContractConfig) -> tuple[Text | None, bool]:
    """Return the hint for a key that another method takes and ``recipe`` does not.

    The second value says whether the hint names what works here. ``None`` when no other
    method knows the key, and for names too short to say where they come from.
    """
    name = name.lstrip("+-")
    known = _index().get(name, [])
    own = any(path.rpartition(".")[2] == name for path in config.keys)
    if own and not known:
        return None, False  # a key of this very method at the wrong level
    known = sorted(
        known or _last_parts().get(name, []), key=lambda one: one.framework != recipe.framework
    )
    for one in known:
        hint = _counterpart(name, one, recipe)
        if hint is not None:
            return hint, True
    if known:
        return _without_counterpart(name, known[0].method, recipe), False
    method = _keys().get(name)
    if method is None or len(name) < 4:
        return None, False
    return _without_counterpart(name, method, recipe), False


def _counterpart(name: str, one: Elsewhere, recipe: Recipe) -> Text | None:
    whose = _whose(one.method, recipe)
    if one.owned is not None:
        return Text(
            f"that is {whose.en}'s name; here it comes from `{one.owned}` in experiment.yaml",
            f"这是{whose.zh}的名字；这里由 experiment.yaml 的 `{one.owned}` 决定",
        )
    parameter = recipe.parameter(one.canonical) if one.canonical else None
    if parameter is None or name in (parameter.name, parameter.path):
        return None
    upstream = f" (`{parameter.path}`)" if parameter.path != parameter.name else ""
    return Text(
        f"that is {whose.en}'s name; here it is `{parameter.name}`{upstream}",
        f"这是{whose.zh}的名字；在这里是 `{parameter.name}`{upstream}",
    )


def _without_counterpart(name: str, method: str, recipe: Recipe) -> Text:
    whose = _whose(method, recipe)
    return Text(
        f"`{name}` belongs to {whose.en}; {recipe.name} has nothing that corresponds to it",
        f"`{name}` 属于{whose.zh}；{recipe.name} 没有对应的设置",
    )


def _whose(method: str, recipe: Recipe) -> Text:
    framework = method.partition("/")[0]
    if framework == recipe.framework:
        return Text(method, f" {method} ")
    shown = FRAMEWORK_NAMES.get(framework, framework)
    return Text(shown, f" {shown} ")

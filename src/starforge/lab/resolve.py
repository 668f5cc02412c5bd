"""Join an experiment with its recipe and contract into one resolved config.

Later wins: upstream default, recipe default, config.yaml, ``params``, ``--set``. The same
path set to different values by config.yaml and ``params``, or by two names in ``--set``,
is a conflict. Pins always hold.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import msgspec

from starforge.catalog.join import out_of_range
from starforge.catalog.models import (
    Contract,
    ContractConfig,
    ContractKey,
    Ignored,
    Pin,
    Recipe,
)
from starforge.catalog.types import accepts, accepts_key, describe
from starforge.findings import Finding, nearest
from starforge.i18n import Text
from starforge.lab import rules_config as rules
from starforge.lab.assign import Assignment, Collector, did_you_mean, use_instead
from starforge.lab.experiment import Experiment
from starforge.lab.interpolation import effective, is_interpolation, missing_references
from starforge.lab.resolved import USER_LAYERS, Layer, Origin, ResolvedConfig
from starforge.lab.values import given, shown
from starforge.plan import Difference

__all__ = ["USER_LAYERS", "Layer", "Origin", "ResolvedConfig", "resolve"]

_OPEN_KEY = ContractKey(type="Any")


def resolve(
    experiment: Experiment, recipe: Recipe, contract: Contract, sets: Sequence[str] = ()
) -> tuple[ResolvedConfig, list[Finding]]:
    """Return the resolved config and every finding about what the user set.

    Values with an error finding are left out of the result, so that later checks see only
    values that make sense.
    """
    config = contract.configs[recipe.config]
    collector = Collector(recipe, config)
    layers = [
        collector.from_config(experiment),
        collector.from_params(experiment),
        collector.from_sets(sets),
    ]
    findings = collector.findings
    judge = _Judge(recipe, config, findings)
    kept = [[made for one in layer if (made := judge.check(one))] for layer in layers]
    findings += _conflicts(kept)
    values, origins = _our_layers(recipe, config, collector.dropped)
    for layer in _by_precedence(kept):
        for one in layer:
            _put(values, one, collector)
            origins[one.path] = Origin(layer=one.layer, at=one.at, parameter=one.parameter)
    return _finish(recipe, config, values, origins), findings


class _Judge:
    """Checks single assignments: pins, type, choices, range."""

    def __init__(self, recipe: Recipe, config: ContractConfig, findings: list[Finding]) -> None:
        self.recipe = recipe
        self.config = config
        self.findings = findings
        self._pins = {pin.path: pin for pin in recipe.pins}
        self._parameters = {parameter.path: parameter for parameter in recipe.parameters}

    def check(self, one: Assignment) -> Assignment | None:
        """Return the assignment with the value its type means, ``None`` when it is wrong."""
        pin = self._pin(one.path)
        if pin is not None:
            self.findings.append(
                rules.PINNED.at(one.at, key=one.name, method=self.recipe.name, reason=pin.reason)
            )
            return None
        ignored = self._ignored(one.path)
        if ignored is not None:
            self.findings.append(self._not_read(one, ignored))
            return None
        key = self.config.keys.get(one.path, _OPEN_KEY)
        if self.config.dialect != "plain" and is_interpolation(one.value):
            return self._interpolated(one)
        ok, value = accepts_key(key, self._meant(one))
        if not ok:
            self.findings.append(self._wrong_type(one, key))
            return None
        wrong = self._not_a_choice(one, key, value) or self._outside(one, value)
        if wrong is not None:
            self.findings.append(wrong)
            return None
        return msgspec.structs.replace(one, value=value)

    def _pin(self, path: str) -> Pin | None:
        parts = path.split(".")
        prefixes = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
        return next((self._pins[p] for p in prefixes if p in self._pins), None)

    def _ignored(self, path: str) -> Ignored | None:
        ignored = self.recipe.ignored
        return next((i for i in ignored if f"{path}.".startswith(f"{i.path}.")), None)

    def _not_read(self, one: Assignment, ignored: Ignored) -> Finding:
        hint = None
        if ignored.new is not None:
            parameter = self._parameters.get(ignored.new)
            hint = use_instead(ignored.new, parameter.name if parameter else None)
        return rules.IGNORED_KEY.at(
            one.at, hint=hint, key=one.name, pin=self.recipe.pin, note=ignored.note
        )

    def _interpolated(self, one: Assignment) -> Assignment | None:
        missing = missing_references(one.value, self.config)
        if not missing:
            return one
        hint = did_you_mean(nearest(missing[0], self.config.keys))
        self.findings.append(
            rules.INTERPOLATION.at(
                one.at, hint=hint, key=one.name, value=one.value, missing=missing[0],
                pin=self.recipe.pin,
            )
        )  # fmt: skip
        return None

    def _meant(self, one: Assignment) -> Any:
        """Return upstream's word for a value that is often written in another way."""
        parameter = self._parameters.get(one.path)
        if parameter is None or not isinstance(one.value, str):
            return one.value
        words = {word.casefold(): meant for word, meant in parameter.aliases.items()}
        return words.get(one.value.casefold(), one.value)

    def _wrong_type(self, one: Assignment, key: ContractKey) -> Finding:
        hint = None
        if accepts(key.type, shown(one.value))[0] and not isinstance(one.value, list | dict):
            hint = Text(f'put quotes around it: "{shown(one.value)}"',
                        f'请加上引号："{shown(one.value)}"')  # fmt: skip
        elif isinstance(one.value, str) and one.value.endswith("\\"):
            hint = Text("remove the `\\` at the end of the line: YAML needs none",
                        "请去掉行尾的 `\\`：YAML 不需要它")  # fmt: skip
        elif accepts(key.type, [one.value])[0]:
            hint = Text(f"write it as a list: `[{shown(one.value)}]`",
                        f"请写成列表：`[{shown(one.value)}]`")  # fmt: skip
        return rules.WRONG_TYPE.at(
            one.at, hint=hint, key=one.name, wanted=describe(key.type),
            given=given(one.value), pin=self.recipe.pin,
        )  # fmt: skip

    def _not_a_choice(self, one: Assignment, key: ContractKey, value: Any) -> Finding | None:
        parameter = self._parameters.get(one.path)
        choices = (parameter.choices if parameter else None) or key.choices
        if not choices or value is None:
            return None
        items = value if isinstance(value, list) else [value]
        wrong = next((item for item in items if item not in choices), None)
        if wrong is None:
            return None
        listed = [shown(choice) for choice in choices]
        return rules.NOT_A_CHOICE.at(
            one.at, hint=did_you_mean(nearest(shown(wrong), listed, count=1)), key=one.name,
            value=shown(wrong), pin=self.recipe.pin, choices=", ".join(listed),
        )  # fmt: skip

    def _outside(self, one: Assignment, value: Any) -> Finding | None:
        parameter = self._parameters.get(one.path)
        allowed = out_of_range(parameter, value) if parameter else None
        if parameter is None or allowed is None:
            return None
        return rules.OUT_OF_RANGE.at(
            one.at, key=one.name, value=shown(value), allowed=allowed,
            default=shown(parameter.default),
        )  # fmt: skip


def _by_precedence(layers: list[list[Assignment]]) -> list[list[Assignment]]:
    """Order the layers, the strongest last. A preset is only a start for its own layer's names."""
    in_config, in_params, in_sets = layers
    presets = [one for one in in_params if one.preset]
    single = [one for one in in_params if not one.preset]
    return [presets, in_config, single, in_sets]


def _conflicts(layers: list[list[Assignment]]) -> list[Finding]:
    """Two names for one path with different values, where neither is known to win."""
    in_config, in_params, in_sets = ([one for one in layer if not one.preset] for layer in layers)
    findings = []
    overridden = {one.path for one in in_sets}
    written = {one.path: one for one in in_config if one.path not in overridden}
    for one in in_params:
        other = written.get(one.path)
        if other is not None and not same(one.value, other.value):
            file = other.at.file or "config.yaml"
            place = f"{file}:{other.at.line}" if other.at.line else file
            findings.append(_conflict(one, other, place))
    by_path: dict[str, Assignment] = {}
    for one in in_sets:
        other = by_path.get(one.path)
        if other is not None and other.name != one.name and not same(one.value, other.value):
            findings.append(_conflict(one, other, "--set"))
        by_path[one.path] = one
    return findings


def _conflict(one: Assignment, other: Assignment, place: str) -> Finding:
    return rules.CONFLICT.at(
        one.at, key=one.name, value=shown(one.value), other=other.name,
        other_value=shown(other.value), other_source=place, path=one.path,
    )  # fmt: skip


def _our_layers(
    recipe: Recipe, config: ContractConfig, dropped: frozenset[str] = frozenset()
) -> tuple[dict[str, Any], dict[str, Origin]]:
    """Return upstream's defaults, the recipe's and the pins, by path.

    Of the sections in ``dropped`` only the pins are left.
    """
    values = {path: copy.deepcopy(key.default) for path, key in config.keys.items()}
    origins: dict[str, Origin] = {}
    for parameter in recipe.parameters:
        if not same(parameter.default, values.get(parameter.path)):
            values[parameter.path] = copy.deepcopy(parameter.default)
            origins[parameter.path] = Origin(layer="recipe", parameter=parameter.name)
    if dropped:
        values = {path: v for path, v in values.items() if path.partition(".")[0] not in dropped}
        origins = {path: origin for path, origin in origins.items() if path in values}
    for pin in recipe.pins:
        values[pin.path] = values.get(pin.path) if pin.keep else copy.deepcopy(pin.value)
        origins[pin.path] = Origin(layer="pin")
    return values, origins


def _put(values: dict[str, Any], one: Assignment, collector: Collector) -> None:
    holder = _holder(values, one.path, collector)
    if holder is None:
        values[one.path] = one.value
        return
    node = values[holder] = dict(values.get(holder) or {})
    *parents, last = one.path.removeprefix(holder + ".").split(".")
    for part in parents:
        inner = node.get(part)
        node[part] = dict(inner) if isinstance(inner, dict) else {}
        node = node[part]
    node[last] = one.value


def _holder(values: dict[str, Any], path: str, collector: Collector) -> str | None:
    """Return the key whose mapping ``path`` belongs into, ``None`` when it is a key itself."""
    if path in collector.config.keys:
        return None
    if not collector.config.open:
        return collector.holder(path)
    parents = [path[:dot] for dot, letter in enumerate(path) if letter == "."]
    return next((p for p in parents if isinstance(values.get(p), dict)), None)


def _finish(
    recipe: Recipe,
    config: ContractConfig,
    values: dict[str, Any],
    origins: dict[str, Origin],
) -> ResolvedConfig:
    values = dict(sorted(values.items()))
    names = {parameter.path: parameter.name for parameter in recipe.parameters}
    differs = []
    for path, value in values.items():
        key = config.keys.get(path, _OPEN_KEY)
        if same(value, key.default):
            continue
        origin = origins.get(path) or _inner_origin(path, origins)
        differs.append(
            Difference(path=path, value=value, default=key.default, source=origin.layer,
                       parameter=names.get(path))
        )  # fmt: skip
    return ResolvedConfig(
        values=values,
        parameters={p.name: effective(values, p.path) for p in recipe.parameters},
        differs=differs,
        origins=origins,
        paths={parameter.name: parameter.path for parameter in recipe.parameters},
    )


def _inner_origin(path: str, origins: dict[str, Origin]) -> Origin:
    """Return who set something inside the mapping at ``path``."""
    inner = (origins[p] for p in origins if p.startswith(path + "."))
    return next(inner, Origin(layer="upstream"))


def same(left: Any, right: Any) -> bool:
    """Compare values as a framework would: ``1`` is ``1.0``, but neither is ``True``."""
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    return bool(left == right)

"""Join a recipe file with the glossary and the contract, and prove that they agree."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from starforge.catalog.models import Contract, ContractConfig, ContractKey, Parameter, Pin, Recipe
from starforge.catalog.source import broken
from starforge.catalog.types import accepts_key, describe
from starforge.findings import nearest

_OPEN_KEY = ContractKey(type="Any")
_HANDWRITTEN = ("type", "upstream_default", "name")
# Texts and examples teach people; changing them does not change what a job does.
_NOT_BEHAVIOUR = frozenset({
    "title", "summary", "use_when", "avoid_when", "description", "advice", "reason",
    "why_default", "links", "text", "scaffold", "example", "note", "digest",
    "renamed", "same_as",
})  # fmt: skip


def join_recipe(
    file: Path,
    name: str,
    raw: dict[str, Any],
    glossary: dict[str, dict[str, Any]],
    contract: Contract,
    *,
    canonical: dict[str, dict[str, Any]] | None = None,
) -> Recipe:
    """Return the loaded recipe, or raise with every problem of the file at once."""
    config = contract.configs.get(str(raw.get("config")))
    if config is None:
        known = ", ".join(sorted(contract.configs))
        raise broken(file, [f"config: `{raw.get('config')}` is not one of: {known}"])
    problems: list[str] = []
    parameters = []
    for parameter, fields in (raw.get("parameters") or {}).items():
        joined = _join_parameter(parameter, fields, glossary, config, problems)
        if joined is not None:
            parameters.append(joined)
    presets = [
        glossary.get(str(one.get("name")), {}) | one if isinstance(one, dict) else one
        for one in raw.get("presets") or []
    ]
    metrics = _join_metrics(raw.get("metrics") or [], canonical or {}, problems)
    if problems:
        raise broken(file, problems)
    joined_parts = {
        "name": name, "parameters": parameters, "presets": presets, "metrics": metrics,
    }  # fmt: skip
    try:
        recipe = msgspec.convert(raw | joined_parts, Recipe)
    except msgspec.ValidationError as error:
        raise broken(file, [str(error)]) from error
    problems = _check_parameters(recipe, config) + _check_pins(recipe, config)
    problems += _check_renamed(recipe, config) + _check_ignored(recipe, config)
    problems += _check_presets(recipe, config) + _check_scaffold(recipe)
    if problems:
        raise broken(file, problems)
    recipe = msgspec.structs.replace(recipe, pins=_kept_values(recipe.pins, config))
    return msgspec.structs.replace(recipe, digest=recipe_digest(recipe))


def _kept_values(pins: list[Pin], config: ContractConfig) -> list[Pin]:
    """Give the pins that keep upstream's default that very value, for people to read."""
    return [
        msgspec.structs.replace(pin, value=config.keys[pin.path].default)
        if pin.keep and pin.path in config.keys
        else pin
        for pin in pins
    ]


def _join_parameter(
    name: str,
    fields: Any,
    glossary: dict[str, dict[str, Any]],
    config: ContractConfig,
    problems: list[str],
) -> dict[str, Any] | None:
    where = f"parameters.{name}"
    if not isinstance(fields, dict) or not isinstance(fields.get("path"), str):
        problems.append(f"{where}: give at least `path`")
        return None
    if name not in glossary:
        hint = ", ".join(nearest(name, glossary))
        problems.append(f"{where}: not in the glossary" + (f" (near: {hint})" if hint else ""))
        return None
    for forbidden in _HANDWRITTEN:
        if forbidden in fields:
            problems.append(f"{where}.{forbidden}: comes from the contract, never by hand")
    key = _contract_key(config, fields["path"])
    if key is None:
        hint = ", ".join(nearest(fields["path"], config.keys))
        problems.append(f"{where}.path: `{fields['path']}` is not in the contract ({hint})")
        return None
    default = key.default
    if "default" in fields:
        ok, default = accepts_key(key, fields["default"])
        if not ok:
            meant = describe(key.type).en
            problems.append(f"{where}.default: {fields['default']!r} is not {meant}")
        if "why_default" not in fields:
            problems.append(f"{where}.why_default: say why it differs from upstream")
    joined = {"choices": key.choices} | glossary[name] | fields
    own = {"name": name, "type": key.type, "default": default, "upstream_default": key.default}
    return joined | own


def _join_metrics(
    entries: list[Any], canonical: dict[str, dict[str, Any]], problems: list[str]
) -> list[Any]:
    """Complete metrics by the list of canonical names; others must describe themselves."""
    joined = []
    for entry in entries:
        name = str(entry.get("name")) if isinstance(entry, dict) else ""
        known = canonical.get(name, {})
        if isinstance(entry, dict) and not known and "description" not in entry:
            hint = ", ".join(nearest(name, canonical))
            near = f" (near: {hint})" if hint else ""
            problems.append(f"metrics.{name}: not in metrics.yaml{near}, and no description")
        joined.append(known | entry if isinstance(entry, dict) else entry)
    return joined


def _contract_key(config: ContractConfig, path: str) -> ContractKey | None:
    return config.keys.get(path) or (_OPEN_KEY if config.open else None)


def _check_parameters(recipe: Recipe, config: ContractConfig) -> list[str]:
    problems = []
    paths: dict[str, str] = {pin.path: "a pin" for pin in recipe.pins}
    for parameter in recipe.parameters:
        where = f"parameters.{parameter.name}"
        if parameter.path in paths:
            problems.append(f"{where}.path: `{parameter.path}` is also {paths[parameter.path]}")
        paths[parameter.path] = f"`{parameter.name}`"
        outside = out_of_range(parameter, parameter.default)
        if outside:
            problems.append(f"{where}: its default {parameter.default!r} is not {outside}")
        key = _contract_key(config, parameter.path)
        offered = key.choices if key else None
        if offered and not set(map(str, parameter.choices or [])) <= set(map(str, offered)):
            problems.append(f"{where}.choices: upstream takes only {offered}")
        for word, meant in parameter.aliases.items():
            if parameter.choices and meant not in parameter.choices:
                problems.append(f"{where}.aliases.{word}: {meant!r} is not one of its choices")
    return problems


def _check_pins(recipe: Recipe, config: ContractConfig) -> list[str]:
    problems = []
    for pin in recipe.pins:
        key = _contract_key(config, pin.path)
        if key is None:
            hint = ", ".join(nearest(pin.path, config.keys))
            problems.append(f"pins: `{pin.path}` is not in the contract ({hint})")
        elif not pin.keep and not accepts_key(key, pin.value)[0]:
            problems.append(f"pins: {pin.path}={pin.value!r} is not {describe(key.type).en}")
    return problems


def _check_renamed(recipe: Recipe, config: ContractConfig) -> list[str]:
    problems = []
    for one in recipe.renamed:
        if one.new is None and one.note is None:
            problems.append(f"renamed: say in `note` what to do instead of `{one.old}`")
        if one.new is not None and _contract_key(config, one.new) is None:
            problems.append(f"renamed: `{one.new}` is not in the contract")
    return problems


def _check_ignored(recipe: Recipe, config: ContractConfig) -> list[str]:
    problems = []
    for one in recipe.ignored:
        below = one.path + "."
        if not any(key == one.path or key.startswith(below) for key in config.keys):
            problems.append(f"ignored: `{one.path}` is not in the contract")
        if one.new is not None and _contract_key(config, one.new) is None:
            problems.append(f"ignored: `{one.new}` is not in the contract")
        for parameter in recipe.parameters:
            if parameter.path == one.path or parameter.path.startswith(below):
                problems.append(f"ignored: `{one.path}` holds the parameter `{parameter.name}`")
    return problems


def _check_presets(recipe: Recipe, config: ContractConfig) -> list[str]:
    problems = []
    pinned = {pin.path for pin in recipe.pins}
    for preset in recipe.presets:
        if recipe.parameter(preset.name) is not None:
            problems.append(f"presets: `{preset.name}` is also a parameter")
        for word, option in preset.options.items():
            where = f"presets.{preset.name}.{word}"
            for path, value in option.values.items():
                key = _contract_key(config, path)
                if key is None:
                    problems.append(f"{where}: `{path}` is not in the contract")
                elif path in pinned:
                    problems.append(f"{where}: `{path}` is pinned")
                elif not accepts_key(key, value)[0]:
                    problems.append(f"{where}: {path}={value!r} is not {describe(key.type).en}")
    return problems


def _check_scaffold(recipe: Recipe) -> list[str]:
    scaffold = recipe.scaffold
    problems = [
        f"scaffold: `{name}` is not a parameter of this recipe"
        for name in [*scaffold.params, *scaffold.suggest]
        if recipe.parameter(name) is None and recipe.preset(name) is None
    ]
    if scaffold.reward is not None and scaffold.reward not in scaffold.files:
        problems.append(f"scaffold.reward: `{scaffold.reward}` is not one of scaffold.files")
    return problems


def out_of_range(parameter: Parameter, value: Any) -> str | None:
    """Return the range as text (``> 0, <= 1``) when ``value`` is outside."""
    numbers = value if isinstance(value, list) else [value]
    low, high = parameter.minimum, parameter.maximum
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | float):
            continue
        too_low = low is not None and (
            number <= low if parameter.exclusive_minimum else number < low
        )
        if too_low or (high is not None and number > high):
            return range_text(parameter)
    return None


def range_text(parameter: Parameter) -> str:
    """Write the allowed range: ``> 0``, ``>= 1``, ``> 0, <= 1``; empty when unlimited."""
    parts = []
    if parameter.minimum is not None:
        parts.append(f"{'>' if parameter.exclusive_minimum else '>='} {parameter.minimum:g}")
    if parameter.maximum is not None:
        parts.append(f"<= {parameter.maximum:g}")
    return ", ".join(parts)


def recipe_digest(recipe: Recipe) -> str:
    """Return the sha256 of what the recipe does; texts for people are left out."""
    behaviour = _strip(msgspec.to_builtins(recipe))
    return hashlib.sha256(msgspec.json.encode(behaviour, order="sorted")).hexdigest()


def _strip(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _strip(v) for k, v in value.items() if k not in _NOT_BEHAVIOUR}
    if isinstance(value, list):
        return [_strip(item) for item in value]
    return value


def contract_digest(contract: Contract, config: str) -> str:
    """Return the sha256 of one configuration of a contract and of its packages."""
    part = {
        "pin": contract.pin,
        "packages": contract.packages,
        "config": msgspec.to_builtins(contract.configs[config]),
    }
    return hashlib.sha256(msgspec.json.encode(part, order="sorted")).hexdigest()

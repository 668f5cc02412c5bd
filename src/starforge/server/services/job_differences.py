"""In what the plans of two jobs differ, key by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import msgspec

from starforge.lab.resolved import flat
from starforge.plan import InputRef, LaunchPlan
from starforge.wire.config import ConfigDifference, Part

MODELS = ("model", "teacher", "reward")


def differences(
    here: LaunchPlan, there: LaunchPlan, leaves: AbstractSet[str], *, native: bool
) -> list[ConfigDifference]:
    """Compare two plans: method, inputs, settings, resources, policies, own files.

    Settings are compared by key where ``native`` says that both have the same keys, else by
    published name. ``leaves`` are keys whose mappings are one value.
    """
    found = [*_pairs("method", _method(here), _method(there))]
    found += _pairs("model", _inputs(here, models=True), _inputs(there, models=True))
    found += _pairs("input", _inputs(here, models=False), _inputs(there, models=False))
    if native:
        found += _settings(here, there, leaves)
    else:
        found += _pairs("parameter", here.parameters, there.parameters)
    found += _pairs("resources", _fields(here.resources), _fields(there.resources))
    found += _pairs("policy", _fields(here.policies), _fields(there.policies))
    found += _pairs("file", _files(here), _files(there))
    return found


def _settings(
    here: LaunchPlan, there: LaunchPlan, leaves: AbstractSet[str]
) -> Iterator[ConfigDifference]:
    both = leaves | {one.path for one in there.differs}
    names = {one.path: one.parameter for one in (*there.differs, *here.differs)}
    for one in _pairs("config", dict(flat(here.config, both)), dict(flat(there.config, both))):
        one.name = names.get(one.key)
        yield one


def _pairs(
    part: Part, here: Mapping[str, Any], there: Mapping[str, Any]
) -> Iterator[ConfigDifference]:
    for key in sorted({*here, *there}):
        if key not in there:
            yield ConfigDifference(part=part, key=key, value=here[key], only="here")
        elif key not in here:
            yield ConfigDifference(part=part, key=key, other=there[key], only="there")
        elif not _same(here[key], there[key]):
            yield ConfigDifference(part=part, key=key, value=here[key], other=there[key])


def _same(one: Any, other: Any) -> bool:
    """Compare as a framework would: ``1`` is ``1.0``, but neither is ``True``."""
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def _method(plan: LaunchPlan) -> dict[str, Any]:
    return {"method": plan.method, "version": plan.version, "recipe": plan.recipe_digest[:12]}


def _inputs(plan: LaunchPlan, *, models: bool) -> dict[str, Any]:
    return {ref.name: _shown(ref) for ref in plan.inputs if (ref.name in MODELS) is models}


def _shown(ref: InputRef) -> str:
    """Name an input by what tells it from others."""
    place = "" if ref.kind == "blob" else ref.location
    rows = f"{ref.rows} rows" if ref.rows is not None else ""
    digest = f"sha256 {ref.digest[:12]}" if ref.digest else ""
    columns = ref.columns if isinstance(ref.columns, dict) else {}
    renamed = ", ".join(f"{old} → {new}" for old, new in sorted(columns.items()))
    prefix = "job:" if ref.kind == "job" else ""
    return " ".join(part for part in (prefix + place, rows, digest, renamed) if part)


def _fields(struct: msgspec.Struct) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(struct)
    return found


def _files(plan: LaunchPlan) -> dict[str, str]:
    return {one.path: one.sha256 for one in plan.files if one.source == "experiment"}

"""Two methods side by side: parameters by canonical name, pins, data, metrics."""

from __future__ import annotations

from typing import Any

Method = dict[str, Any]  # what ``catalog.public.detail`` returns
Pair = dict[str, Any]  # {"a": ..., "b": ...}

# What of a parameter is compared, under these names.
FACTS = ("path", "type", "default", "minimum", "maximum", "exclusive_minimum", "choices", "unit")
_PLAIN = ("framework", "version", "algorithm", "model", "teacher", "reward", "runtime")


def diff_methods(a: Method, b: Method) -> dict[str, Any]:
    """Return what is only in ``a``, only in ``b``, and what differs in both.

    ``{a, b, facts, data, parameters: {only_a, only_b, different, same}, pins, metrics}``:
    differences map a name to ``{"a": ..., "b": ...}``; a pin that one lacks is ``None``
    there. ``same`` counts parameters without any difference.
    """
    return {
        "a": f"{a['name']}@{a['version']}",
        "b": f"{b['name']}@{b['version']}",
        "facts": _differences({k: a.get(k) for k in _PLAIN}, {k: b.get(k) for k in _PLAIN}),
        "data": _data(a, b),
        "parameters": _parameters(a, b),
        "pins": _differences(_pins(a), _pins(b)),
        "metrics": _metrics(a, b),
    }


def is_empty(found: dict[str, Any]) -> bool:
    """Say whether two methods do not differ at all."""
    parameters, metrics = found["parameters"], found["metrics"]
    return not (
        found["facts"]
        or found["data"]
        or found["pins"]
        or any(parameters[key] for key in ("only_a", "only_b", "different"))
        or any(metrics[key] for key in ("only_a", "only_b"))
    )


def _differences(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Pair]:
    names = list(dict.fromkeys([*a, *b]))
    return {
        name: {"a": a.get(name), "b": b.get(name)} for name in names if a.get(name) != b.get(name)
    }


def _data(a: Method, b: Method) -> dict[str, Pair]:
    ours, theirs = a.get("data_spec") or {}, b.get("data_spec") or {}
    keys = ("kind", "shapes", "train", "validation", "test")
    return _differences({k: ours.get(k) for k in keys}, {k: theirs.get(k) for k in keys})


def _parameters(a: Method, b: Method) -> dict[str, Any]:
    ours = {one["name"]: one for one in [*a.get("parameters", []), *a.get("presets", [])]}
    theirs = {one["name"]: one for one in [*b.get("parameters", []), *b.get("presets", [])]}
    both = [name for name in ours if name in theirs]
    different = {name: found for name in both if (found := _facts(ours[name], theirs[name]))}
    return {
        "only_a": [name for name in ours if name not in theirs],
        "only_b": [name for name in theirs if name not in ours],
        "different": different,
        "same": len(both) - len(different),
    }


def _facts(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Pair]:
    if "options" in a or "options" in b:  # presets
        ours, theirs = (
            {word: option["values"] for word, option in (one.get("options") or {}).items()}
            for one in (a, b)
        )
        return _differences({"options": ours}, {"options": theirs})
    return _differences({k: a.get(k) for k in FACTS}, {k: b.get(k) for k in FACTS})


def _pins(method: Method) -> dict[str, Any]:
    return {pin["path"]: pin.get("value") for pin in method.get("pins", [])}


def _metrics(a: Method, b: Method) -> dict[str, Any]:
    ours, theirs = ([one["name"] for one in m.get("metrics", [])] for m in (a, b))
    return {
        "only_a": [name for name in ours if name not in theirs],
        "only_b": [name for name in theirs if name not in ours],
        "both": [name for name in ours if name in theirs],
    }

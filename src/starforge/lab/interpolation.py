"""``${...}`` in values of frameworks that are configured by OmegaConf.

Only what can be judged without the framework: what plain references come to, and that
what an absolute one names is there. Resolvers (``${mul:2,3}``) are left to OmegaConf.
"""

from __future__ import annotations

import re
from typing import Any

from starforge.catalog.models import ContractConfig

_DEPTH = 20
_WHOLE = re.compile(r"\$\{\s*(?:oc\.select:)?\s*(\.*)([A-Za-z_][\w.]*)\s*(?:,[^}]*)?\}")
_REFERENCE = re.compile(r"\$\{\s*([A-Za-z_][\w.\[\]]*)\s*\}")


def is_interpolation(value: Any) -> bool:
    """Say whether OmegaConf would compute the value from others."""
    return isinstance(value, str) and "${" in value


def effective(values: dict[str, Any], path: str) -> Any:
    """Return the value of a dotted path with plain references followed.

    A reference is absolute (``${data.max_length}``) or relative to the key's own section
    (``${.rank}``, one more dot for each level up). What only OmegaConf can compute, and a
    reference to nothing, is returned as written.
    """
    value = values.get(path)
    for _ in range(_DEPTH):
        target = _target(path, value) if isinstance(value, str) else None
        if target is None or target not in values:
            return value
        path, value = target, values[target]
    return value


def _target(path: str, value: str) -> str | None:
    found = _WHOLE.fullmatch(value.strip())
    if found is None:
        return None
    dots, name = found.groups()
    if not dots:
        return name
    parents = path.split(".")[: -len(dots)]
    return ".".join([*parents, name])


def missing_references(value: str, config: ContractConfig) -> list[str]:
    """Return the absolute references in ``value`` that name neither a key nor a section."""
    missing = []
    for name in _REFERENCE.findall(value):
        plain = re.sub(r"\[\w+\]", "", name)
        below = plain + "."
        if plain not in config.keys and not any(key.startswith(below) for key in config.keys):
            missing.append(plain)
    return missing

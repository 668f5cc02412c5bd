"""The published JSON shapes of methods: ``sf methods --json`` and the API."""

from __future__ import annotations

from typing import Any

import msgspec

from starforge.catalog.load import Header
from starforge.catalog.models import Recipe


def summary(method: Header | Recipe) -> dict[str, Any]:
    """Return ``{name, framework, version, algorithm, title, summary, data, roles, same_as}``.

    ``data`` is the data kind, ``roles`` the names of the roles, ``same_as`` the methods that
    are the same algorithm on other stacks.
    """
    if isinstance(method, Recipe):
        data, roles = method.data.kind, [role.name for role in method.roles]
    else:
        data, roles = method.data, list(method.roles)
    return {
        "name": method.name,
        "framework": method.framework,
        "version": method.version,
        "algorithm": method.algorithm,
        "title": msgspec.to_builtins(method.title),
        "summary": msgspec.to_builtins(method.summary),
        "data": data,
        "roles": roles,
        "same_as": list(method.same_as),
    }


def detail(recipe: Recipe) -> dict[str, Any]:
    """Return the summary and everything else of the recipe.

    ``data`` and ``roles`` stay as in the summary; their full forms are ``data_spec`` and
    ``role_specs``.
    """
    full: dict[str, Any] = msgspec.to_builtins(recipe)
    full["data_spec"] = full.pop("data")
    full["role_specs"] = full.pop("roles")
    return summary(recipe) | full

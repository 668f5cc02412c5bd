"""The result of config resolution: every key of a method, its value, and who set it."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Literal

import msgspec

from starforge.findings import Location
from starforge.lab.interpolation import effective
from starforge.plan import Difference

Layer = Literal["upstream", "recipe", "pin", "config.yaml", "experiment.yaml", "--set"]
USER_LAYERS: frozenset[str] = frozenset({"config.yaml", "experiment.yaml", "--set"})


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Who set a value, and where it is written (an empty location for our own layers)."""

    layer: Layer
    at: Location = Location()
    parameter: str | None = None


class ResolvedConfig(msgspec.Struct, frozen=True, kw_only=True):
    """All native keys of one configuration, by dotted path.

    ``values`` holds every key of the contract (upstream's default where nobody set it),
    pins with their ``${PLACEHOLDER}``s, and further keys of an open configuration.
    ``parameters`` holds the effective value of every published parameter by canonical
    name. ``differs`` lists what is not upstream's default, sorted by path.
    """

    values: dict[str, Any]
    parameters: dict[str, Any] = {}
    differs: list[Difference] = []
    origins: dict[str, Origin] = {}
    paths: dict[str, str] = {}

    def get(self, path: str, default: Any = None) -> Any:
        """Return the value of a native key with plain references followed.

        ``default`` when the key does not exist.
        """
        return effective(self.values, path) if path in self.values else default

    def origin(self, path: str) -> Origin:
        """Say who set ``path``."""
        return self.origins.get(path, Origin(layer="upstream"))

    def source(self, path: str) -> Layer:
        """Name the layer that set ``path``."""
        return self.origin(path).layer

    def is_set_by_user(self, path: str) -> bool:
        """Say whether the user chose this value in a file or with ``--set``."""
        return self.source(path) in USER_LAYERS

    def at(self, path: str) -> Location:
        """Return where the user wrote ``path``, or a location with only its key."""
        found = self.origin(path).at
        if found.key is not None:
            return found
        return Location(key=path, value=self.values.get(path))

    def at_parameter(self, name: str) -> Location:
        """Like :meth:`at`, for a published parameter."""
        return self.at(self.paths.get(name, name))

    def nested(self, *, only_differs: bool = False) -> dict[str, Any]:
        """Return the values as nested dictionaries, split at the dots of their paths."""
        tree: dict[str, Any] = {}
        wanted = {d.path for d in self.differs} if only_differs else None
        for path, value in self.values.items():
            if wanted is not None and path not in wanted:
                continue
            *parents, last = path.split(".")
            node = tree
            for part in parents:
                # A mapping may also be a key of its own beside its parts (lm-eval's gen_kwargs).
                child = node.get(part)
                node[part] = dict(child) if isinstance(child, dict) else {}
                node = node[part]
            node[last] = value
        return tree


def flat(
    config: dict[str, Any], leaves: AbstractSet[str], prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    """Yield the dotted keys of a nested config; a mapping named in ``leaves`` is one value."""
    for key, value in sorted(config.items()):
        path = f"{prefix}{key}"
        if isinstance(value, dict) and value and path not in leaves:
            yield from flat(value, leaves, f"{path}.")
        else:
            yield path, value

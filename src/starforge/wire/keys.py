"""Native keys of a method's framework."""

from __future__ import annotations

from typing import Any

from starforge.wire.base import Shape


class NativeKey(Shape):
    """One key that the pinned framework takes.

    ``default`` is upstream's. ``parameter`` is the published name of the key, and
    ``recipe_default`` that parameter's default; ``pinned`` says why it can't be set.
    """

    path: str
    type: str
    default: Any = None
    choices: list[Any] | None = None
    required: bool = False
    parameter: str | None = None
    recipe_default: Any = None
    pinned: str | None = None


class NativeKeys(Shape):
    """Keys that were looked for; ``total`` counts all that fit. ``open``: any key is taken."""

    pin: str
    total: int
    open: bool = False
    keys: list[NativeKey]

"""Small helpers for values people write: how to show them, durations, profiles."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from starforge.catalog.models import Recipe
from starforge.i18n import Text
from starforge.plan import Resources

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)d)?(?:(\d+(?:\.\d+)?)h)?"
                       r"(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?")  # fmt: skip
_SIZE = re.compile(r"(\d+(?:\.\d+)?)(?:b|([kmgt])(i?b)?)?")
_PROFILE = re.compile(r"(cpu|gpu):([1-9]\d{0,3})")
PROFILES = ("local", "cpu:N", "gpu:N")


def shown(value: Any, limit: int = 80) -> str:
    """Write a value as it would stand in YAML, cut at ``limit`` characters."""
    if isinstance(value, str):
        text = value
    else:
        text = repr(value) if isinstance(value, float) else msgspec.json.encode(value).decode()
    return text if len(text) <= limit else text[: limit - 1] + "…"


def given(value: Any) -> Text:
    """Say what a value is, for "must be ..., not ...". Texts are quoted."""
    match value:
        case None:
            return Text("empty", "空值")
        case bool() | int() | float():
            return Text(f"`{shown(value)}`", f" `{shown(value)}`")
        case str():
            return Text(f'the text "{shown(value)}"', f"文本“{shown(value)}”")
        case list():
            return Text("a list", "列表")
    return Text("a mapping", "映射")


def parse_duration(value: Any) -> float | None:
    """Return seconds for ``90``, ``"90s"``, ``"1h30m"``, ``"1d"``; ``None`` when malformed."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if value > 0 else None
    match = _DURATION.fullmatch(value.replace(" ", "").lower()) if isinstance(value, str) else None
    if match is None or not any(match.groups()):
        return None
    parts = zip("dhms", match.groups(), strict=True)
    seconds = sum(_UNITS[unit] * float(number) for unit, number in parts if number)
    return seconds if seconds > 0 else None


def parse_size(value: Any) -> float | None:
    """Return bytes for ``4096``, ``"500MB"``, ``"5GiB"``, ``"1.5g"``; ``None`` when malformed.

    ``kB`` and so on are thousands, ``KiB`` and the bare letters 1024s.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if value > 0 else None
    match = _SIZE.fullmatch(value.replace(" ", "").lower()) if isinstance(value, str) else None
    if match is None:
        return None
    power = "kmgt".index(match[2]) + 1 if match[2] else 0
    size = float(match[1]) * (1000.0 if match[3] == "b" else 1024.0) ** power
    return size if size > 0 else None


def parse_profile(profile: str, recipe: Recipe) -> Resources | None:
    """Return what a profile asks for, ``None`` for an unknown one.

    ``local`` is the recipe's minimum. ``gpu:N`` takes one CPU a GPU at least. Nothing
    depends on the machine, so that a plan is the same everywhere.
    """
    least = recipe.minimum
    if profile == "local":
        return Resources(cpus=least.cpus, gpus=least.gpus, profile=profile)
    match = _PROFILE.fullmatch(profile)
    if match is None:
        return None
    count = int(match[2])
    if match[1] == "cpu":
        return Resources(cpus=count, gpus=0, profile=profile)
    return Resources(cpus=max(least.cpus, count), gpus=count, profile=profile)

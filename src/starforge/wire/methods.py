"""Methods of the catalog. The shapes of ``sf methods`` with everything else the recipe says."""

from __future__ import annotations

from typing import Any

from starforge.wire.base import BothTexts, OpenShape


class MethodSummary(OpenShape):
    """A method in a list."""

    name: str
    framework: str
    version: str
    summary: BothTexts
    data: Any = None
    roles: list[Any] = []


class MethodDetail(MethodSummary):
    """A method with its parameters, pins, metrics and stages."""

    parameters: list[dict[str, Any]] = []
    pins: list[dict[str, Any]] = []
    metrics: list[dict[str, Any]] = []
    stages: list[Any] = []

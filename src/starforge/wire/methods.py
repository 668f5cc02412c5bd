"""Methods of the catalog. The shapes of ``sf methods`` with everything else the recipe says."""

from __future__ import annotations

from typing import Any

from starforge.wire.base import BothTexts, OpenShape, Shape


class MethodPlace(Shape):
    """Where a deployment runs a method.

    ``kind``: a locked ``runtime``, an ``image``, the deployment's own ``python``, or
    ``none`` (the job brings its own interpreter). ``ready`` says whether a job could start
    there now; ``detail`` what is missing and how to get it.
    """

    kind: str
    name: str = ""
    ready: bool = True
    detail: str = ""


class MethodSummary(OpenShape):
    """A method in a list. ``source`` is ``bundled`` or ``deployment``; ``same_as`` names the
    same algorithm on other stacks.
    """

    name: str
    framework: str
    version: str
    algorithm: str = ""
    summary: BothTexts
    data: Any = None
    roles: list[Any] = []
    same_as: list[str] = []
    source: str = "bundled"
    place: MethodPlace | None = None


class MethodDetail(MethodSummary):
    """A method with its parameters, pins, metrics and stages."""

    parameters: list[dict[str, Any]] = []
    pins: list[dict[str, Any]] = []
    metrics: list[dict[str, Any]] = []
    stages: list[Any] = []


class HiddenMethod(Shape):
    """A method that is there but not published, and why."""

    name: str
    reason: BothTexts


class BrokenFile(Shape):
    """A file of the deployment's catalog that can't be used, and what is wrong with it."""

    file: str
    problem: str


class CatalogInfo(Shape):
    """What a server publishes. ``methods`` maps names to recipe digests."""

    digest: str
    methods: dict[str, str]
    hidden: list[HiddenMethod] = []
    broken: list[BrokenFile] = []
    own: list[str] = []


class CatalogFiles(Shape):
    """The deployment's own catalog files by relative path; ``digest`` of all of them.

    ``without`` names the methods that are there but not published.
    """

    digest: str
    files: dict[str, str]
    without: list[str] = []


class LeftOut(Shape):
    """What a server has and does not publish."""

    hidden: list[HiddenMethod] = []
    broken: list[BrokenFile] = []

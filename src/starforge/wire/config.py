"""The resolved configuration of a job, and in what it differs from another job's."""

from __future__ import annotations

from typing import Any, Literal

from starforge.wire.base import Shape

Part = Literal["method", "model", "input", "parameter", "config", "resources", "policy", "file"]


class ConfigKey(Shape):
    """One native key as the job ran with it.

    ``name`` is its published name. ``default`` is upstream's; ``differs`` says that ``value``
    is another. ``source`` is who decided: ``upstream``, ``recipe``, ``pin``, ``config.yaml``,
    ``experiment.yaml`` or ``--set``; ``file`` and ``line`` where it is written. ``reason`` says
    why it is pinned, or why the recipe has another default.
    """

    path: str
    name: str | None = None
    value: Any = None
    default: Any = None
    differs: bool = False
    source: str
    file: str | None = None
    line: int | None = None
    reason: str | None = None
    unit: str | None = None


class ConfigDifference(Shape):
    """What two jobs differ in: ``value`` here, ``other`` there; ``only`` when one lacks it.

    ``key`` is a native path (``config``), a published name (``parameter``), a file (its
    ``value`` is the sha256), or the name of an input.
    """

    part: Part
    key: str
    name: str | None = None
    value: Any = None
    other: Any = None
    only: Literal["here", "there"] | None = None


class ConfigAgainst(Shape):
    """The comparison with another job.

    Jobs of one configuration are compared by native keys, others by published parameters.
    """

    job: str
    name: str
    method: str
    differences: list[ConfigDifference]


class JobConfig(Shape):
    """All native keys of a job by path.

    ``exact`` says that this server still has the recipe that the job was made with; without it
    ``default`` is known only of keys that differ, and ``file`` and ``line`` of none. ``parent``
    is the job it suggests itself to compare with: the one it was made from, follows, or took
    its model from.
    """

    job: str
    method: str
    pin: str
    exact: bool
    keys: list[ConfigKey]
    parent: str | None = None
    against: ConfigAgainst | None = None

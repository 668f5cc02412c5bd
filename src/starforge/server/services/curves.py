"""Metric curves as JSON can say them."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from starforge.errors import StarForgeError
from starforge.i18n import Lang
from starforge.server.core import Core
from starforge.server.services import views
from starforge.server.store import curves, scalars
from starforge.server.store.records import Job
from starforge.wire.metrics import Curve, Series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NonFinite = Literal["nan", "inf", "-inf"]


@dataclass(frozen=True)
class Window:
    """Choose points: from ``lo`` to ``hi`` on ``x``, in at most ``buckets`` entries."""

    lo: float | None = None
    hi: float | None = None
    x: Literal["step", "time"] = "step"
    buckets: int | None = None
    attempt: int | None = None


def read(
    core: Core, job_id: str, names: Collection[str] | None, window: Window
) -> dict[str, Curve]:
    """Return curves by name."""
    with core.db.read() as tx:
        found = curves.read(
            tx,
            job_id,
            names or None,
            buckets=window.buckets,
            lo=window.lo,
            hi=window.hi,
            x=window.x,
            attempt=window.attempt,
        )
    return {
        name: shape(curve, bucketed=window.buckets is not None) for name, curve in found.items()
    }


def shape(curve: curves.Curve, *, bucketed: bool) -> Curve:
    """Return a stored curve for JSON."""
    value, odd = _numbers(curve.value)
    made = Curve(
        step=curve.step.tolist(),
        value=value,
        attempt=curve.attempt.tolist(),
        time=curve.time.tolist(),
        nonfinite=odd or None,
    )
    if bucketed:
        made.min = _numbers(curve.minimum)[0]
        made.max = _numbers(curve.maximum)[0]
        made.count = curve.count.tolist()
    return made


def points(columns: dict[str, Any]) -> Curve:
    """Return fresh points (lists) for JSON."""
    value, odd = plain(columns["value"])
    return Curve(
        step=columns["step"],
        value=value,
        attempt=columns["attempt"],
        time=columns["time"],
        nonfinite=odd or None,
    )


def series(core: Core, job: Job, lang: Lang) -> list[Series]:
    """Return a job's metrics with what the catalog says of them, primary ones first."""
    with core.db.read() as tx:
        rows = scalars.series(tx, job.id)
    known = _known(core, job, lang)
    made = [views.series(row, known.get(row.name, {})) for row in rows]
    return sorted(made, key=lambda one: (not one.primary, one.name))


def plain(values: list[float]) -> tuple[list[float | None], dict[int, NonFinite]]:
    """Replace NaN and infinities by ``None`` and say where they were."""
    odd: dict[int, NonFinite] = {}
    for index, value in enumerate(values):
        if not math.isfinite(value):
            odd[index] = "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if not odd:
        return list(values), odd
    return [None if index in odd else value for index, value in enumerate(values)], odd


def _numbers(column: NDArray[np.float64]) -> tuple[list[float | None], dict[int, NonFinite]]:
    values: list[float] = column.tolist()
    return plain(values)


def _known(core: Core, job: Job, lang: Lang) -> dict[str, dict[str, Any]]:
    """Return goal, description and rank of the metrics that the method's recipe names."""
    primary = set(job.plan.primary_metrics)
    about: dict[str, dict[str, Any]] = {name: {"primary": True} for name in primary}
    try:
        recipe = core.catalog.recipe(job.method)
    except StarForgeError:  # a job of a method that this version no longer has
        return about
    for metric in recipe.metrics:
        about[metric.name] = {
            "goal": metric.goal,
            "primary": metric.name in primary,
            "description": metric.description.pick(lang),
        }
    return about

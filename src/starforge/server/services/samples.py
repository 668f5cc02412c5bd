"""Samples of a job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starforge.server.core import Core
from starforge.server.services.views import finite
from starforge.server.store import samples
from starforge.wire.samples import Sample, SamplePage


@dataclass(frozen=True)
class Which:
    """Choose samples."""

    step: int | None = None
    search: str | None = None
    sort: samples.Sort = "-step"
    attempt: int | None = None
    group: str | None = None
    truncated: bool | None = None


def page(core: Core, job_id: str, which: Which, *, limit: int, offset: int) -> SamplePage:
    """Return samples that match."""
    with core.db.read() as tx:
        found = samples.page(
            tx,
            core.files,
            job_id,
            step=which.step,
            attempt=which.attempt,
            wanted=samples.Wanted(which.search, which.group, which.truncated),
            sort=which.sort,
            limit=limit,
            offset=offset,
        )
        steps = samples.steps(tx, job_id)
    return SamplePage(samples=[_shape(one) for one in found.rows], total=found.total, steps=steps)


def _shape(row: samples.Sample) -> Sample:
    data = {name: _clean(value) for name, value in row.data.items()}
    for name in ("prompt", "completion"):
        if name in data and not isinstance(data[name], str | None):
            data[f"{name}_value"] = data.pop(name)
    data.update(attempt=row.attempt, step=row.step, reward=finite(row.reward))
    return Sample.model_validate(data)


def _clean(value: Any) -> Any:
    """Replace numbers that JSON can't say."""
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, dict):
        return {name: _clean(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value

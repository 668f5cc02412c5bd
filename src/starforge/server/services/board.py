"""Scores of models on benchmarks, and which benchmarks there are."""

from __future__ import annotations

import math
import statistics

from starforge.server.core import Core
from starforge.server.services import views
from starforge.server.store import jobs
from starforge.server.store import scores as store
from starforge.server.store.records import Score as ScoreRow
from starforge.wire.base import BothTexts
from starforge.wire.board import Benchmark, Runs, Score


def scores(core: Core, *, benchmark: str | None, model: str | None) -> list[Score]:
    """Return the newest score of each model in each column, with its other runs."""
    with core.db.read() as tx:
        found = list(store.runs(tx, benchmark=benchmark, model=model).values())
        found.sort(key=lambda rows: rows[0].created_at, reverse=True)
        listed = [views.score(rows[0], _runs(rows)) for rows in found]
        names = jobs.names(tx, {ident for one in listed if (ident := _job(one.model))})
    return [
        one.model_copy(update={"model_name": names.get(_job(one.model) or "")}) for one in listed
    ]


def _job(model: str) -> str | None:
    """Return the job in ``job:ID`` and ``job:ID@step-4``."""
    return model.removeprefix("job:").partition("@")[0] if model.startswith("job:") else None


def _runs(rows: list[ScoreRow]) -> Runs | None:
    """Sum up several runs; values that are no numbers are left out."""
    known = [row for row in rows if math.isfinite(row.value)]
    if len(known) < 2:
        return None
    values = [row.value for row in known]
    return Runs(
        mean=statistics.fmean(values),
        deviation=statistics.stdev(values),
        values=values,
        jobs=[row.job_id for row in known],
    )


def benchmarks() -> list[Benchmark]:
    """Return the packs that come with StarForge; a lab's own ones travel with its jobs."""
    from starforge.evals.library import bundled

    return [
        Benchmark(
            name=pack.name,
            version=pack.version,
            title=BothTexts(en=pack.title.en, zh=pack.title.zh),
            description=BothTexts(en=pack.description.en, zh=pack.description.zh),
            metric=pack.primary.metric,
            items=pack.items,
            source=pack.source,
            licence=pack.licence,
        )
        for _, pack in sorted(bundled().items())
    ]

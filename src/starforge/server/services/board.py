"""Scores of models on benchmarks, and which benchmarks there are."""

from __future__ import annotations

from starforge.server.core import Core
from starforge.server.services import views
from starforge.server.store import scores as store
from starforge.wire.base import BothTexts
from starforge.wire.board import Benchmark, Score


def scores(core: Core, *, benchmark: str | None, model: str | None) -> list[Score]:
    """Return the newest score of each model in each column of comparable ones."""
    with core.db.read() as tx:
        columns = store.board(tx, benchmark=benchmark, model=model)
    rows = [row for column in columns for row in column.rows]
    rows.sort(key=lambda row: row.created_at, reverse=True)
    return [views.score(row) for row in rows]


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

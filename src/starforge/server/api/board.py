"""The board, and the benchmarks there are."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from starforge.server.api.deps import CoreDep, JobDep, require_user
from starforge.server.services import board, compare, external
from starforge.wire.board import Benchmark, BenchmarkContamination, Score
from starforge.wire.compare import Compared, ItemPage, Shown
from starforge.wire.external import ExternalAdded, ExternalScore, ExternalScores

router = APIRouter(tags=["board"], dependencies=[Depends(require_user)])


@router.get("/board")
def scores(core: CoreDep, benchmark: str | None = None, model: str | None = None) -> list[Score]:
    """The newest score of each model under each setting, newest first."""
    return board.scores(core, benchmark=benchmark, model=model)


@router.get("/board/compare")
def compared(
    core: CoreDep,
    a: str,
    b: str,
    *,
    benchmark: str | None = None,
    anyway: bool = False,
    flips: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> Compared:
    """Two jobs or models item by item, on every benchmark that both have."""
    return compare.compare(core, compare.Which(a, b, benchmark, anyway, flips))


@router.get("/board/compare/items")
def compared_items(
    core: CoreDep,
    a: str,
    b: str,
    benchmark: str,
    *,
    show: Shown = "flipped",
    search: str | None = None,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> ItemPage:
    """The items of a comparison: what was asked, what is right, what each of the two said."""
    page = compare.Page(show=show, search=search, offset=offset, limit=limit)
    return compare.items(core, compare.Which(a, b, benchmark), page)


@router.get("/board/external")
def external_scores(
    core: CoreDep, benchmark: str | None = None, model: str | None = None
) -> list[ExternalScore]:
    """Scores of other sources, by benchmark."""
    return external.find(core, benchmark=benchmark, model=model)


@router.post("/board/external")
def add_external(core: CoreDep, body: ExternalScores) -> ExternalAdded:
    """Keep scores of other sources."""
    return external.add(core, body)


@router.delete("/board/external/{number}", status_code=204)
def remove_external(core: CoreDep, number: Annotated[int, Path(ge=1, lt=2**53)]) -> None:
    """Remove a score of another source."""
    external.remove(core, number)


@router.post("/jobs/{job}/contamination")
def contaminated(core: CoreDep, found: JobDep) -> list[BenchmarkContamination]:
    """Look for a job's benchmark items in the training data of the model, and keep the answer."""
    from starforge.server.services import contamination  # loads the checks: not at every start

    return contamination.of(core, found)


@router.get("/benchmarks")
def benchmarks() -> list[Benchmark]:
    """The benchmark packs that come with StarForge."""
    return board.benchmarks()

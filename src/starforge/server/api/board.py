"""The board, and the benchmarks there are."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from starforge.server.api.deps import CoreDep, JobDep, require_user
from starforge.server.services import board, compare
from starforge.wire.board import Benchmark, BenchmarkContamination, Score
from starforge.wire.compare import Compared

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


@router.post("/jobs/{job}/contamination")
def contaminated(core: CoreDep, found: JobDep) -> list[BenchmarkContamination]:
    """Look for a job's benchmark items in the training data of the model, and keep the answer."""
    from starforge.server.services import contamination  # loads the checks: not at every start

    return contamination.of(core, found)


@router.get("/benchmarks")
def benchmarks() -> list[Benchmark]:
    """The benchmark packs that come with StarForge."""
    return board.benchmarks()

"""The board, and the benchmarks there are."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from starforge.server.api.deps import CoreDep, require_user
from starforge.server.services import board
from starforge.wire.board import Benchmark, Score

router = APIRouter(tags=["board"], dependencies=[Depends(require_user)])


@router.get("/board")
def scores(core: CoreDep, benchmark: str | None = None, model: str | None = None) -> list[Score]:
    """The newest score of each model under each setting, newest first."""
    return board.scores(core, benchmark=benchmark, model=model)


@router.get("/benchmarks")
def benchmarks() -> list[Benchmark]:
    """The benchmark packs that come with StarForge."""
    return board.benchmarks()

"""Sweeps: start, list, look, stop, resume."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from starforge.server.api.deps import CoreDep, LangDep, require_user
from starforge.server.services import sweeps
from starforge.server.store.sweeps import SweepRow
from starforge.wire import sweeps as wire

router = APIRouter(tags=["sweeps"], dependencies=[Depends(require_user)])


def get_sweep(sweep: str, core: CoreDep) -> SweepRow:
    """Return the sweep that the path names."""
    return sweeps.find(core, sweep)


SweepDep = Annotated[SweepRow, Depends(get_sweep)]


@router.post("/sweeps", status_code=201)
def create_sweep(
    body: wire.SweepRequest, core: CoreDep, lang: LangDep, response: Response
) -> wire.SweepDetail:
    """Check every trial and run them; the same idempotency key always answers the same."""
    ident, is_new = sweeps.create(core, body, lang)
    response.status_code = 201 if is_new else 200
    return sweeps.detail(core, ident, lang)


@router.get("/sweeps")
def list_sweeps(core: CoreDep, limit: int = 50) -> list[wire.Sweep]:
    """List sweeps, newest first."""
    return sweeps.listing(core, limit)


@router.get("/sweeps/{sweep}")
def show_sweep(found: SweepDep, core: CoreDep, lang: LangDep) -> wire.SweepDetail:
    """Everything about a sweep, with its trials."""
    return sweeps.detail(core, found.id, lang)


@router.post("/sweeps/{sweep}/stop")
def stop_sweep(found: SweepDep, core: CoreDep, lang: LangDep) -> wire.SweepDetail:
    """Have running trials stopped, and start no more."""
    sweeps.stop(core, found)
    return sweeps.detail(core, found.id, lang)


@router.post("/sweeps/{sweep}/resume")
def resume_sweep(found: SweepDep, core: CoreDep, lang: LangDep) -> wire.SweepDetail:
    """Go on with a stopped sweep; trials that ended by themselves are not run again."""
    sweeps.resume(core, found)
    return sweeps.detail(core, found.id, lang)

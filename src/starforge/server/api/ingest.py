"""What runners speak: offsets, bytes at an offset, heartbeats. Takes only the job's token."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse

from starforge.server.api.body import read_limited
from starforge.server.api.deps import CoreDep, require_runner
from starforge.server.api.sse import in_thread
from starforge.server.services import ingest
from starforge.server.services.status import apply_status
from starforge.server.store.ingest import OffsetMismatch
from starforge.wire.ingest import Desired, Heartbeat, Offset, Offsets

router = APIRouter(prefix="/ingest", tags=["ingest"], dependencies=[Depends(require_runner)])


@router.get("/{job}/{attempt}")
def offsets(job: str, attempt: int, core: CoreDep) -> Offsets:
    """How far each stream was taken."""
    return Offsets(offsets=ingest.offsets(core, job, attempt))


@router.post("/{job}/{attempt}/heartbeat")
def heartbeat(job: str, attempt: int, body: Heartbeat, core: CoreDep) -> Desired:
    """Take the runner's status; say what the user wants."""
    desired = apply_status(core, job, attempt, body.model_dump())
    if body.state in ("succeeded", "failed", "stopped"):
        core.bus.publish("wake")
    return Desired(desired=desired)


@router.put("/{job}/{attempt}/{path:path}", response_model=Offset)
async def put(
    *, job: str, attempt: int, path: str, offset: int, request: Request, core: CoreDep
) -> Offset | JSONResponse:
    """Take bytes at ``offset``; 409 with the expected offset when it is another."""
    data = await read_limited(request, core.settings.max_chunk_bytes)

    def work() -> int:
        return ingest.accept(core, ingest.target_of(core, job, attempt, path), offset, data)

    try:
        return Offset(offset=await in_thread(work))
    except OffsetMismatch as mismatch:
        return JSONResponse({"offset": mismatch.expected}, status_code=409)

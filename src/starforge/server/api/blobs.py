"""Content-addressed uploads: bundles, data, files of models."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Annotated

from anyio.from_thread import run as run_in_loop
from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.responses import FileResponse

from starforge.errors import StarForgeError
from starforge.server.api.deps import CoreDep, require_user
from starforge.server.api.sse import in_thread

router = APIRouter(prefix="/blobs", tags=["blobs"], dependencies=[Depends(require_user)])

Digest = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")]


@router.head("/{digest}")
def has(digest: Digest, core: CoreDep) -> Response:
    """Say whether the content is here. If so it stays: who asks is about to refer to it."""
    if not core.blobs.has(digest):
        return Response(status_code=404)
    return Response(headers={"Content-Length": str(core.blobs.use(digest))})


@router.get("/{digest}")
def get(digest: Digest, core: CoreDep) -> FileResponse:
    """The content."""
    core.blobs.size(digest)
    return FileResponse(core.blobs.path(digest), media_type="application/octet-stream")


@router.put("/{digest}")
async def put(digest: Digest, request: Request, core: CoreDep) -> Response:
    """Keep content under its sha256; refuse bytes with another one."""
    with contextlib.suppress(StarForgeError):
        core.blobs.use(digest)
        return Response(status_code=200)
    parts = request.stream()

    def work() -> None:
        limit = core.settings.max_blob_bytes
        core.blobs.put(_pull(parts), digest=digest, limit=limit)

    await in_thread(work)
    return Response(status_code=201)


def _pull(parts: AsyncIterator[bytes]) -> Iterator[bytes]:
    """Read the request piece by piece from a worker thread: nothing large is in memory."""

    async def following() -> bytes | None:
        return await anext(parts, None)

    while (part := run_in_loop(following)) is not None:
        if part:
            yield part

"""Health, Prometheus figures, and what this server is."""

from __future__ import annotations

import os
import shutil

from fastapi import APIRouter, Depends, Response
from fastapi.responses import PlainTextResponse

from starforge import __version__
from starforge.server.api.deps import CoreDep, require_user
from starforge.server.services import machine, prometheus
from starforge.wire.base import from_unix
from starforge.wire.server import Health, ServerInfo

public = APIRouter(tags=["system"])
router = APIRouter(tags=["system"], dependencies=[Depends(require_user)])


@public.get("/healthz")
async def healthz() -> Health:
    """Say that the server answers; needs no token."""
    return Health(status="ok", version=__version__)


@public.get("/metrics")
def metrics(core: CoreDep) -> PlainTextResponse:
    """Figures of this server in the Prometheus text format."""
    return PlainTextResponse(
        prometheus.exposition(core), media_type="text/plain; version=0.0.4; charset=utf-8"
    )


@router.get("/server")
def server(core: CoreDep) -> ServerInfo:
    """Who answers, and what its machine has."""
    return ServerInfo(
        version=__version__,
        home=str(core.settings.home),
        url=core.url,
        pid=os.getpid(),
        started_at=from_unix(core.started_at),
        engine=core.engine.name,
        machine=machine.describe(core, shutil.disk_usage(core.settings.home).free),
        jobs=machine.count_jobs(core),
    )


@router.post("/token/check", status_code=204)
async def check_token() -> Response:
    """Say whether the token is right."""
    return Response(status_code=204)

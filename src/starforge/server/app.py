"""The ASGI application: routes under ``/api/v1``, guard and limits around them."""

from __future__ import annotations

from fastapi import FastAPI

from starforge import __version__
from starforge.server import errors
from starforge.server.api import (
    blobs,
    board,
    catalog,
    choose,
    events,
    experiments,
    ingest,
    jobs,
    pipelines,
    registry,
    runtimes,
    session,
    streams,
    sweeps,
    system,
)
from starforge.server.api.limits import Limits
from starforge.server.console import Console, SafeHeaders
from starforge.server.core import Core
from starforge.server.guard import Guard
from starforge.server.services.tasks import Tasks

PREFIX = "/api/v1"
# `streams`, `events` and `experiments` come before `jobs`: longer paths first.
MODULES = (
    system,
    session,
    catalog,
    choose,
    blobs,
    streams,
    events,
    experiments,
    jobs,
    pipelines,
    sweeps,
    registry,
    runtimes,
    board,
    ingest,
)


def create_app(core: Core) -> FastAPI:
    """Return the application over an open core. Whoever opened the core closes it."""
    app = FastAPI(
        title="StarForge",
        version=__version__,
        docs_url=None,  # its pages would load scripts from a CDN
        redoc_url=None,
    )
    app.state.core = core
    app.state.tasks = Tasks(core.bus)
    errors.install(app)
    app.include_router(system.public)
    for module in MODULES:
        app.include_router(module.router, prefix=PREFIX)
    app.add_middleware(Limits, core=core)
    app.add_middleware(Guard, settings=core.settings)
    app.add_middleware(SafeHeaders)
    app.router.default = Console(app.router.not_found)
    return app

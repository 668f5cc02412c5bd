"""Brings the parts of a server up in order, and down again."""

from __future__ import annotations

import gc
import os
import signal
import socket
import threading
from types import FrameType

import structlog
import uvicorn

from starforge import __version__
from starforge.server.app import create_app
from starforge.server.control.collecting import Collecting
from starforge.server.control.reconciler import Reconciler
from starforge.server.core import Core, open_core
from starforge.server.home import remove_server_file, write_server_file
from starforge.server.home_watch import HomeWatch
from starforge.server.log import configure
from starforge.server.services.jobs import clean_leftovers
from starforge.server.settings import Settings
from starforge.server.sockets import bind, url_of

log = structlog.get_logger("starforge.server")

GOODBYE = 3  # seconds open requests get at shutdown


class _Server(uvicorn.Server):
    """Ends live streams first: they would hold up the shutdown."""

    def __init__(self, config: uvicorn.Config, core: Core) -> None:
        super().__init__(config)
        self._core = core

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Note the signal, and tell every follower goodbye."""
        super().handle_exit(sig, frame)
        # Not in the signal handler: it may hold the very lock that closing takes.
        threading.Thread(target=self._core.bus.close, daemon=True).start()


def serve(settings: Settings, *, started_at: float) -> int:
    """Serve until a signal; the caller holds the home's lock."""
    configure(settings.log_file)
    listener = bind(settings)
    try:
        url = url_of(settings, listener)
        core = open_core(settings, url=url)
        core.started_at = started_at
        clean_leftovers(core)
        _run(core, listener)
    finally:
        listener.close()
    return 0


def _run(core: Core, listener: socket.socket) -> None:
    settings = core.settings
    reconciler, collecting = Reconciler(core), Collecting(core)
    config = uvicorn.Config(
        create_app(core),
        log_config=None,
        lifespan="off",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GOODBYE,
        timeout_keep_alive=30,
    )
    server = _Server(config, core)
    write_server_file(settings, core.url, core.started_at)
    log.info("server started", url=core.url, home=str(settings.home), version=__version__)
    reconciler.start()
    collecting.start()
    gc.freeze()
    gc.enable()
    watch = HomeWatch(settings.lock_file, _leave)
    watch.start()
    threading.Thread(target=_warm_up, args=(core,), name="warm-up", daemon=True).start()
    # uvicorn raises its signal once more when it is done; that must not cut the rest short.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    try:
        server.run(sockets=[listener])
    finally:
        watch.close()
        collecting.close()
        reconciler.close()
        core.bus.close()
        core.db.close()
        remove_server_file(settings)
        log.info("server stopped")


def _leave() -> None:
    """Go down as after SIGTERM: the home is gone, and with it everything to serve."""
    log.warning("the home is gone; leaving")
    os.kill(os.getpid(), signal.SIGTERM)


def _warm_up(core: Core) -> None:
    """Load what the first requests will need, once the server answers already."""
    from starforge.server.services import curves, preparation, submit  # noqa: F401

    core.devices  # noqa: B018 - looks at the machine
    core.catalog.names()

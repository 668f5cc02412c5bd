"""Everything one server process shares: settings, store, engine, bus."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from starforge.engines.base import Engine
from starforge.engines.local.devices import Devices, find_devices
from starforge.plan import LaunchPlan
from starforge.server.auth import Tokens
from starforge.server.bus import Bus
from starforge.server.sessions import Sessions
from starforge.server.settings import Settings
from starforge.server.store import jobs
from starforge.server.store.blobs import BlobStore
from starforge.server.store.database import Database
from starforge.server.store.segments import StreamFiles

if TYPE_CHECKING:
    from starforge.catalog.load import Catalog
    from starforge.catalog.publish import Publication, Publisher

PLANS_KEPT = 256


@dataclass
class Counters:
    """What ``/metrics`` counts since the server started."""

    requests: int = 0
    errors: int = 0
    ingest_chunks: int = 0
    ingest_bytes: int = 0
    ingest_conflicts: int = 0
    ticks: int = 0
    tick_seconds: float = 0.0


@dataclass
class Core:
    """The parts that services, routes and the reconciler work with."""

    settings: Settings
    db: Database
    files: StreamFiles
    blobs: BlobStore
    tokens: Tokens
    engine: Engine
    bus: Bus = field(default_factory=Bus)
    url: str = ""
    started_at: float = field(default_factory=time.time)
    counters: Counters = field(default_factory=Counters)

    def __post_init__(self) -> None:
        self._plans: OrderedDict[str, LaunchPlan] = OrderedDict()
        self._plans_lock = threading.Lock()
        self._catalog_lock = threading.Lock()
        self._publisher: Publisher | None = None
        self.sessions = Sessions(self.settings.home, self.tokens.user)

    @property
    def publication(self) -> Publication:
        """What this deployment publishes now; files that changed are read again."""
        with self._catalog_lock:
            if self._publisher is None:
                from starforge.catalog.publish import Publisher

                self._publisher = Publisher(self.settings.catalog_folder)
            return self._publisher.current()

    @property
    def catalog(self) -> Catalog:
        """The published catalog."""
        return self.publication.catalog

    @cached_property
    def devices(self) -> Devices:
        """The slots of this machine, looked up at first use."""
        return find_devices(self.settings.slots_cpus, self.settings.slots_gpus)

    def plan(self, job_id: str) -> LaunchPlan:
        """Return a job's plan; plans never change, so a few are kept at hand."""
        with self._plans_lock:
            known = self._plans.get(job_id)
            if known is not None:
                self._plans.move_to_end(job_id)
                return known
        with self.db.read() as tx:
            plan = jobs.get(tx, job_id).plan
        with self._plans_lock:
            self._plans[job_id] = plan
            while len(self._plans) > PLANS_KEPT:
                self._plans.popitem(last=False)
        return plan

    def forget(self, job_id: str) -> None:
        """Drop what is kept of a deleted job."""
        with self._plans_lock:
            self._plans.pop(job_id, None)


def open_core(settings: Settings, *, url: str = "") -> Core:
    """Open the store of a prepared home. The caller holds the home's lock."""
    from starforge.engines.local import LocalEngine

    db = Database.open(settings.database_url())
    return Core(
        settings=settings,
        db=db,
        files=StreamFiles(settings.home / "streams"),
        blobs=BlobStore(settings.home / "blobs"),
        tokens=Tokens(settings.home),
        engine=LocalEngine(ship_timeout=settings.ship_timeout, server_file=settings.server_file),
        url=url,
    )

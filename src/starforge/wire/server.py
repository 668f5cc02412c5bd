"""The server itself."""

from __future__ import annotations

from starforge.wire.base import Shape, Time


class Gpu(Shape):
    """One accelerator; ``job`` holds it, if any."""

    index: int
    name: str
    memory_bytes: int | None = None
    job: str | None = None


class Machine(Shape):
    """Slots of the machine jobs run on."""

    cpus: int
    cpus_free: int
    gpus: list[Gpu] = []
    gpus_free: int = 0
    memory_bytes: int | None = None
    disk_free_bytes: int | None = None


class ServerInfo(Shape):
    """Who answers, and what it has."""

    version: str
    home: str
    url: str
    pid: int
    started_at: Time
    engine: str = "local"
    machine: Machine
    jobs: dict[str, int] = {}


class Health(Shape):
    """``/healthz``: needs no token."""

    status: str
    version: str

"""The machine jobs run on, and how much of it is taken."""

from __future__ import annotations

from typing import get_args

import psutil

from starforge.server.control.reconciler import holders
from starforge.server.core import Core
from starforge.server.store import jobs
from starforge.server.store.records import JobFilter, JobState
from starforge.wire.server import Gpu, Machine


def describe(core: Core, disk_free: int) -> Machine:
    """Return slots in all and free."""
    devices = core.devices
    held = holders(core)
    owner = {index: holder.job.id for holder in held for index in holder.gpus}
    return Machine(
        cpus=devices.cpus,
        cpus_free=max(0, devices.cpus - sum(holder.job.cpus for holder in held)),
        gpus=[
            Gpu(
                index=gpu.index,
                name=gpu.name,
                memory_bytes=gpu.memory_bytes,
                job=owner.get(gpu.index),
            )
            for gpu in devices.gpus
        ],
        gpus_free=sum(1 for gpu in devices.gpus if gpu.index not in owner),
        memory_bytes=psutil.virtual_memory().total,
        disk_free_bytes=disk_free,
    )


def count_jobs(core: Core) -> dict[str, int]:
    """Return how many jobs are in each state that has any."""
    with core.db.read() as tx:
        counts = {
            state: jobs.page(tx, JobFilter(states=[state]), limit=1).total
            for state in get_args(JobState)
        }
    return {state: count for state, count in counts.items() if count}

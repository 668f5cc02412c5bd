"""Who gets the free slots of this machine.

Order: higher priority first, then first come, first served. A job that does not fit waits
and says why. A later job may pass it only when that can't delay it: when both, and all
that passed before, fit on the machine together.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from starforge.i18n import Text
from starforge.server.store.records import JobSummary


class Need(msgspec.Struct, frozen=True):
    """CPUs and GPUs."""

    cpus: int
    gpus: int

    def __add__(self, other: Need) -> Need:
        return Need(self.cpus + other.cpus, self.gpus + other.gpus)

    def fits(self, room: Need) -> bool:
        """Say whether this much is there in ``room``."""
        return self.cpus <= room.cpus and self.gpus <= room.gpus


class Holder(msgspec.Struct, frozen=True):
    """A job that has slots, and the devices it was given."""

    job: JobSummary
    gpus: tuple[int, ...]

    @property
    def need(self) -> Need:
        """What it holds."""
        return Need(self.job.cpus, len(self.gpus))


class Grant(msgspec.Struct, frozen=True):
    """A job that may start, on these devices."""

    job: JobSummary
    gpus: tuple[int, ...]


class Decision(msgspec.Struct, frozen=True):
    """Jobs to start now, and why each of the others waits."""

    grants: list[Grant]
    waiting: dict[str, Text]


def order(job: JobSummary) -> tuple[int, float, str]:
    """Sort key of the queue."""
    return (-job.priority, job.created_at, job.id)


def need_of(job: JobSummary) -> Need:
    """What a job asks for."""
    return Need(job.cpus, job.gpus)


def decide(
    cpus: int, gpus: Sequence[int], holders: Sequence[Holder], queued: Sequence[JobSummary]
) -> Decision:
    """Hand out free slots. ``gpus`` are the indices of all devices of the machine."""
    total = Need(cpus, len(gpus))
    held = list(holders)
    grants: list[Grant] = []
    waiting: dict[str, Text] = {}
    blocked: list[JobSummary] = []
    for job in sorted(queued, key=order):
        free_cpus = cpus - sum(holder.job.cpus for holder in held)
        used = {index for holder in held for index in holder.gpus}
        free = [index for index in gpus if index not in used]
        if not need_of(job).fits(Need(free_cpus, len(free))):
            waiting[job.id] = _no_room(job, total, Need(max(0, free_cpus), len(free)), held)
            blocked.append(job)
            continue
        behind = next((b for b in blocked if not _may_pass(job, b, total, held)), None)
        if behind is not None:
            waiting[job.id] = _behind(behind)
            blocked.append(job)
            continue
        grant = Grant(job, tuple(free[: job.gpus]))
        grants.append(grant)
        held.append(Holder(job, grant.gpus))
    return Decision(grants, waiting)


def _may_pass(job: JobSummary, blocked: JobSummary, total: Need, held: Sequence[Holder]) -> bool:
    """Say whether starting ``job`` leaves ``blocked`` its room once those before it end."""
    need = need_of(job) + need_of(blocked)
    for holder in held:
        if order(holder.job) > order(blocked):
            need = need + holder.need
    return need.fits(total)


def _no_room(job: JobSummary, total: Need, free: Need, held: Sequence[Holder]) -> Text:
    short_cpus, short_gpus = job.cpus > free.cpus, job.gpus > free.gpus
    en, zh = [], []
    if short_cpus:
        en.append(f"needs {job.cpus} CPUs, {free.cpus} of {total.cpus} are free")
        zh.append(f"需要 {job.cpus} 个 CPU，共 {total.cpus} 个，空闲 {free.cpus} 个")
    if short_gpus:
        en.append(f"needs {job.gpus} GPUs, {free.gpus} of {total.gpus} are free")
        zh.append(f"需要 {job.gpus} 个 GPU，共 {total.gpus} 个，空闲 {free.gpus} 个")
    names = [
        f"{holder.job.name} ({holder.job.id})"
        for holder in held
        if (short_cpus and holder.job.cpus) or (short_gpus and holder.gpus)
    ]
    if names:
        shown = ", ".join(names[:3]) + (" ..." if len(names) > 3 else "")
        en.append(f"held by {shown}")
        zh.append(f"占用者：{shown}")
    return Text("; ".join(en), "；".join(zh))


def _behind(job: JobSummary) -> Text:
    return Text(
        f"waits behind {job.name} ({job.id}), which is before it in the queue",
        f"排在 {job.name}（{job.id}）之后等待",
    )

"""The last values of a job's primary metrics, shown in lists."""

from __future__ import annotations

from starforge.server.core import Core
from starforge.server.services.views import finite
from starforge.server.store import jobs, scalars
from starforge.server.store.records import JobChange


def update_headline(core: Core, job_id: str) -> bool:
    """Bring a job's headline up to date; say whether it changed."""
    wanted = core.plan(job_id).primary_metrics
    if not wanted:
        return False
    with core.db.read() as tx:
        last = {row.name: finite(row.last_value) for row in scalars.series(tx, job_id)}
        before = jobs.summary(tx, job_id).headline
    headline = {name: last[name] for name in wanted if name in last}
    if headline == before:
        return False
    with core.db.write() as tx:
        jobs.change(tx, job_id, JobChange(headline=headline))
    return True

"""Sweeps: sending one, looking at it, steering it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from starforge.client.http import Http
from starforge.client.submit import make_request, persistently, upload
from starforge.wire.sweeps import EarlyStop, Search, Sweep, SweepDetail, SweepRequest

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.prepare import Prepared


class Sweeps:
    """``sweep`` is always an id, a unique prefix of one, or a name (its newest)."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def create(self, request: SweepRequest) -> SweepDetail:
        """Start a sweep whose bundle and data were sent (see :func:`run`)."""
        return self._http.post("/sweeps", SweepDetail, request)

    def newest(self, limit: int = 50) -> list[Sweep]:
        """Return the newest sweeps, newest first."""
        return self._http.get("/sweeps", list[Sweep], limit=limit)

    def get(self, sweep: str) -> SweepDetail:
        """Return everything about a sweep."""
        return self._http.get(_path(sweep), SweepDetail)

    def stop(self, sweep: str) -> SweepDetail:
        """Have running trials stopped, and no more started."""
        return self._http.post(f"{_path(sweep)}/stop", SweepDetail)

    def resume(self, sweep: str) -> SweepDetail:
        """Go on with a stopped sweep."""
        return self._http.post(f"{_path(sweep)}/resume", SweepDetail)


def _path(sweep: str) -> str:
    return f"/sweeps/{quote(sweep, safe='')}"


def run(
    client: Client,
    prepared: Prepared,
    *,
    metric: str,
    goal: Literal["max", "min"],
    trials: Sequence[dict[str, str]] = (),
    probes: Sequence[dict[str, str]] = (),
    search: Mapping[str, Any] | None = None,
    early_stop: Mapping[str, Any] | None = None,
    jobs: int = 1,
    sets: Sequence[str] = (),
    profile: str | None = None,
    name: str | None = None,
    key: str | None = None,
) -> SweepDetail:
    """Send an experiment (which must be ``ok``) with its trials, or a search; created once.

    ``search`` and ``early_stop`` have the fields of the shapes of these names in
    :mod:`starforge.wire.sweeps`.
    """
    sending = make_request(prepared, sets=sets, profile=profile)
    job = sending.request.model_copy(update={"plan_digest": None, "idempotency_key": None})
    request = SweepRequest(
        name=name or str(sending.request.name), job=job, trials=list(trials), probes=list(probes),
        search=None if search is None else Search(**search),
        early_stop=None if early_stop is None else EarlyStop(**early_stop),
        metric=metric, goal=goal, jobs=jobs, idempotency_key=key or uuid.uuid4().hex,
    )  # fmt: skip

    def send() -> SweepDetail:
        upload(client, prepared, sending)
        return client.sweeps.create(request)

    return persistently(send)

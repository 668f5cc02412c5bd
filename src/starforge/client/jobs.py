"""Jobs: listing, looking into them, steering them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypedDict, Unpack
from urllib.parse import quote

import httpx2

from starforge.client.follow import Message, follow
from starforge.client.http import Http
from starforge.wire.board import Score
from starforge.wire.config import JobConfig
from starforge.wire.edits import BulkRequest, BulkResult, JobEdit
from starforge.wire.experiments import ExperimentBundle
from starforge.wire.jobs import (
    Event,
    ImportRequest,
    JobDetail,
    JobPage,
    Output,
    Record,
    StopRequest,
    SubmitRequest,
)
from starforge.wire.logs import LogLine, LogPage
from starforge.wire.metrics import Curve, Series
from starforge.wire.samples import SamplePage


def _path(job: str) -> str:
    # Names hold no "/", but a user may type anything.
    return f"/jobs/{quote(job, safe='')}"


class MetricsQuery(TypedDict, total=False):
    """Which curves, how many points (``buckets``), and the range ``lo`` to ``hi`` of ``x``."""

    names: Iterable[str]
    buckets: int | None
    lo: float | None
    hi: float | None
    x: Literal["step", "time"] | None
    attempt: int | None


class Jobs:
    """``job`` is always an id, a unique prefix of one, or a name (its newest job)."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def submit(self, request: SubmitRequest) -> JobDetail:
        """Submit a prepared experiment (see :mod:`starforge.client.submit`)."""
        return self._http.post("/jobs", JobDetail, request)

    def page(
        self,
        *,
        states: Iterable[str] = (),
        method: str | None = None,
        search: str | None = None,
        lab: str | None = None,
        number: int = 1,
        size: int = 50,
        sort: str = "-created_at",
    ) -> JobPage:
        """Return a page of jobs, newest first."""
        return self._http.get(
            "/jobs",
            JobPage,
            state=",".join(states) or None,
            method=method,
            search=search,
            lab=lab,
            page=number,
            size=size,
            sort=sort,
        )

    def get(self, job: str) -> JobDetail:
        """Return everything about a job but its streams."""
        return self._http.get(_path(job), JobDetail)

    def plan(self, job: str) -> dict[str, Any]:
        """Return the launch plan of a job."""
        return self._http.get(f"{_path(job)}/plan", dict[str, Any])

    def record(self, job: str) -> Record:
        """Return the files needed to run a job again."""
        return self._http.get(f"{_path(job)}/record", Record)

    def config(self, job: str, against: str | None = None) -> JobConfig:
        """Return every native key of a job, and its differences from the job ``against``."""
        return self._http.get(f"{_path(job)}/config", JobConfig, against=against)

    def experiment(self, job: str) -> ExperimentBundle:
        """Return the experiment of a job as it was submitted."""
        return self._http.get(f"{_path(job)}/experiment", ExperimentBundle)

    def experiment_archive(self, job: str) -> Iterator[bytes]:
        """Yield the experiment of a job as a zip with one folder, piece by piece."""
        with self._http.stream(f"{_path(job)}/experiment/archive") as response:
            yield from response.iter_bytes()

    def file(self, job: str, path: str) -> Iterator[bytes]:
        """Yield a file of the job's folder piece by piece; ``path`` is relative to it."""
        with self._http.stream(f"{_path(job)}/artifacts/file", params={"path": path}) as response:
            yield from response.iter_bytes()

    def logs(
        self,
        job: str,
        *,
        attempt: int | None = None,
        role: str | None = None,
        rank: int | None = None,
        tail: int | None = None,
        from_line: int | None = None,
        limit: int | None = None,
        search: str | None = None,
    ) -> LogPage:
        """Return lines of one log stream (the first role's by default)."""
        return self._http.get(
            f"{_path(job)}/logs",
            LogPage,
            attempt=attempt,
            role=role,
            rank=rank,
            tail=tail,
            from_line=from_line,
            limit=limit,
            search=search,
        )

    def follow_logs(
        self,
        job: str,
        *,
        attempt: int | None = None,
        role: str | None = None,
        rank: int | None = None,
        tail: int | None = None,
    ) -> Iterator[LogLine]:
        """Yield log lines as they come, until the attempt ends; reconnects without a gap."""
        params: dict[str, Any] = {"attempt": attempt, "role": role, "rank": rank, "tail": tail}

        def after(message: Message) -> dict[str, Any]:
            if not message.id.isdigit():
                return params
            return {**params, "tail": None, "from_line": int(message.id) + 1}

        for message in follow(self._http, f"{_path(job)}/logs/follow", params, after):
            if message.event == "line":
                yield LogLine.model_validate_json(message.data)

    def follow(self, job: str) -> Iterator[Message]:
        """Yield the job's events (``job``, ``event``, ``metrics``) until it has ended."""
        path = f"{_path(job)}/events/follow"
        yield from follow(self._http, path, {}, lambda _: {})

    def metrics(self, job: str, **query: Unpack[MetricsQuery]) -> dict[str, Curve]:
        """Return curves by name; all of them when no name is given."""
        return self._http.read(self._metrics(job, query), dict[str, Curve])

    def metrics_json(self, job: str, **query: Unpack[MetricsQuery]) -> str:
        """Return the same as the server's own JSON: a long curve is not worth decoding twice."""
        return self._metrics(job, query).text

    def _metrics(self, job: str, query: MetricsQuery) -> httpx2.Response:
        params: dict[str, Any] = {**query}
        params["name"] = [*params.pop("names", ())]
        return self._http.request("GET", f"{_path(job)}/metrics", params=params)

    def series(self, job: str) -> list[Series]:
        """Return what is known of each metric without its points."""
        return self._http.get(f"{_path(job)}/series", list[Series])

    def samples(
        self,
        job: str,
        *,
        step: int | None = None,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        attempt: int | None = None,
        group: str | None = None,
        truncated: bool | None = None,
    ) -> SamplePage:
        """Return logged prompts and completions; the last two choose by what rows say."""
        return self._http.get(
            f"{_path(job)}/samples",
            SamplePage,
            step=step,
            search=search,
            sort=sort,
            limit=limit,
            offset=offset,
            attempt=attempt,
            group=group,
            truncated=truncated,
        )

    def artifacts(self, job: str) -> list[Output]:
        """Return what the job left."""
        return self._http.get(f"{_path(job)}/artifacts", list[Output])

    def scores(self, job: str) -> list[Score]:
        """Return the benchmark results of a job."""
        return self._http.get(f"{_path(job)}/scores", list[Score])

    def events(self, job: str, after: int | None = None) -> list[Event]:
        """Return what happened to a job."""
        return self._http.get(f"{_path(job)}/events", list[Event], after=after)

    def edit(self, job: str, changes: JobEdit) -> JobDetail:
        """Change name, description, tags, or the priority of a job that waits."""
        body = changes.model_dump(exclude_unset=True)
        return self._http.read(self._http.request("PATCH", _path(job), body=body), JobDetail)

    def bulk(self, request: BulkRequest) -> list[BulkResult]:
        """Do one thing to several jobs."""
        return self._http.post("/jobs/bulk", list[BulkResult], request)

    def stop(self, job: str, *, force: bool = False) -> JobDetail:
        """Ask a job to end; ``force`` skips the grace period."""
        return self._http.post(f"{_path(job)}/stop", JobDetail, StopRequest(force=force))

    def resume(self, job: str) -> JobDetail:
        """Start a new attempt from the last checkpoint."""
        return self._http.post(f"{_path(job)}/resume", JobDetail)

    def retry(self, job: str) -> JobDetail:
        """Start a new attempt from scratch."""
        return self._http.post(f"{_path(job)}/retry", JobDetail)

    def delete(self, job: str, *, force: bool = False) -> None:
        """Delete a job and its folder; ``force`` stops it first."""
        self._http.request("DELETE", _path(job), params={"force": "true"} if force else None)

    def import_folder(self, path: str, name: str | None = None) -> JobDetail:
        """Bring in a folder written by ``starforge.report`` on the server's machine."""
        return self._http.post("/jobs/import", JobDetail, ImportRequest(path=path, name=name))

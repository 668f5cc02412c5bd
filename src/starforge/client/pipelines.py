"""Pipelines: sending one whole, looking at it, steering it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote

from starforge.client.http import Http
from starforge.client.submit import Sending, account, make_request, persistently, upload
from starforge.wire.pipelines import PipelineDetail, PipelinePage, PipelineRequest, StageRequest

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.pipelines.examine import Examined
    from starforge.pipelines.stages import PreparedStage


MAX_DIFFS = 2_000_000  # characters of uncommitted changes that one request carries


class Pipelines:
    """``pipeline`` is always an id, a unique prefix of one, or a name (its newest)."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def create(self, request: PipelineRequest) -> PipelineDetail:
        """Start a pipeline whose bundles and data were sent (see :func:`run`)."""
        return self._http.post("/pipelines", PipelineDetail, request)

    def page(
        self,
        *,
        state: str | None = None,
        search: str | None = None,
        number: int = 1,
        size: int = 50,
    ) -> PipelinePage:
        """Return a page of pipelines, newest first."""
        return self._http.get(
            "/pipelines", PipelinePage, state=state, search=search, page=number, size=size
        )

    def get(self, pipeline: str) -> PipelineDetail:
        """Return everything about a pipeline."""
        return self._http.get(_path(pipeline), PipelineDetail)

    def stop(self, pipeline: str) -> PipelineDetail:
        """Have running stages stopped, and no more started."""
        return self._http.post(f"{_path(pipeline)}/stop", PipelineDetail)

    def resume(self, pipeline: str) -> PipelineDetail:
        """Go on with a failed or stopped pipeline."""
        return self._http.post(f"{_path(pipeline)}/resume", PipelineDetail)


def _path(pipeline: str) -> str:
    return f"/pipelines/{quote(pipeline, safe='')}"


def run(
    client: Client,
    examined: Examined,
    *,
    fresh: bool = False,
    key: str | None = None,
    pause: Callable[[float], None] | None = None,
) -> PipelineDetail:
    """Send a pipeline (which must be ``ok``) with all its experiments, and return it.

    The server goes on alone from there. It is created once, however often an answer is lost.
    """
    share = MAX_DIFFS // max(1, len(examined.stages))
    sendings = {name: _sending(one, share) for name, one in examined.stages.items()}
    request = PipelineRequest(
        name=examined.pipeline.name,
        text=examined.file.read_text("utf-8-sig"),
        file=examined.pipeline.document.file,
        stages=[StageRequest(name=name, job=one.request) for name, one in sendings.items()],
        fresh=fresh,
        lab=str(examined.lab_root) if examined.lab_root else None,
        owner=account(),
        idempotency_key=key or uuid.uuid4().hex,
    )

    def send() -> PipelineDetail:
        for name, one in examined.stages.items():
            assert one.prepared is not None
            upload(client, one.prepared, sendings[name])
        return client.pipelines.create(request)

    return persistently(send, pause) if pause is not None else persistently(send)


def _sending(one: PreparedStage, share: int) -> Sending:
    assert one.prepared is not None
    sending = make_request(
        one.prepared, sets=one.stage.set_texts, profile=one.stage.resources, replace=one.inputs
    )
    source = sending.request.source
    if source is not None and len(source.get("diff", "")) > share:
        cut = {**source, "diff": source["diff"][:share], "truncated": True}
        return Sending(sending.request.model_copy(update={"source": cut}), sending.bundle)
    return sending

"""Server-sent events over plain streaming responses."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import ParamSpec, TypeVar

from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

T = TypeVar("T")
P = ParamSpec("P")

PING = 15.0  # seconds of silence before a comment keeps the connection open
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def sse(
    kind: str, data: BaseModel | dict[str, object] | None, ident: int | str | None = None
) -> bytes:
    """Encode one event."""
    body = data.model_dump_json() if isinstance(data, BaseModel) else json.dumps(data or {})
    head = f"id: {ident}\n" if ident is not None else ""
    # One data line: JSON escapes every line break that could end it.
    return f"{head}event: {kind}\ndata: {body}\n\n".encode()


def comment(text: str = "") -> bytes:
    """Encode a comment: keeps proxies and clients from giving up."""
    return f": {text}\n\n".encode()


def stream(events: AsyncIterator[bytes]) -> StreamingResponse:
    """Answer with a stream of events; the first bytes go out at once."""
    return StreamingResponse(events, media_type="text/event-stream", headers=HEADERS)


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking store access beside the event loop."""
    return await run_in_threadpool(work, *args, **kwargs)

"""Follow server-sent events across broken connections."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import httpx2

from starforge.client.http import Http
from starforge.errors import ExitCode, StarForgeError

PATIENCE = 60.0  # seconds a server may be away (a restart) before we give up
READ_TIMEOUT = 45.0  # the server sends a comment more often than this


class Message(NamedTuple):
    """One event: its name, JSON text, and id (empty when it has none)."""

    event: str
    data: str
    id: str


def follow(
    http: Http,
    path: str,
    params: dict[str, Any],
    after: Callable[[Message], dict[str, Any]],
    *,
    patience: float = PATIENCE,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[Message]:
    """Yield messages until ``end``; reconnect when the connection breaks.

    ``after(last message)`` gives the query to go on with. A server that stays away for
    ``patience`` seconds is raised as an error; a refusal (wrong token, no such job) at once.
    """
    broken_since: float | None = None
    delay = 0.2
    while True:
        try:
            for message in _connection(http, path, params):
                broken_since, delay = None, 0.2
                if message.event == "end":
                    return
                yield message
                params = after(message)
        except StarForgeError as error:
            if error.exit_code != ExitCode.UNREACHABLE:
                raise
            broken_since = broken_since or time.monotonic()
            if time.monotonic() - broken_since > patience:
                raise
        pause(delay)
        delay = min(delay * 2, 3.0)


def _connection(http: Http, path: str, params: dict[str, Any]) -> Iterator[Message]:
    """Yield the messages of one connection until it closes."""
    with http.stream(path, params=params, read_timeout=READ_TIMEOUT) as response:
        for sent in httpx2.EventSource(response):
            yield Message(event=sent.event, data=sent.data, id=sent.id)

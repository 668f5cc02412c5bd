"""Ask a judge over HTTP, with patience."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, NamedTuple

FIRST_PAUSE = 0.5  # seconds; doubled after each try
LONGEST_PAUSE = 30.0
_BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class JudgeError(RuntimeError):
    """The judge can't be asked, or doesn't answer with a score."""


class JudgeOffError(JudgeError):
    """A check tries the reward, and a judge is asked by jobs and by ``sf reward try`` only."""


class Endpoint(NamedTuple):
    """Where a judge is: the URL up to ``/v1``, the model's name there, the key if it needs one."""

    url: str
    model: str
    key: str | None = None


class _LaterError(Exception):
    """It may work later: ``after`` are the seconds that the server asks for."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


def ask(
    endpoint: Endpoint,
    messages: list[dict[str, str]],
    read: Callable[[str], float | None],
    timeout: float,
    retries: int,
) -> float:
    """Return what ``read`` finds in the answer; raises :class:`JudgeError` after all tries."""
    why = ""
    for turn in range(retries + 1):
        try:
            text = _complete(endpoint, messages, timeout, temperature=0.0 if turn == 0 else 0.7)
            found = read(text)
            if found is not None:
                return found
            why = f"answered without a score: {text[:120]!r}"
            continue  # it is there, so there is nothing to wait for
        except _LaterError as error:
            why = str(error)
            if turn < retries:
                pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2**turn) * random.uniform(1, 1.5)  # noqa: S311
                time.sleep(min(LONGEST_PAUSE, max(pause, error.after or 0.0)))
    raise JudgeError(f"the judge {endpoint.model} at {endpoint.url} {why} ({retries + 1} tries)")


def _complete(
    endpoint: Endpoint, messages: list[dict[str, str]], timeout: float, *, temperature: float
) -> str:
    body = {"model": endpoint.model, "messages": messages, "temperature": temperature}
    headers = {"Content-Type": "application/json"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    if not endpoint.url.startswith(("http://", "https://")):
        raise JudgeError(f"the judge's URL has to begin with http:// or https://: {endpoint.url}")
    request = urllib.request.Request(  # noqa: S310 - the scheme was looked at
        f"{endpoint.url}/chat/completions", json.dumps(body).encode(), headers
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:  # noqa: S310
            answer = response.read()
    except urllib.error.HTTPError as error:
        said = error.read(300).decode("utf-8", "replace").strip()
        why = f"answered {error.code}: {said or error.reason}"
        if error.code not in _BUSY:
            raise JudgeError(f"the judge {endpoint.model} at {endpoint.url} {why}") from error
        raise _LaterError(why, _seconds(error.headers.get("Retry-After"))) from error
    except TimeoutError as error:
        raise _LaterError(f"did not answer within {timeout:g} s") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            raise _LaterError(f"did not answer within {timeout:g} s") from error
        raise _LaterError(f"is away: {reason}") from error
    return _content(answer)


def _content(answer: bytes) -> str:
    try:
        value: Any = json.loads(answer)
        content = value["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError) as error:
        start = answer[:120].decode("utf-8", "replace")
        raise _LaterError(f"answered with something else than a completion: {start!r}") from error
    return str(content or "")


def _seconds(value: str | None) -> float | None:
    try:
        return float(value) if value is not None else None
    except ValueError:
        return None

"""Read JSON from a server without loading the client: that takes longer than most answers.

The client proper (proxies, certificates, typed answers) needs a third of a second of CPU time
to load; a command that only lists something should not. Whatever does not go smoothly here is
asked again through the client, which knows all proxies and says all errors.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from starforge import __version__
from starforge.client.embedded import Target, client_of
from starforge.lang import current_lang

_PREFIX = "/api/v1"
_TIMEOUT = 60.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def get_json(target: Target, path: str, params: Mapping[str, Any] | None = None) -> Any:
    """Return the JSON that GET of a path below ``/api/v1`` answers.

    Parameters that are ``None`` or empty are left out. Raises what the client raises.
    """
    given = {name: value for name, value in (params or {}).items() if value not in (None, "", [])}
    try:
        return _ask(target, f"{_PREFIX}{path}?{urlencode(given, doseq=True)}")
    except (OSError, http.client.HTTPException, ValueError):
        with client_of(target) as client:
            return client.http.request("GET", path, params=given).json()


def post_json(target: Target, path: str) -> Any:
    """Return the JSON that POST to a path below ``/api/v1`` answers; no body is sent.

    For requests that may be sent twice: one that did not go smoothly is.
    """
    try:
        return _ask(target, _PREFIX + path, "POST")
    except (OSError, http.client.HTTPException, ValueError):
        with client_of(target) as client:
            return client.http.request("POST", path).json()


def _ask(target: Target, path: str, method: str = "GET") -> Any:
    """Return the JSON of an answer; raise for anything but a plain success of this machine."""
    parts = urlsplit(target.url)
    if parts.scheme != "http" or parts.hostname not in _LOOPBACK:
        raise ValueError(target.url)
    headers = {"User-Agent": f"starforge/{__version__}", "Accept-Language": current_lang()}
    if target.token:
        headers["Authorization"] = f"Bearer {target.token}"
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=_TIMEOUT)
    try:
        connection.request(method, parts.path.rstrip("/") + path, headers=headers)
        answer = connection.getresponse()
        if answer.status not in (200, 201):
            raise ValueError(answer.status)
        return json.loads(answer.read())
    finally:
        connection.close()

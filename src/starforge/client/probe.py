"""Ask a server for its health with as little as possible loaded."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit


def health(url: str, timeout: float = 2.0) -> str | None:
    """Return the version of the server at ``url``; ``None`` when nothing listens there.

    Raises :class:`TimeoutError` when something listens but does not answer, and
    :class:`ValueError` when it is no StarForge server.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=timeout)
    try:
        connection.request("GET", f"{parts.path.rstrip('/')}/healthz")
        answer = connection.getresponse()
        body = json.loads(answer.read(65536))
        version = body["version"] if answer.status == 200 and isinstance(body, dict) else None
        if not isinstance(version, str):
            raise ValueError(f"HTTP {answer.status}")
        return version
    except TimeoutError:
        raise
    except OSError:
        return None
    except (http.client.HTTPException, KeyError) as error:
        raise ValueError(str(error) or type(error).__name__) from error
    finally:
        connection.close()

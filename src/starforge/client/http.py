"""One connection to a server: requests, typed answers, clear errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
from pydantic import TypeAdapter, ValidationError

from starforge import __version__
from starforge.client.errors import FindingsError, ServerError, not_starforge, slow, unreachable
from starforge.errors import StarForgeError
from starforge.lang import current_lang, t

T = TypeVar("T")
PREFIX = "/api/v1"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_adapters: dict[Any, TypeAdapter[Any]] = {}


class Http:
    """A keep-alive connection with the user's token.

    ``timeout`` is in seconds for connecting and for each read or write. The language of
    the answers is that of this process. ``locate`` tells where the server is by now (``None``:
    it does not run); it is asked when a request failed, so that the next one finds a server
    that has begun again at another address.
    """

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout: float = 60.0,
        locate: Callable[[], str | None] | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.timeout = timeout
        self._locate = locate
        headers = {"User-Agent": f"starforge/{__version__}"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._client = httpx2.Client(
            base_url=self.url,
            headers=headers,
            timeout=httpx2.Timeout(timeout, connect=min(timeout, 10.0)),
            # A proxy of the environment must never stand between us and this machine.
            trust_env=urlsplit(self.url).hostname not in _LOOPBACK,
        )

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        body: Any = None,
        content: Any = None,
    ) -> httpx2.Response:
        """Send a request below ``/api/v1`` and return the answer; refusals are raised.

        ``body`` is a wire model or JSON value; ``content`` raw bytes or an iterator of them.
        """
        headers: dict[str, str] = {"Accept-Language": current_lang()}
        if body is not None:
            content = _encode(body)
            headers["Content-Type"] = "application/json"
        with self._translated():
            response = self._client.request(
                method, PREFIX + path, params=_clean(params), content=content, headers=headers
            )
        if response.status_code >= 400:
            raise self._refusal(response)
        return response

    def get(self, path: str, kind: type[T], **params: Any) -> T:
        """GET and read the answer as ``kind``."""
        return self.read(self.request("GET", path, params=params), kind)

    def post(self, path: str, kind: type[T], body: Any = None, **params: Any) -> T:
        """POST and read the answer as ``kind``."""
        return self.read(self.request("POST", path, params=params, body=body), kind)

    def read(self, response: httpx2.Response, kind: type[T]) -> T:
        """Decode an answer, or say that it is not one of StarForge."""
        adapter = _adapters.setdefault(kind, TypeAdapter(kind))
        try:
            value: T = adapter.validate_json(response.content)
        except ValidationError as error:
            problem = error.errors()[0]
            where = ".".join(str(part) for part in problem["loc"])
            raise not_starforge(self.url, f"{where}: {problem['msg']}") from error
        return value

    @contextmanager
    def stream(
        self, path: str, *, params: Mapping[str, Any] | None = None, read_timeout: float = 60.0
    ) -> Iterator[httpx2.Response]:
        """Open a streaming GET; the body is read by the caller."""
        headers = {"Accept-Language": current_lang()}
        timeout = httpx2.Timeout(self.timeout, read=read_timeout)
        with (
            self._translated(),
            self._client.stream(
                "GET", PREFIX + path, params=_clean(params), headers=headers, timeout=timeout
            ) as response,
        ):
            if response.status_code >= 400:
                response.read()
                raise self._refusal(response)
            yield response

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise self._away(_reason(error)) from error
        except httpx2.TimeoutException as error:
            raise slow(self.url, self.timeout) from error
        except httpx2.TransportError as error:
            raise self._away(_reason(error)) from error
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise unreachable(self.url, str(error)) from error

    def _away(self, why: str) -> StarForgeError:
        """Return the error of a server out of reach; the next request goes where it is by now."""
        error = unreachable(self.url, why)
        self._moved()
        return error

    def _moved(self) -> bool:
        """Look where the server is by now; return whether that is not where we asked."""
        if self._locate is None:
            return False
        found = self._locate()
        if found == self.url:
            return False
        if found is not None:
            self.url = found
            self._client.base_url = httpx2.URL(found)
        return True

    def _refusal(self, response: httpx2.Response) -> StarForgeError:
        # A port that our server has left may be another server's, which refuses our token.
        if response.status_code == 401 and self._moved():
            return unreachable(
                str(response.request.url.copy_with(raw_path=b"/")).rstrip("/"),
                t("another server listens there by now", "该地址现在是另一个服务"),
            )
        try:
            body = json.loads(response.content)
            error = body["error"]
            code, message, hint = str(error["code"]), str(error["message"]), error.get("hint")
        except (ValueError, KeyError, TypeError):
            return not_starforge(self.url, f"HTTP {response.status_code}")
        if body.get("findings") is not None:
            return FindingsError(code, message, hint, list(body["findings"]))
        return ServerError(
            code, message, hint, status=response.status_code, detail=body.get("detail")
        )


def _encode(body: Any) -> bytes:
    if hasattr(body, "model_dump_json"):
        return str(body.model_dump_json(exclude_none=True)).encode()
    return json.dumps(body).encode()


def _clean(params: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Leave out what was not given."""
    if not params:
        return None
    return {key: value for key, value in params.items() if value not in (None, [], ())}


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__

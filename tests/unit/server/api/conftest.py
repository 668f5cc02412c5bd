"""The application over a private home, asked without a network."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from starforge.server.app import create_app
from starforge.server.core import Core

BASE = "http://127.0.0.1:7827"


@pytest.fixture(autouse=True)
def no_runtimes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Know only what lies in the private home, whatever runtimes the whole run shares."""
    monkeypatch.delenv("STARFORGE_RUNTIMES", raising=False)


@pytest.fixture
def anybody(core: Core) -> Iterator[TestClient]:
    """A client without token and cookie."""
    with TestClient(create_app(core), base_url=BASE) as made:
        yield made


@pytest.fixture
def user(core: Core) -> Iterator[TestClient]:
    """A client with the server's token."""
    headers = {"Authorization": f"Bearer {core.tokens.user}"}
    with TestClient(create_app(core), base_url=BASE, headers=headers) as made:
        yield made


@pytest.fixture
def page(core: Core) -> Iterator[TestClient]:
    """The console in a browser that has signed in."""
    headers = {"Origin": BASE, "X-StarForge": "console"}
    with TestClient(create_app(core), base_url=BASE, headers=headers) as made:
        assert made.post("/api/v1/session", json={"code": core.sessions.new_code()}).is_success
        yield made

"""Choosing a port."""

import socket

import pytest

from starforge.errors import StarForgeError
from starforge.server import sockets
from starforge.server.settings import Settings


@pytest.fixture
def busy():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_an_asked_for_busy_port_is_an_error(tmp_path, busy):
    with pytest.raises(StarForgeError) as refused:
        sockets.bind(Settings(home=tmp_path, port=busy))
    assert refused.value.code == "server/port-busy" and str(busy) in refused.value.message.zh


def test_a_busy_default_port_gives_way_to_a_free_one(tmp_path, busy, monkeypatch):
    monkeypatch.setattr(sockets, "DEFAULT_PORT", busy)
    settings = Settings(home=tmp_path)
    with sockets.bind(settings) as listener:
        assert listener.getsockname()[1] != busy
        assert sockets.url_of(settings, listener).startswith("http://127.0.0.1:")


def test_an_address_that_is_not_ours_is_an_error(tmp_path):
    for settings in (
        Settings(home=tmp_path, host="203.0.113.1", port=0),
        Settings(home=tmp_path, host="no.such.host.invalid", port=0),
    ):
        with pytest.raises(StarForgeError) as refused:
            sockets.bind(settings)
        assert refused.value.code == "server/cannot-listen"


def test_urls_for_clients_of_this_machine(tmp_path):
    with sockets.bind(Settings(home=tmp_path, host="0.0.0.0", port=0)) as listener:
        url = sockets.url_of(Settings(home=tmp_path, host="0.0.0.0"), listener)
        assert url.startswith("http://127.0.0.1:")


def test_asyncio_will_not_hold_answers_back(tmp_path):
    """It sets TCP_NODELAY on connections whose socket names its protocol, on no others."""
    with sockets.bind(Settings(home=tmp_path, port=0)) as listener:
        with socket.create_connection(listener.getsockname()):
            accepted, _ = listener.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP

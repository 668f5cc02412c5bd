"""Host and Origin names, and what the guard lets through."""

from pathlib import Path

import pytest

from starforge.server.guard import Guard, host_name, origin_name
from starforge.server.settings import Settings


def allowed(headers: dict[str, str], **settings) -> bool:
    guard = Guard(None, Settings(home=Path("/nowhere"), **settings))
    return guard._check(headers.get("host"), headers.get("origin")) is None


@pytest.mark.parametrize(
    ("host", "name"),
    [("LOCALHOST:80", "localhost"), ("[::1]:80", "::1"), ("a.b", "a.b"), ("[", ""), ("", "")],
)
def test_host_names(host, name):
    assert host_name(host) == name


@pytest.mark.parametrize(
    ("origin", "name"), [("http://a.b:1", "a.b"), ("null", ""), ("http://[", ""), ("", "")]
)
def test_origin_names(origin, name):
    assert origin_name(origin) == name


def test_loopback_is_let_in_and_foreign_names_are_not():
    assert allowed({"host": "127.0.0.1:7827"})
    assert allowed({"host": "[::1]:7827", "origin": "http://[::1]:7827"})
    assert not allowed({"host": "evil.example"})
    assert not allowed({})
    assert not allowed({"host": "127.0.0.1.evil.example"})
    assert not allowed({"host": "127.0.0.1:7827", "origin": "http://127.0.0.1:8000"})


def test_further_names_are_configured():
    assert allowed({"host": "gpu-box:7827"}, allowed_hosts=frozenset({"gpu-box"}))
    assert allowed({"host": "10.0.0.5:7827"}, host="10.0.0.5")
    assert not allowed({"host": "0.0.0.0:7827"}, host="0.0.0.0")

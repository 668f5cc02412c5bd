"""Finding the server: environment, login, the embedded one; stale files; logins."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from starforge import __version__
from starforge.client import embedded
from starforge.client.config import Login, config_file, forget_login, read_login, write_login
from starforge.client.process import _split, running
from starforge.errors import ExitCode, StarForgeError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("STARFORGE_URL", "STARFORGE_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("STARFORGE_HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder


def server_file(home: Path, version: str = __version__, pid: int | None = None) -> None:
    body = {"pid": pid or os.getpid(), "url": "http://127.0.0.1:1", "version": version}
    (home / "server.json").write_text(json.dumps(body))
    (home / "token").write_text("tok\n")


@pytest.fixture
def lock(home: Path) -> Iterator[None]:
    """Hold the server's lock, as a live server does."""
    with (home / "server.lock").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def test_a_leftover_file_is_no_server(home: Path) -> None:
    """Even when its pid is alive: it may be another program's by now."""
    server_file(home)
    (home / "server.lock").touch()
    assert running(home) is None
    assert embedded.find(launch=False) is None


def test_a_dead_pid_is_no_server(home: Path, lock: None) -> None:
    server_file(home, pid=2**22 + 1)
    assert running(home) is None


def test_a_running_server_is_found_with_its_token(home: Path, lock: None) -> None:
    server_file(home)
    assert embedded.find(launch=False) == embedded.Target("http://127.0.0.1:1", "tok", "embedded")


def test_another_version_is_refused(home: Path, lock: None) -> None:
    server_file(home, version="0.0.9")
    with pytest.raises(StarForgeError) as raised:
        embedded.find(launch=False)
    assert raised.value.code == "client/version"
    assert "sf down" in raised.value.render("en")


def test_an_unreadable_token(home: Path, lock: None) -> None:
    server_file(home)
    (home / "token").unlink()
    (home / "token").mkdir()
    with pytest.raises(StarForgeError) as raised:
        embedded.find(launch=False)
    assert raised.value.exit_code == ExitCode.NOT_ALLOWED


def test_order_of_what_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert embedded.configured() is None
    path = write_login(Login("http://a", "ta"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert embedded.configured() == embedded.Target("http://a", "ta", "login")
    monkeypatch.setenv("STARFORGE_URL", "http://b/")
    assert embedded.configured() == embedded.Target("http://b", None, "environment")
    monkeypatch.setenv("STARFORGE_TOKEN", "tb")
    assert embedded.configured() == embedded.Target("http://b", "tb", "environment")
    monkeypatch.delenv("STARFORGE_TOKEN")
    monkeypatch.setenv("STARFORGE_URL", "http://a")
    assert embedded.configured() == embedded.Target("http://a", "ta", "environment")


def test_login_file_lives_and_dies() -> None:
    assert read_login() is None and forget_login() is None
    write_login(Login("http://a", "t"))
    assert forget_login() == Login("http://a", "t")
    assert not config_file().exists()


@pytest.mark.parametrize("text", ["", "[]", '{"url": 1}'])
def test_a_broken_login_file(text: str) -> None:
    config_file().parent.mkdir(parents=True)
    config_file().write_text(text)
    with pytest.raises(StarForgeError) as raised:
        read_login()
    assert str(config_file()) in raised.value.render("en")


def test_what_a_server_said_before_it_ended() -> None:
    assert _split(["warning: x", "error: busy", "take another"]) == ("busy", "take another")
    assert _split(["错误：忙"]) == ("忙", "")
    assert _split(["Traceback", "ValueError: x"]) == ("ValueError: x", "")
    assert _split([]) == ("", "")

"""The home: folders, secrets, the lock, server.json."""

import errno
import json
import os

import pytest

from starforge.errors import StarForgeError
from starforge.home import starforge_home
from starforge.server.auth import Tokens
from starforge.server.home import (
    HomeLock,
    home_error,
    prepare_home,
    read_server_file,
    remove_server_file,
    secret_file,
    write_server_file,
)
from starforge.server.settings import Settings


def test_secrets_are_made_once_and_private(tmp_path):
    path = tmp_path / "token"
    first = secret_file(path)
    assert len(first) > 30 and secret_file(path) == first
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["token"]


def test_tokens_open_their_own_door_only(tmp_path):
    tokens = Tokens(tmp_path)
    user = (tmp_path / "token").read_text().strip()
    tokens.require_user(f"Bearer {user}")
    tokens.require_user(f"bearer {user}")
    tokens.require_job(f"Bearer {tokens.job_token('a')}", "a")
    assert Tokens(tmp_path).job_token("a") == tokens.job_token("a") != tokens.job_token("b")
    for header in (None, "", user, f"Basic {user}", "Bearer ", "Bearer x", f"Bearer {user}x"):
        with pytest.raises(StarForgeError) as refused:
            tokens.require_user(header)
        assert refused.value.status == 401 and refused.value.exit_code == 4
    for header, job in ((f"Bearer {user}", "a"), (f"Bearer {tokens.job_token('b')}", "a")):
        with pytest.raises(StarForgeError):
            tokens.require_job(header, job)
    with pytest.raises(StarForgeError):
        tokens.require_user(f"Bearer {tokens.job_token('a')}")


def test_one_lock_a_home(settings):
    lock, other = HomeLock(settings), HomeLock(settings)
    lock.acquire()
    write_server_file(settings, "http://127.0.0.1:1", 5.0)
    with pytest.raises(StarForgeError, match="already runs") as refused:
        other.acquire()
    assert "http://127.0.0.1:1" in refused.value.message.zh
    lock.release()
    other.acquire()
    other.release()


def test_server_json_is_whole_and_removed_only_by_its_owner(settings):
    write_server_file(settings, "http://h:1", 5.0)
    known = read_server_file(settings.server_file)
    assert known is not None and known["pid"] == os.getpid() and known["url"] == "http://h:1"
    settings.server_file.write_text(json.dumps({**known, "pid": 1}))
    remove_server_file(settings)
    assert settings.server_file.exists()
    write_server_file(settings, "http://h:1", 5.0)
    remove_server_file(settings)
    assert not settings.server_file.exists()
    settings.server_file.write_text("{half")
    assert read_server_file(settings.server_file) is None


def test_a_home_that_can_not_be_made_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StarForgeError) as refused:
        prepare_home(Settings(home=tmp_path / "file" / "home"))
    assert refused.value.code == "server/home-unwritable"
    assert "STARFORGE_HOME" in refused.value.hint.zh
    full = home_error(tmp_path, OSError(errno.ENOSPC, "No space left on device"))
    assert full.code == "server/no-space"


def test_settings_come_from_arguments_then_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("STARFORGE_HOME", str(tmp_path))
    monkeypatch.setenv("STARFORGE_PORT", "1234")
    monkeypatch.setenv("STARFORGE_ALLOWED_HOSTS", " A.example , b ")
    assert starforge_home() == tmp_path
    made = Settings.from_env()
    assert (made.home, made.port, made.host) == (tmp_path, 1234, "127.0.0.1")
    assert made.allowed_hosts == {"a.example", "b"}
    assert Settings.from_env(port=1, host="::1", home=tmp_path / "x").port == 1
    monkeypatch.setenv("STARFORGE_CPUS", "many")
    with pytest.raises(StarForgeError, match="STARFORGE_CPUS") as refused:
        Settings.from_env()
    assert refused.value.exit_code == 2

"""Cookies and codes by themselves."""

import json

import pytest

from starforge.errors import StarForgeError
from starforge.server.sessions import CODES_KEPT, SESSION_SECONDS, Sessions


@pytest.fixture
def now():
    return [1_000_000.0]


@pytest.fixture
def sessions(tmp_path, now):
    return Sessions(tmp_path, "token", clock=lambda: now[0])


def test_a_session_ends_by_itself(sessions, now):
    session, value = sessions.start()
    assert sessions.find(value) == session
    now[0] += SESSION_SECONDS
    assert sessions.find(value) is None


@pytest.mark.parametrize(
    "value",
    [None, "", ".", "..", "a.b.c", "a.1.b", "a.-1.b", "a.١.b", "a." + "9" * 400 + ".b", "a.1.b.c"],
)
def test_what_is_no_cookie_of_ours(sessions, value):
    assert sessions.find(value) is None


def test_nothing_of_a_cookie_can_be_changed(sessions):
    _, value = sessions.start()
    ident, expires, signature = value.split(".")
    assert sessions.find(f"{ident}x.{expires}.{signature}") is None
    assert sessions.find(f"{ident}.{int(expires) + 1}.{signature}") is None
    assert sessions.find(f"{ident}.{expires}.{signature[:-1]}") is None
    assert sessions.find(f"{ident}.{expires}.é") is None


def test_a_new_token_ends_all_sessions(sessions, tmp_path, now):
    _, value = sessions.start()
    assert Sessions(tmp_path, "token", clock=lambda: now[0]).find(value) is not None
    assert Sessions(tmp_path, "other", clock=lambda: now[0]).find(value) is None


def test_servers_of_one_machine_have_cookies_of_their_own(sessions, tmp_path):
    (tmp_path / "b").mkdir()
    assert Sessions(tmp_path / "b", "token").cookie != sessions.cookie


def test_ended_sessions_are_forgotten_when_they_would_have_expired(sessions, tmp_path, now):
    first, _ = sessions.start()
    sessions.end(first)
    now[0] += SESSION_SECONDS + 1
    second, _ = sessions.start()
    sessions.end(second)
    assert list(json.loads((tmp_path / "sessions-ended.json").read_text())) == [second.id]


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"a": "b"}'])
def test_a_damaged_list_of_ended_sessions_is_read_as_far_as_it_goes(tmp_path, content):
    (tmp_path / "sessions-ended.json").write_text(content)
    made = Sessions(tmp_path, "token")
    assert made.find(made.start()[1]) is not None


def test_codes_do_not_pile_up(sessions):
    first = sessions.new_code()
    codes = [sessions.new_code() for _ in range(CODES_KEPT)]
    with pytest.raises(StarForgeError):
        sessions.redeem(first)
    sessions.redeem(codes[0])

"""Signing in from a browser, and what its cookie is good for."""

from http.cookies import SimpleCookie

import pytest
from starlette.testclient import TestClient

from starforge.server.app import create_app
from starforge.server.core import open_core

SESSION = "/api/v1/session"


def code_of(answer) -> str:
    return answer.json()["error"]["code"]


def test_a_link_signs_in_once(anybody, user):
    made = user.post(f"{SESSION}/code")
    assert made.status_code == 201
    code = made.json()["code"]
    assert made.json()["path"] == f"/login#code={code}"
    first = anybody.post(SESSION, json={"code": code})
    assert first.status_code == 200
    assert first.json()["via"] == "cookie"
    anybody.cookies.clear()
    again = anybody.post(SESSION, json={"code": code})
    assert (again.status_code, code_of(again)) == (401, "auth/used-code")
    assert "set-cookie" not in again.headers


def test_a_code_expires(anybody, core, monkeypatch):
    code = core.sessions.new_code()
    monkeypatch.setattr("starforge.server.sessions.time.monotonic", lambda: 1e12)
    refused = anybody.post(SESSION, json={"code": code})
    assert (refused.status_code, code_of(refused)) == (401, "auth/used-code")


def test_codes_are_for_those_who_have_the_token(anybody):
    assert anybody.post(f"{SESSION}/code").status_code == 401


@pytest.mark.parametrize("body", [{}, {"code": "a", "token": "b"}, {"code": "x", "extra": 1}])
def test_one_of_code_and_token_is_given(anybody, body):
    assert anybody.post(SESSION, json=body).status_code == 400


@pytest.mark.parametrize("token", ["", "wrong", "令牌", "a b"])
def test_a_wrong_token_signs_nobody_in(anybody, token):
    answer = anybody.post(SESSION, json={"token": token})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(anybody, core):
    answer = anybody.post(SESSION, json={"token": core.tokens.user})
    (cookie,) = SimpleCookie(answer.headers["set-cookie"]).values()
    assert cookie.key == core.sessions.cookie
    assert cookie["httponly"]
    assert cookie["samesite"] == "strict"
    assert cookie["path"] == "/"
    assert not cookie["secure"]  # http
    assert core.tokens.user not in answer.headers["set-cookie"]


def test_behind_https_the_cookie_stays_there(core):
    with TestClient(create_app(core), base_url="https://127.0.0.1:7827") as made:
        answer = made.post(SESSION, json={"token": core.tokens.user})
    assert "Secure" in answer.headers["set-cookie"]


def test_who_asks(anybody, user, page):
    assert anybody.get(SESSION).status_code == 401
    assert user.get(SESSION).json()["via"] == "token"
    assert page.get(SESSION).json()["expires_at"] is not None


def test_changes_with_a_cookie_come_from_our_page(page, core):
    url = "/api/v1/token/check"
    assert page.post(url).status_code == 204
    for missing in ("Origin", "X-StarForge"):
        headers = {name: value for name, value in page.headers.items() if name != missing.lower()}
        cookies = {core.sessions.cookie: page.cookies[core.sessions.cookie]}
        with TestClient(create_app(core), base_url=str(page.base_url), cookies=cookies) as other:
            other.headers = headers
            refused = other.post(url)
            assert (refused.status_code, code_of(refused)) == (403, "auth/not-from-console")
            assert other.get("/api/v1/jobs").status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:8000", "null"])
def test_a_foreign_page_is_refused_whatever_it_carries(page, origin):
    for path in ("/api/v1/token/check", SESSION):
        refused = page.post(path, headers={"Origin": origin}, json={"code": "x"})
        assert (refused.status_code, code_of(refused)) == (403, "auth/foreign-request")


def test_signing_out_ends_the_session_for_good(page, core):
    value = page.cookies[core.sessions.cookie]
    assert page.delete(SESSION).status_code == 204
    assert core.sessions.cookie not in page.cookies
    page.cookies.set(core.sessions.cookie, value)
    assert page.get(SESSION).status_code == 401
    again = open_core(core.settings)
    try:
        assert again.sessions.find(value) is None
    finally:
        again.db.close()


def test_a_session_outlives_a_restart(page, core):
    again = open_core(core.settings)
    try:
        found = again.sessions.find(page.cookies[core.sessions.cookie])
    finally:
        again.db.close()
    assert found is not None


def test_a_wrong_token_is_not_saved_by_a_cookie(page):
    assert page.get("/api/v1/jobs", headers={"Authorization": "Bearer wrong"}).status_code == 401


def test_data_never_runs(user):
    answer = user.get("/api/v1/jobs")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"

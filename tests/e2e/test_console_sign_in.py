"""A browser's first visit: the link of `sf`, the cookie, live updates, a restart."""

import http.client
import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.e2e
SESSION = "/api/v1/session"


class Browser:
    """As much of a browser as signing in needs: it keeps the cookie and says where it is."""

    def __init__(self, server):
        self.host = server.url.removeprefix("http://")
        self.cookie = None

    def open(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.host, timeout=10)
        headers = {"Origin": f"http://{self.host}", "X-StarForge": "console"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        if given := answer.getheader("Set-Cookie"):
            self.cookie = given.partition(";")[0]
        return connection, answer

    def ask(self, method, path, body=None):
        connection, answer = self.open(method, path, body)
        text = answer.read()
        connection.close()
        return answer.status, text


def sf(server, *arguments):
    env = os.environ | server.env | {"STARFORGE_HOME": str(server.home), "SF_LANG": "en"}
    env = {name: value for name, value in env.items() if name not in ("DISPLAY", "BROWSER")}
    done = subprocess.run(
        [sys.executable, "-m", "starforge.cli.main", *arguments],
        env=env, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout


def test_the_links_of_sf_sign_a_browser_in(server):
    links = [sf(server, "status").split()[-1], sf(server, "open").split()[-1]]
    links.append(json.loads(sf(server, "open", "--print", "--json"))["url"])
    for link in links:
        assert link.startswith(server.url)
        browser = Browser(server)
        assert browser.ask("GET", SESSION)[0] == 401
        code = link.partition("#code=")[2]
        assert browser.ask("POST", SESSION, {"code": code})[0] == 200
        assert browser.ask("GET", "/api/v1/server")[0] == 200
        assert Browser(server).ask("POST", SESSION, {"code": code})[0] == 401
        assert code not in server.home.joinpath("server.log").read_text()


def test_live_updates_come_with_the_cookie_and_the_session_outlives_the_server(server):
    browser = Browser(server)
    link = sf(server, "open")
    assert browser.ask("POST", SESSION, {"code": link.strip().partition("#code=")[2]})[0] == 200
    connection, answer = browser.open("GET", "/api/v1/events")
    assert (answer.status, answer.getheader("Content-Type").split(";")[0]) == (
        200,
        "text/event-stream",
    )
    connection.close()
    server.stop()
    server.start()
    browser.host = server.url.removeprefix("http://")
    assert browser.ask("GET", SESSION)[0] == 200
    assert browser.ask("DELETE", SESSION)[0] == 204

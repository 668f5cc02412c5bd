"""Reading JSON without the client, and through it when anything is out of the ordinary."""

import subprocess
import sys

import pytest

from starforge.client.embedded import Target
from starforge.client.light import get_json
from starforge.errors import ExitCode, StarForgeError


def test_what_is_asked_and_answered(peer):
    seen = {}

    def answer(method, path, headers, body):
        seen.update(path=path, token=headers["Authorization"], lang=headers["Accept-Language"])
        return 200, {"jobs": []}

    one = peer(answer)
    target = Target(f"{one.url}/", "secret", "embedded")
    params = {"state": "", "search": "a b&c", "size": 50, "lab": None}
    assert get_json(target, "/jobs", params) == {"jobs": []}
    assert seen == {
        "path": "/api/v1/jobs?search=a+b%26c&size=50", "token": "Bearer secret", "lang": "en",
    }  # fmt: skip
    assert get_json(Target(one.url, None, "environment"), "/jobs") == {"jobs": []}
    assert seen["token"] is None


def test_a_refusal_is_said_as_the_client_says_it(peer):
    error = {"code": "job/not-found", "message": "no such job", "hint": "look"}
    one = peer(lambda *_: (404, {"error": error}))
    with pytest.raises(StarForgeError) as refused:
        get_json(Target(one.url, "secret", "embedded"), "/jobs/x")
    assert (refused.value.code, refused.value.message.en) == ("job/not-found", "no such job")


def test_a_server_that_is_away_is_said_as_the_client_says_it():
    with pytest.raises(StarForgeError) as away:
        get_json(Target("http://127.0.0.1:9", None, "embedded"), "/jobs")
    assert away.value.exit_code == ExitCode.UNREACHABLE


def test_neither_the_client_nor_what_it_needs_is_loaded():
    """The commands that use this must not pay for them; no timing is needed to see it."""
    code = "import starforge.client.light, sys; print(*sys.modules)"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(made.stdout.split())
    assert not loaded & {"httpx2", "pydantic", "starforge.client.client", "rich", "yaml"}

"""The client against a small HTTP server that answers what a test wants."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from starforge.client.client import Client
from starforge.client.errors import FindingsError
from starforge.client.follow import follow
from starforge.client.probe import health
from starforge.errors import ExitCode, StarForgeError
from starforge.lang import set_lang


@pytest.mark.parametrize(
    ("status", "exit_code"),
    [
        (400, ExitCode.NOT_FINE),
        (401, ExitCode.NOT_ALLOWED),
        (403, ExitCode.NOT_ALLOWED),
        (404, ExitCode.NOT_FINE),
        (409, ExitCode.NOT_FINE),
        (500, ExitCode.NOT_FINE),
        (503, ExitCode.UNREACHABLE),
    ],
)
def test_refusals_keep_their_text(peer, refusal, status: int, exit_code: ExitCode) -> None:
    client = Client(peer(lambda *_: refusal(status)).url, "t")
    with pytest.raises(StarForgeError) as raised:
        client.jobs.get("x")
    error = raised.value
    assert (error.code, error.exit_code, error.status) == ("a/b", exit_code, status)
    assert error.render() == "no\ndo"


def test_findings_come_with_the_refusal(peer, refusal) -> None:
    finding = {"code": "x/y", "severity": "error", "message": "m"}
    client = Client(peer(lambda *_: refusal(422, findings=[finding])).url, "t")
    with pytest.raises(FindingsError) as raised:
        client.jobs.get("x")
    assert raised.value.findings == [finding]


def test_token_language_and_quoting(peer, refusal) -> None:
    seen = {}

    def answer(_method: str, path: str, headers: Any, _body: bytes) -> tuple[int, Any]:
        seen.update(path=path, auth=headers["Authorization"], lang=headers["Accept-Language"])
        return refusal(404)

    client = Client(peer(answer).url + "/", "secret")
    set_lang("zh")
    with pytest.raises(StarForgeError):
        client.jobs.get("a/b c")
    assert seen == {"path": "/api/v1/jobs/a%2Fb%20c", "auth": "Bearer secret", "lang": "zh"}


def test_what_is_no_starforge(peer, refusal) -> None:
    for answer in ((200, {"hello": 1}), (500, [])):
        client = Client(peer(lambda *_, a=answer: a).url, "t")
        with pytest.raises(StarForgeError) as raised:
            client.server()
        assert raised.value.code == "client/not-starforge"
        assert raised.value.exit_code == ExitCode.UNREACHABLE


def test_nothing_listens() -> None:
    with pytest.raises(StarForgeError) as raised:
        Client("http://127.0.0.1:9", "t").server()
    assert raised.value.code == "client/server-away"


def test_a_server_that_does_not_answer(peer, refusal) -> None:
    gate = threading.Event()

    def answer(*_: object) -> tuple[int, Any]:
        gate.wait(5)
        return 200, {}

    client = Client(peer(answer).url, "t", timeout=0.2)
    with pytest.raises(StarForgeError) as raised:
        client.server()
    gate.set()
    assert raised.value.code == "client/timeout"
    assert raised.value.exit_code == ExitCode.UNREACHABLE


def test_proxies_never_stand_before_this_machine(
    peer, refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    client = Client(peer(lambda *_: (200, [])).url, "t")
    assert client.benchmarks() == []


def test_health(peer, refusal) -> None:
    assert health(peer(lambda *_: (200, {"status": "ok", "version": "1.2"})).url) == "1.2"
    assert health("http://127.0.0.1:9") is None
    with pytest.raises(ValueError):
        health(peer(lambda *_: (200, [])).url)
    with pytest.raises(ValueError):
        health("ftp://x")


def events(*names: str, start: int = 0) -> bytes:
    return b"".join(
        f"id: {start + n}\nevent: {name}\ndata: {{}}\n\n".encode() for n, name in enumerate(names)
    )


def test_follow_reconnects_where_it_was(peer, refusal) -> None:
    """The first connection ends without ``end``; the second goes on after the last id."""
    paths = []

    def answer(_method: str, path: str, *_: object) -> tuple[int, Any]:
        paths.append(path)
        if len(paths) == 1:
            return 200, events("line", "line")
        if len(paths) == 2:
            return refusal(503)
        return 200, events("line", "end", start=2)

    client = Client(peer(answer).url, "t")
    pauses: list[float] = []
    got = list(
        follow(
            client.http,
            "/x",
            {"tail": 5},
            lambda message: {"from_line": int(message.id) + 1},
            pause=pauses.append,
        )
    )
    assert [message.id for message in got] == ["0", "1", "2"]
    assert [path.partition("?")[2] for path in paths] == ["tail=5", "from_line=2", "from_line=2"]
    assert len(pauses) == 2


def test_follow_gives_up_at_once_on_a_refusal_and_in_time_on_silence(peer, refusal) -> None:
    client = Client(peer(lambda *_: refusal(404)).url, "t")
    with pytest.raises(StarForgeError) as raised:
        list(follow(client.http, "/x", {}, lambda _: {}))
    assert raised.value.status == 404
    away = Client("http://127.0.0.1:9", "t")
    with pytest.raises(StarForgeError) as gone:
        list(follow(away.http, "/x", {}, lambda _: {}, patience=0, pause=lambda _: None))
    assert gone.value.code == "client/server-away"


def test_a_server_that_began_again_elsewhere_is_found_there(peer) -> None:
    there = peer(lambda *_: (200, [])).url
    client = Client("http://127.0.0.1:9", "t", locate=lambda: there)
    with pytest.raises(StarForgeError) as raised:
        client.benchmarks()
    assert "127.0.0.1:9" in raised.value.render(), "the address that did not answer"
    assert client.benchmarks() == [] and client.url == there


@pytest.mark.parametrize("now_at", ["elsewhere", None])
def test_a_strangers_refusal_at_our_old_address_is_no_refusal(peer, refusal, now_at) -> None:
    """Another program may listen where the server was; our token means nothing to it."""
    elsewhere = peer(lambda *_: (200, [])).url if now_at else None
    stranger = peer(lambda *_: refusal(401)).url
    client = Client(stranger, "t", locate=lambda: elsewhere)
    with pytest.raises(StarForgeError) as raised:
        client.benchmarks()
    assert (raised.value.code, raised.value.exit_code) == (
        "client/server-away",
        ExitCode.UNREACHABLE,
    )
    assert stranger in raised.value.render()
    assert client.url == (elsewhere or stranger)


def test_a_refusal_of_the_server_itself_stays_one(peer, refusal) -> None:
    url = peer(lambda *_: refusal(401)).url
    with pytest.raises(StarForgeError) as raised:
        Client(url, "t", locate=lambda: url).benchmarks()
    assert raised.value.exit_code == ExitCode.NOT_ALLOWED


def test_follow_goes_on_where_the_server_is_by_now(peer, refusal) -> None:
    # The connection ends, for the server dies; then a stranger has its port.
    answers = iter([(200, events("line")), refusal(401)])
    first = peer(lambda *_: next(answers)).url
    second = peer(lambda *_: (200, events("line", "end", start=1))).url
    client = Client(first, "t", locate=lambda: second)
    got = list(follow(client.http, "/x", {}, lambda _: {}, pause=lambda _: None))
    assert [message.id for message in got] == ["0", "1"]

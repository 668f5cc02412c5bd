"""The judge against a real HTTP server on this machine."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from starforge.checks.reward_problems import problem_of
from starforge.rewards import JudgeError, judge, judge_http
from starforge.rewards.judge import read_score


class Judge(ThreadingHTTPServer):
    """Answers what ``script`` says in turn, its last entry for good: text, or (status, body)."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, *script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.requests: list[dict] = []
        self.keys: list[str | None] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.requests.append(body)
            server.keys.append(self.headers.get("Authorization"))
            turn = server.script.pop(0) if len(server.script) > 1 else server.script[0]
        if isinstance(turn, float):
            time.sleep(turn)
            turn = "late"
        status, data = turn if isinstance(turn, tuple) else (200, completion(turn))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def completion(text: str) -> bytes:
    return json.dumps({"choices": [{"message": {"content": text}}]}).encode()


@pytest.fixture
def serve(monkeypatch):
    servers = []
    for name in ("URL", "MODEL", "KEY", "OFF"):
        monkeypatch.delenv(f"STARFORGE_JUDGE_{name}", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(judge_http, "FIRST_PAUSE", 0.001)

    def serve(*script):
        server = Judge(*script)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        monkeypatch.setenv("STARFORGE_JUDGE_URL", server.url)
        monkeypatch.setenv("STARFORGE_JUDGE_MODEL", "wise")
        return server

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def ask(tmp_path):
    def ask(*completions, **more):
        rows = list(completions) or ["yes"]
        given = {"rubric": "Be right.", "cache": tmp_path / "cache"} | more
        return judge(["q?"] * len(rows), rows, **given)

    return ask


def test_scores_and_what_the_judge_is_told(serve, ask, monkeypatch, tmp_path):
    server = serve('Fine.\n{"score": 7}')
    monkeypatch.setenv("STARFORGE_JUDGE_KEY", "k")
    rubric = tmp_path / "rubric.md"
    rubric.write_text("- 10: short")
    prompt = [{"role": "user", "content": "2 + 2?"}]
    found = judge([prompt], ["4"], rubric, reference=["four"], cache=tmp_path / "c")
    assert found == [0.7]
    (request,) = server.requests
    assert (request["model"], server.keys) == ("wise", ["Bearer k"])
    system, user = (turn["content"] for turn in request["messages"])
    assert system.endswith("Rubric:\n- 10: short")
    assert all(part in user for part in ("user: 2 + 2?", "four", "Answer to judge:\n4"))


def test_the_same_answer_is_judged_once(serve, ask, tmp_path):
    server = serve('{"score": 5}')
    assert ask("a", "b", workers=2) == [0.5, 0.5]
    assert ask("b", "a") == [0.5, 0.5]
    assert len(server.requests) == 2
    assert ask("a", rubric="Be kind.") == [0.5]
    assert ask("a", model="other") == [0.5]
    assert len(server.requests) == 4
    for path in (tmp_path / "cache").rglob("*.json"):
        path.write_text("broken")
    assert ask("a") == [0.5]
    assert len(server.requests) == 5


def test_a_busy_judge_is_asked_again(serve, ask):
    server = serve((503, b"busy"), (429, b"slow down"), '{"score": 10}')
    assert ask() == [1.0]
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        ("I'd rather not say.", 'answered without a score: "I\'d rather not say."'),
        ('{"score": 11}', "answered without a score"),
        ((200, b"<html>hello"), "something else than a completion: '<html>hello'"),
        ((500, b"broken"), "answered 500: broken"),
    ],
)
def test_nonsense_is_an_error_after_all_tries(serve, ask, turn, said):
    server = serve(turn)
    with pytest.raises(JudgeError) as caught:
        ask(retries=2)
    assert said in str(caught.value)
    assert f"the judge wise at {server.url}" in str(caught.value)
    assert "(3 tries)" in str(caught.value)
    assert len(server.requests) == 3


def test_a_refusal_is_an_error_at_once(serve, ask):
    server = serve((401, b"bad key"))
    with pytest.raises(JudgeError, match="answered 401: bad key"):
        ask()
    assert len(server.requests) == 1


def test_a_judge_that_is_away_or_does_not_answer(serve, ask):
    server = serve(5.0)
    with pytest.raises(JudgeError, match=r"did not answer within 0\.05 s"):
        ask(timeout=0.05, retries=0)
    server.shutdown()
    server.server_close()
    with pytest.raises(JudgeError, match="is away"):
        ask(retries=1)


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        ("I'd rather not say.", '的回答里没有评分："I\'d rather not say."（试了 1 次）'),
        ((200, b"<html>hello"), "返回的不是补全结果：'<html>hello'（试了 1 次）"),
        ((500, b"broken"), "返回 500: broken（试了 1 次）"),
        ((401, b"bad key"), "返回 401: bad key"),
        (5.0, "在 0.05 秒内没有回答（试了 1 次）"),
        (None, "联系不上：[Errno 111] Connection refused（试了 1 次）"),
    ],
)
def test_what_a_judge_did_is_told_in_both_languages(serve, ask, turn, said):
    server = serve(turn)
    if turn is None:
        server.shutdown()
        server.server_close()
    with pytest.raises(JudgeError) as caught:
        ask(retries=0, timeout=0.05 if turn == 5.0 else 5.0)
    problem = problem_of(f"reward.py raised JudgeError: {caught.value}", "reward.py")
    where = f"{server.url} 上的评判模型 wise "
    assert problem.text.zh == where + said
    assert problem.text.en == str(caught.value)
    assert "default=0.0" in problem.hint.en


def test_a_default_stands_in_and_is_not_kept(serve, ask, capsys):
    serve("nonsense", '{"score": 4}')
    assert ask(retries=0, default=0.25) == [0.25]
    assert "0.25 is taken instead" in capsys.readouterr().err
    assert ask(retries=0, default=0.25) == [0.4]


def test_settings_that_lack_or_are_wrong(serve, ask, monkeypatch, tmp_path):
    serve("unused")
    with pytest.raises(JudgeError, match=r"rubric .*none\.md can't be read"):
        ask(rubric=tmp_path / "none.md")
    with pytest.raises(JudgeError, match="rubric is empty"):
        ask(rubric=" ")
    with pytest.raises(JudgeError, match="http:// or https://"):
        ask(url="file:///etc/passwd")
    monkeypatch.delenv("STARFORGE_JUDGE_URL")
    with pytest.raises(JudgeError, match="set STARFORGE_JUDGE_URL where the server starts"):
        ask()
    monkeypatch.setenv("STARFORGE_JUDGE_OFF", "1")
    with pytest.raises(judge_http.JudgeOffError):
        ask()


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"score": 7.5}', 0.75), ('{"score": 1} no, {"score": "3"}', 0.3), ("8", 0.8),
        ("8/10", 0.8), ("about 8", None), ('{"score": -1}', None), ("", None),
    ],
)  # fmt: skip
def test_scores_are_read(text, score):
    assert read_score(text) == score

"""The runner ships what the job writes, with a server that comes, goes and asks to stop."""

from ingest_server import IngestServer
from runner_attempt import PYTHON, bash, summary

from starforge import layout


def test_progress_shows_in_the_status(attempt, until):
    attempt.launch(
        [PYTHON, "-c", "import time; from starforge import report\n"
         "report.init(total_steps=4)\nfor s in range(4): report.log({'loss': 1.0})\n"
         "time.sleep(2)"]
    ).start()  # fmt: skip
    until(lambda: attempt.status().get("progress") == {"step": 4, "total": 4})
    assert attempt.status()["state"] == "running"
    assert attempt.wait()["state"] == "succeeded"


def test_everything_is_shipped_before_the_end_is_written(attempt, server):
    row = """echo '{"t":1,"s":7,"v":{"loss":1}}' >> metrics/a.jsonl"""
    script = f"for i in 1 2 3; do echo line $i; done; {row}"
    status = attempt.launch(bash(script), server=server.url).run()
    assert status["state"] == "succeeded"
    assert server.streams["logs/trainer-0.log"] == b"line 1\nline 2\nline 3\n"
    assert b'"s":7' in server.streams["metrics/a.jsonl"]
    assert server.streams["metrics/system.jsonl"].count(b"\n") >= 1
    states = [beat["state"] for beat in server.heartbeats]
    assert states[-1] == "succeeded"
    assert set(states) <= {"starting", "running", "succeeded"}


def test_the_server_can_ask_to_stop(attempt, server, until):
    attempt.launch(bash("echo up; exec sleep 60"), server=server.url).start()
    until(attempt.is_up)
    server.desired = "stop"
    assert summary(attempt.wait())[:2] == ("stopped", "stopped_by_user")


def test_the_server_goes_away_and_comes_back(attempt, server, until):
    attempt.launch(
        bash("for i in $(seq 60); do echo line $i; sleep 0.05; done"), server=server.url
    ).start()
    until(lambda: server.streams.get("logs/trainer-0.log"))
    server.close()
    until(lambda: "line 45" in attempt.log())
    assert attempt.status()["state"] == "running"
    back = IngestServer(server.port)
    back.streams = server.streams
    try:
        assert attempt.wait()["state"] == "succeeded"
        lines = back.streams["logs/trainer-0.log"].decode().splitlines()
        assert lines == [f"line {n}" for n in range(1, 61)]
        assert back.heartbeats[-1]["state"] == "succeeded"
    finally:
        back.close()


def test_a_server_that_never_comes_back_does_not_hold_the_end(attempt):
    status = attempt.launch(
        bash("echo hi"), server="http://127.0.0.1:9", ship_timeout=0.5
    ).run()  # fmt: skip
    assert status["state"] == "succeeded"
    assert "stays in the folder" in (attempt.dir / layout.RUNNER_LOG).read_text()


def test_a_stop_while_shipping_cuts_it_short(attempt, until):
    attempt.launch(bash("echo hi"), server="http://127.0.0.1:9", ship_timeout=600).start()
    until((attempt.dir / "metrics/system.jsonl").exists, "the last sample")
    attempt.runner.terminate()
    assert summary(attempt.wait()) == ("succeeded", "completed", 0)

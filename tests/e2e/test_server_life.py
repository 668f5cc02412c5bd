"""The server process: crashes, restarts, refusals, bad surroundings."""

import http.client
import json
import os
import shutil
import signal
import socket
import time
from pathlib import Path

import pytest
from e2e_harness import free_port, processes_of, send, wait_ended, wait_for, wait_state

from starforge.errors import StarForgeError

pytestmark = pytest.mark.e2e

STEADY = """
"$STARFORGE_PYTHON" - <<'PY'
import time
from starforge import report
report.init(total_steps=80)
for step in range(1, 81):
    report.log({"loss": float(step)}, step=step)
    print("line", step, flush=True)
    time.sleep(0.1)
report.finish()
PY
"""


def refused(server, *arguments):
    process = server.popen(*arguments)
    code = process.wait(timeout=20)
    text = process.stderr.read()
    process.stderr.close()
    assert "Traceback" not in text, text
    return code, text


def ask(server, method, path, headers=None, body=None):
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_it_starts_and_leaves_cleanly(servers):
    server = servers().start()
    assert (server.home / "token").stat().st_mode & 0o777 == 0o600
    assert ask(server, "GET", "/healthz")[0] == 200
    with server.client() as client:
        about = client.server()
    assert (about.home, about.url, about.pid) == (str(server.home), server.url, server.process.pid)
    assert server.stop() == 0
    assert not (server.home / "server.json").exists()


def test_a_killed_server_loses_nothing_and_doubles_nothing(servers, experiment):
    server = servers().start()
    client = server.client()
    job = send(client, experiment(STEADY))
    wait_for(lambda: len(client.jobs.logs(job.id).lines) > 20)
    server.kill()
    time.sleep(1.5)  # the job goes on meanwhile
    server.start()  # on another port: the runner finds it
    client = server.client()
    assert client.jobs.get(job.id).state == "running"
    done = wait_ended(client, job.id)
    assert (done.state, len(done.attempts)) == ("succeeded", 1)
    lines = [line.text for line in client.jobs.logs(job.id, limit=1000).lines]
    assert lines == [f"line {n}" for n in range(1, 81)]
    curve = client.jobs.metrics(job.id, names=["loss"])["loss"]
    assert curve.step == list(range(1, 81))
    assert curve.value == [float(n) for n in range(1, 81)]


def test_a_job_that_ends_while_the_server_is_away_is_whole_after(servers, experiment):
    server = servers().start()
    client = server.client()
    job = send(client, experiment("for i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done"))
    wait_state(client, job.id, "running")
    server.kill()
    os.kill(runner_pid(server, job.id), signal.SIGKILL)  # not even the runner is left
    wait_for(lambda: not runner_alive(server, job.id))
    time.sleep(2.5)
    server.start()
    client = server.client()
    done = wait_ended(client, job.id, patience=30)
    assert (done.state, done.reason) == ("failed", "runner_lost")
    assert [line.text for line in client.jobs.logs(job.id).lines] == list("123456")
    assert not processes_of(server.home)


def test_a_killed_runner_is_noticed_and_nothing_stays(server, client, experiment):
    job = send(client, experiment("sleep 300 &\n(setsid sleep 301 &)\necho up\nwait"))
    wait_for(lambda: any(line.text == "up" for line in client.jobs.logs(job.id).lines))
    os.kill(runner_pid(server, job.id), signal.SIGKILL)
    done = wait_ended(client, job.id, patience=30)
    assert (done.state, done.reason) == ("failed", "runner_lost")
    wait_for(lambda: not processes_of(server.home), 5)


def runner_pid(server, job_id):
    path = server.home / "jobs" / job_id / "attempt-0" / "engine.json"
    return int(json.loads(path.read_text())["pid"])


def runner_alive(server, job_id):
    try:
        stat = Path(f"/proc/{runner_pid(server, job_id)}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_foreign_hosts_origins_and_tokens_are_refused(server):
    token = {"Authorization": f"Bearer {server.token}"}
    port = server.url.rpartition(":")[2]
    for headers, status in [
        ({"Host": "evil.example"}, 403),
        ({"Host": f"evil.example:{port}"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": server.url}, 200),
        ({"Host": f"localhost:{port}"}, 200),
        ({}, 200),
    ]:
        assert ask(server, "GET", "/api/v1/jobs", {**token, **headers})[0] == status, headers
    assert ask(server, "GET", "/api/v1/jobs")[0] == 401
    assert ask(server, "GET", "/api/v1/jobs", {"Authorization": "Bearer nonsense"})[0] == 401
    status, body = ask(server, "GET", "/api/v1/jobs", {"Accept-Language": "zh-CN"})
    assert "令牌" in json.loads(body)["error"]["message"]


def test_a_jobs_token_opens_its_ingest_and_nothing_else(server, client, experiment):
    job = send(client, experiment("sleep 300"))
    wait_state(client, job.id, "running")
    launch = server.home / "jobs" / job.id / "attempt-0" / "launch.json"
    assert launch.stat().st_mode & 0o777 == 0o600
    theirs = {"Authorization": f"Bearer {json.loads(launch.read_text())['token']}"}
    assert ask(server, "GET", f"/api/v1/ingest/{job.id}/0", theirs)[0] == 200
    assert ask(server, "GET", "/api/v1/ingest/other/0", theirs)[0] == 401
    assert ask(server, "GET", "/api/v1/jobs", theirs)[0] == 401
    mine = {"Authorization": f"Bearer {server.token}"}
    assert ask(server, "GET", f"/api/v1/ingest/{job.id}/0", mine)[0] == 401
    for path in ("launch.json", "..%2F..%2Ftoken", "logs/../status.json", "nonsense.txt"):
        status, _ = ask(server, "PUT", f"/api/v1/ingest/{job.id}/0/{path}?offset=0", theirs, b"x")
        assert status in (404, 405), path
    hidden = f"/api/v1/jobs/{job.id}/artifacts/file?path="
    for path in ("attempt-0/launch.json", "../../token", "/etc/passwd"):
        assert ask(server, "GET", hidden + path, mine)[0] == 404
    client.jobs.stop(job.id)
    wait_ended(client, job.id)


def test_a_second_server_on_one_home_is_refused(server):
    code, text = refused(server, "--port", str(free_port()))
    assert code == 1
    assert "already runs" in text and server.url in text and "sf down" in text
    assert ask(server, "GET", "/healthz")[0] == 200  # the first one is unharmed


def test_a_busy_port_is_an_error_only_when_it_was_asked_for(servers):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = servers()
        code, text = refused(server, "--port", str(port))
        assert code == 1 and str(port) in text and "--port" in text
        assert not (server.home / "server.json").exists()


def test_an_unwritable_home_is_one_clear_error(servers, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    server = servers("file/home")
    code, text = refused(server)
    assert code == 1 and str(server.home) in text and "STARFORGE_HOME" in text


def test_a_damaged_database_is_refused_and_left_alone(servers):
    server = servers()
    server.home.mkdir()
    broken = server.home / "starforge.db"
    broken.write_bytes(b"this is no database" * 1000)
    code, text = refused(server, "--port", str(free_port()))
    assert code == 1 and "starforge.db" in text
    assert broken.read_bytes() == b"this is no database" * 1000


def test_open_streams_do_not_hold_up_a_shutdown(server, client):
    token = {"Authorization": f"Bearer {server.token}"}
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
    connection.request("GET", "/api/v1/events", headers=token)
    assert connection.getresponse().status == 200
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 20
    connection.close()


def test_a_server_whose_home_was_deleted_leaves(server):
    shutil.rmtree(server.home)
    process = server.process
    wait_for(lambda: process.poll() is not None, 40)
    assert process.returncode == 0


def test_large_and_malformed_requests_are_refused(server):
    token = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    status, body = ask(server, "POST", "/api/v1/jobs", token, b'{"bundle": "x"}')
    assert status == 400 and "bundle" in json.loads(body)["error"]["message"]
    status, body = ask(server, "POST", "/api/v1/jobs", token, b"{")
    assert status == 400
    status, body = ask(server, "POST", "/api/v1/jobs", token, b" " * (9 << 20))
    assert status == 413
    digest = "0" * 64
    status, body = ask(server, "PUT", f"/api/v1/blobs/{digest}", token, b"something else")
    assert status in (400, 422), body
    assert ask(server, "HEAD", f"/api/v1/blobs/{digest}", token)[0] == 404
    assert ask(server, "GET", "/api/v1/nowhere", token)[0] == 404


def test_another_plan_than_the_printed_one_is_refused(client, experiment):
    from starforge.client import submit as module
    from starforge.lab.bundle import pack
    from starforge.prepare import prepare
    from starforge.wire.jobs import SubmitRequest

    prepared = prepare(experiment("true"))
    bundle = pack(prepared.files)
    client.blobs.put(bundle.sha256, bundle.data)
    assert module.TRIES  # the ordinary way is tested elsewhere
    request = SubmitRequest(bundle=bundle.sha256, plan_digest="0" * 64, inputs=[])
    with pytest.raises(StarForgeError) as error:
        client.jobs.submit(request)
    assert (error.value.code, error.value.status) == ("submit/plan-differs", 409)
    assert client.jobs.page().total == 0

"""Runner and trainer are killed: a true end, everything logged, and resume goes on."""

import contextlib
import json
import os
import signal
import time

import pytest
from e2e_harness import processes_of, send, wait_ended, wait_for

pytestmark = pytest.mark.e2e

TOTAL = 60
RESUMABLE = f"""
cat > "$STARFORGE_ATTEMPT_DIR/train.py" <<'PY'
import os, time
from pathlib import Path
from starforge import report
kept = Path(os.environ["STARFORGE_OUTPUT_DIR"], "checkpoints")
kept.mkdir(parents=True, exist_ok=True)
first = 1
if os.environ.get("STARFORGE_RESUME") == "1":
    first += max(int(one.name) for one in kept.iterdir())
report.init(total_steps={TOTAL})
for step in range(first, {TOTAL} + 1):
    report.log({{"loss": float(step)}}, step=step)
    print("line", step, flush=True)
    report.log_samples([{{"prompt": "p", "completion": str(step)}}], step=step)
    if step % 10 == 0:
        (kept / str(step)).mkdir(exist_ok=True)
    Path("at").write_text(str(step))
    time.sleep(0.05)
PY
cd "$STARFORGE_ATTEMPT_DIR"
"$STARFORGE_PYTHON" train.py
"""


def folder(server, job_id, attempt=0):
    return server.home / "jobs" / job_id / f"attempt-{attempt}"


def pids(server, job_id, role):
    """The runner, or the trainers (bash and Python) of attempt 0."""
    at = folder(server, job_id)
    if role == "runner":
        return [json.loads((at / "status.json").read_text())["pid"]]
    found = processes_of(server.home)
    return [int(line.split()[0]) for line in found if "starforge.runner" not in line]


def come_to(server, job_id, step):
    def there():
        with contextlib.suppress(OSError, ValueError):
            return int((folder(server, job_id) / "at").read_text()) >= step

    wait_for(there)


def what_was_written(server, job_id, attempt):
    """The steps that the attempt's own files hold: the truth, whatever the server says."""
    at = folder(server, job_id, attempt)
    rows = [json.loads(line) for file in at.glob("metrics/report-*") for line in file.open()]
    return [row["s"] for row in rows]


def has_all(client, server, job_id, attempt):
    steps = what_was_written(server, job_id, attempt)
    curve = client.jobs.metrics(job_id, names=["loss"], attempt=attempt)["loss"]
    assert curve.step == steps and curve.value == [float(step) for step in steps]
    lines = client.jobs.logs(job_id, attempt=attempt, from_line=0, limit=1000).lines
    said = [line.text for line in lines if line.text.startswith("line ")]
    assert said in ([f"line {n}" for n in steps], [f"line {n}" for n in steps[:-1]])
    samples = client.jobs.samples(job_id, attempt=attempt, limit=1000, sort="step").samples
    assert [int(one.completion) for one in samples] in (steps, steps[:-1])
    return steps


@pytest.mark.parametrize(
    ("roles", "reasons"),
    [
        (("trainer",), {"signal"}),
        (("runner",), {"runner_lost"}),
        (("runner", "trainer"), {"runner_lost"}),
        (("trainer", "runner"), {"runner_lost", "signal"}),
    ],
    ids=["trainer", "runner", "both", "both the other way round"],
)
def test_a_kill_ends_it_as_failed_and_resume_goes_on(server, client, experiment, roles, reasons):
    job = send(client, experiment(RESUMABLE))
    come_to(server, job.id, 25)
    victims = [pid for role in roles for pid in pids(server, job.id, role)]
    for pid in victims:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    killed = time.monotonic()
    failed = wait_ended(client, job.id, patience=30)
    assert time.monotonic() - killed < 30
    assert failed.state == "failed" and failed.reason in reasons
    assert failed.message
    wait_for(lambda: not processes_of(server.home), 5)
    first = has_all(client, server, job.id, 0)
    assert first == list(range(1, len(first) + 1)) and len(first) >= 25

    client.jobs.resume(job.id)
    done = wait_ended(client, job.id)
    assert (done.state, [a.state for a in done.attempts]) == ("succeeded", ["failed", "succeeded"])
    second = has_all(client, server, job.id, 1)
    begun = len(first) // 10 * 10 + 1
    assert second == list(range(begun, TOTAL + 1))
    curve = client.jobs.metrics(job.id, names=["loss"])["loss"]
    assert curve.step == list(range(1, TOTAL + 1))
    assert curve.attempt == [0] * (begun - 1) + [1] * (TOTAL + 1 - begun)
    kinds = [event.kind for event in client.jobs.events(job.id)]
    assert kinds.count("resume") == 1 and "failed" in kinds


def test_killed_while_the_server_is_away_it_is_failed_when_it_is_back(servers, experiment):
    server = servers().start()
    job = send(server.client(), experiment(RESUMABLE))
    come_to(server, job.id, 12)
    server.kill()
    come_to(server, job.id, 20)
    for role in ("runner", "trainer"):
        for pid in pids(server, job.id, role):
            os.kill(pid, signal.SIGKILL)
    server.start()
    client = server.client()
    failed = wait_ended(client, job.id, patience=30)
    assert (failed.state, failed.reason) == ("failed", "runner_lost")
    assert len(has_all(client, server, job.id, 0)) >= 20
    assert not processes_of(server.home)


def test_a_stop_of_a_lost_runner_is_a_stop(servers, experiment):
    server = servers().start()
    client = server.client()
    job = send(client, experiment(RESUMABLE))
    come_to(server, job.id, 5)
    os.kill(pids(server, job.id, "runner")[0], signal.SIGSTOP)  # it hears nothing any more
    client.jobs.stop(job.id)
    os.kill(pids(server, job.id, "runner")[0], signal.SIGKILL)
    done = wait_ended(client, job.id, patience=30)
    assert (done.state, done.reason) == ("stopped", "stopped_by_user")
    has_all(client, server, job.id, 0)
    wait_for(lambda: not processes_of(server.home), 5)

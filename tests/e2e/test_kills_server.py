"""The server is killed at every stage of a job; nothing is lost, nothing is there twice."""

import json
import threading
import time

import pytest
from e2e_harness import processes_of, send, wait_ended, wait_for

from starforge.client.submit import submit
from starforge.errors import StarForgeError
from starforge.prepare import prepare

pytestmark = pytest.mark.e2e

STEPS = 40
KNOWN = f"""
exec "$STARFORGE_PYTHON" - <<'PY'
import time
from starforge import report
report.init(total_steps={STEPS})
for step in range(1, {STEPS} + 1):
    report.log({{"loss": float(step)}}, step=step)
    print("line", step, flush=True)
    report.log_samples([{{"prompt": "p", "completion": str(step), "reward": 1.0}}])
    time.sleep(0.05)
report.finish()
PY
"""


def check_whole(client, job_id):
    """All that ``KNOWN`` writes is there exactly once, from one attempt."""
    done = wait_ended(client, job_id)
    assert (done.state, done.reason, len(done.attempts)) == ("succeeded", "completed", 1)
    steps = list(range(1, STEPS + 1))
    curve = client.jobs.metrics(job_id, names=["loss"])["loss"]
    assert (curve.step, curve.value) == (steps, [float(n) for n in steps])
    lines = [line.text for line in client.jobs.logs(job_id, from_line=0, limit=1000).lines]
    assert lines == [f"line {n}" for n in steps]
    samples = client.jobs.samples(job_id, limit=1000, sort="step").samples
    assert [sample.completion for sample in samples] == [str(n) for n in steps]


def state_of(server, job_id):
    path = server.home / "jobs" / job_id / "attempt-0" / "status.json"
    try:
        return json.loads(path.read_text())["state"]
    except (OSError, ValueError):
        return None


def reached(server, job_id, moment):
    """Say whether a job has come to a moment; looks at its folder, not at the server."""
    folder = server.home / "jobs" / job_id / "attempt-0"
    if moment == "submitted":
        return True
    if moment == "starting":
        return folder.exists()
    if moment == "launched":
        return (folder / "engine.json").exists()
    if moment == "running":
        return (folder / "progress.json").exists()
    return state_of(server, job_id) == "succeeded"


@pytest.mark.parametrize("moment", ["submitted", "starting", "launched", "running", "ended"])
def test_killed_at_any_moment_it_goes_on_where_it_was(servers, experiment, moment):
    server = servers().start()
    job = send(server.client(), experiment(KNOWN))
    wait_for(lambda: reached(server, job.id, moment), pause=0.001)
    server.kill()
    server.start()
    check_whole(server.client(), job.id)
    wait_for(lambda: not processes_of(server.home), 5)


def test_killed_again_and_again_it_still_loses_nothing(servers, experiment):
    server = servers().start()
    job = send(server.client(), experiment(KNOWN.replace("0.05", "0.1")))
    for pause in (0.2, 0.0, 0.4, 0.1):
        time.sleep(pause)
        server.kill()
        server.start()
    check_whole(server.client(), job.id)


def test_a_job_that_waits_is_still_in_the_queue_after(servers, experiment):
    server = servers(STARFORGE_CPUS="1").start()
    client = server.client()
    first = send(client, experiment(KNOWN, "first"))
    second = send(client, experiment(KNOWN, "second"))
    server.kill()
    server.start()
    client = server.client()
    check_whole(client, first.id)
    check_whole(client, second.id)


def test_a_stop_asked_for_before_the_kill_is_done_after(servers, experiment):
    server = servers().start()
    client = server.client()
    job = send(client, experiment("trap '' TERM; echo up; sleep 300 & wait; wait; sleep 300"))
    wait_for(lambda: any(line.text == "up" for line in client.jobs.logs(job.id).lines))
    client.jobs.stop(job.id)
    server.kill()
    server.start()
    done = wait_ended(server.client(), job.id)
    assert (done.state, done.reason) == ("stopped", "stopped_by_user")
    wait_for(lambda: not processes_of(server.home), 5)


def test_the_server_away_while_a_job_logs_and_ends(servers, experiment):
    server = servers().start()
    job = send(server.client(), experiment(KNOWN))
    wait_for(lambda: reached(server, job.id, "running"))
    server.kill()
    wait_for(lambda: state_of(server, job.id) == "succeeded", 90)  # the runner gave up shipping
    server.start()
    check_whole(server.client(), job.id)


def test_a_submission_whose_answer_was_lost_makes_one_job(servers, experiment):
    server = servers().start()
    prepared = prepare(experiment(KNOWN))
    first = submit(server.client(), prepared, key="the same")
    server.kill()
    server.start()
    again = submit(server.client(), prepared, key="the same")
    assert again.id == first.id
    client = server.client()
    assert client.jobs.page().total == 1
    check_whole(client, first.id)


CROWD = """
mkdir -p "{shared}/now"
touch "{shared}/now/$$"
ls "{shared}/now" | wc -l >> "{shared}/seen"
sleep 0.4
rm "{shared}/now/$$"
"""


def test_of_many_submissions_at_once_no_two_get_one_slot(servers, experiment, tmp_path):
    server = servers(STARFORGE_CPUS="2").start()
    folder = experiment(CROWD.format(shared=tmp_path / "shared"))
    prepared = prepare(folder)
    made, errors = [], []

    def one(number):
        try:  # every key comes twice, at the same moment
            made.append(submit(server.client(), prepared, key=f"key {number // 2}").id)
        except StarForgeError as error:
            errors.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(made) == 16 and len(set(made)) == 8
    client = server.client()
    assert client.jobs.page().total == 8
    assert all(wait_ended(client, job).state == "succeeded" for job in set(made))
    seen = [int(line) for line in (tmp_path / "shared" / "seen").read_text().split()]
    assert len(seen) == 8 and max(seen) == 2

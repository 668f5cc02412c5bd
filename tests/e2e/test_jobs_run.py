"""Jobs from submission to their end, over the real API."""

import time

import pytest
from e2e_harness import processes_of, send, wait_ended, wait_for, wait_state

from starforge.errors import StarForgeError

pytestmark = pytest.mark.e2e

TRAIN = """
set -e
echo "hello from $STARFORGE_JOB"
"$STARFORGE_PYTHON" - <<'PY'
from starforge import report
run = report.init(total_steps=20)
for step in range(1, 21):
    report.log({"loss": 1.0 / step, "acc": step / 20}, step=step)
report.log_samples([
    {"prompt": "2+2?", "completion": "4", "reward": 1.0, "rewards": {"right": 1.0},
     "group": "sum", "length": 1, "truncated": False},
    {"prompt": "2+2?", "completion": "4 4 4", "reward": 0.0, "group": "sum", "length": 5,
     "truncated": True},
    {"prompt": "3+3?", "completion": "6", "reward": 1.0},
], step=20)
report.log_score("toy", "acc", 0.5, stderr=0.1, items=20, settings={"shots": 0})
import os, pathlib
out = pathlib.Path(os.environ["STARFORGE_OUTPUT_DIR"]) / "model"
out.mkdir(parents=True)
(out / "config.json").write_text('{"architectures": ["Toy"]}')
report.log_artifact(out, kind="model", name="final")
report.log_artifact("/etc/hostname", name="outside")
report.finish()
PY
echo bye
"""

COUNT = """
"$STARFORGE_PYTHON" - <<'PY'
import time
from starforge import report
report.init(total_steps={steps})
for step in range(1, {steps} + 1):
    report.log({{"loss": float(step)}}, step=step)
    print("line", step, flush=True)
    time.sleep({pause})
report.finish()
PY
"""


def test_a_job_runs_to_its_end_with_all_it_reports(server, client, experiment):
    job = send(client, experiment(TRAIN), name="first")
    assert (job.name, job.method) == ("first", "custom/custom")
    done = wait_ended(client, job.id)
    assert (done.state, done.reason) == ("succeeded", "completed"), done.message
    assert done.started_at and done.ended_at and done.created_at <= done.started_at
    assert [(a.number, a.state, a.exit_code) for a in done.attempts] == [(0, "succeeded", 0)]
    assert (done.progress.step, done.progress.total) == (20, 20)
    assert done.headline == {"loss": pytest.approx(0.05)}

    curve = client.jobs.metrics(job.id, names=["loss"])["loss"]
    assert curve.step == list(range(1, 21))
    assert curve.value == [pytest.approx(1 / n) for n in range(1, 21)]
    assert curve.attempt == [0] * 20
    bucketed = client.jobs.metrics(job.id, names=["loss"], buckets=5)["loss"]
    assert len(bucketed.step) <= 5 and sum(bucketed.count) == 20

    log = client.jobs.logs(job.id)
    assert [line.text for line in log.lines] == [f"hello from {job.id}", "bye"]
    assert client.jobs.logs(job.id, search="bye").lines[0].line == 1
    assert client.jobs.samples(job.id).total == 3
    (sample,) = client.jobs.samples(job.id, group="sum", truncated=False).samples
    assert (sample.prompt, sample.completion, sample.reward, sample.step) == ("2+2?", "4", 1.0, 20)
    assert (sample.rewards, sample.group, sample.length) == ({"right": 1.0}, "sum", 1)
    longest = client.jobs.samples(job.id, sort="-length").samples
    assert [one.length for one in longest] == [5, 1, None]
    score = client.board()[0]
    assert (score.benchmark, score.metric, score.value, score.job) == ("toy", "acc", 0.5, job.id)

    outputs = {(one.kind, one.name): one for one in done.outputs}
    assert outputs["model", "final"].ref == f"job:{job.id}"
    assert ("file", "outside") not in outputs  # not in the job's folder
    model = client.models.versions("first")[0]
    assert (model.architecture, model.job) == ("Toy", job.id)
    assert any(event.kind == "submitted" for event in client.jobs.events(job.id))
    record = client.jobs.record(job.id).files
    assert "experiment/experiment.yaml" in record and "plan.json" in record
    assert client.jobs.plan(job.id)["method"] == "custom/custom"


def test_the_logs_and_events_can_be_followed(client, experiment):
    job = send(client, experiment(COUNT.format(steps=30, pause=0.05)))
    lines = [line.text for line in client.jobs.follow_logs(job.id)]
    assert lines == [f"line {n}" for n in range(1, 31)]
    kinds = [message.event for message in client.jobs.follow(job.id)]
    assert kinds == ["job"]  # it had ended by then


def test_live_events_bring_new_points(client, experiment):
    job = send(client, experiment(COUNT.format(steps=60, pause=0.05)))
    steps = []
    states = []
    for message in client.jobs.follow(job.id):
        if message.event == "metrics":
            import json

            steps += json.loads(message.data).get("loss", {}).get("step", [])
        elif message.event == "job":
            import json

            states.append(json.loads(message.data)["state"])
    assert steps and steps == sorted(steps) and len(set(steps)) == len(steps)
    assert states[-1] == "succeeded" and "running" in states


def test_a_failing_job_says_why(client, experiment):
    job = send(client, experiment("echo about to fail >&2\nexit 7\n"))
    done = wait_ended(client, job.id)
    assert (done.state, done.reason) == ("failed", "exit_code")
    assert done.attempts[0].exit_code == 7
    assert "7" in done.message and "about to fail" in done.message


def test_stop_ends_every_process(server, client, experiment):
    script = "trap '' TERM\nsleep 300 &\n(setsid sleep 301 &)\necho up\nwait\nsleep 302\n"
    job = send(client, experiment(script))
    wait_for(lambda: any(line.text == "up" for line in client.jobs.logs(job.id).lines))
    assert client.jobs.stop(job.id).state == "stopping"
    done = wait_ended(client, job.id)
    assert (done.state, done.reason) == ("stopped", "stopped_by_user")
    wait_for(lambda: not processes_of(server.home), 5)


def test_a_queued_job_says_what_it_waits_for_and_runs_then(servers, experiment):
    client = servers(STARFORGE_CPUS="1").start().client()
    first = send(client, experiment("sleep 300"), name="holder")
    wait_state(client, first.id, "running")
    second = send(client, experiment("echo ran"), name="waiter")
    waiting = wait_for(
        lambda: (found := client.jobs.get(second.id)).reason == "waiting_for_slot" and found
    )
    assert waiting.state == "queued"
    assert "holder" in waiting.message and "0 of 1" in waiting.message
    third = send(client, experiment("echo ran"), name="doomed")
    client.jobs.stop(third.id)
    assert wait_ended(client, third.id).state == "stopped"
    client.jobs.stop(first.id)
    assert wait_ended(client, second.id).state == "succeeded"


def test_a_job_that_never_fits_is_refused(client, experiment):
    with pytest.raises(StarForgeError) as refused:
        send(client, experiment("true"), profile="gpu:64")
    assert refused.value.code == "submit/never-fits"


def test_one_key_makes_one_job(client, experiment):
    folder = experiment("echo once")
    first = send(client, folder, key="same")
    second = send(client, folder, key="same")
    assert first.id == second.id
    assert client.jobs.page().total == 1
    assert wait_ended(client, first.id).state == "succeeded"


def test_resume_and_retry_make_new_attempts(server, client, experiment):
    script = """
mkdir -p "$STARFORGE_OUTPUT_DIR/checkpoints/1"
if [ "$STARFORGE_RESUME" = 1 ]; then
  "$STARFORGE_PYTHON" -m starforge.report log loss=2 --step 5
  exit 0
fi
"$STARFORGE_PYTHON" -m starforge.report log loss=9 --step 5
"$STARFORGE_PYTHON" -m starforge.report log loss=9 --step 6
exit 3
"""
    job = send(client, experiment(script))
    assert wait_ended(client, job.id).state == "failed"
    again = client.jobs.resume(job.id)
    assert (again.attempt, again.attempts[1].resume) == (1, True)
    done = wait_ended(client, job.id)
    assert done.state == "succeeded"
    curve = client.jobs.metrics(job.id, names=["loss"])["loss"]
    assert (curve.step, curve.value, curve.attempt) == ([5], [2.0], [1])  # the later one wins
    with pytest.raises(StarForgeError, match="succeeded"):
        client.jobs.resume(job.id)
    client.jobs.retry(job.id)
    last = wait_ended(client, job.id)
    assert (last.state, last.attempt) == ("failed", 2)
    assert (server.home / "jobs" / job.id / "output-1").is_dir()


def test_resume_needs_a_checkpoint(client, experiment):
    job = send(client, experiment("exit 1"))
    wait_ended(client, job.id)
    with pytest.raises(StarForgeError) as refused:
        client.jobs.resume(job.id)
    assert refused.value.code == "job/no-checkpoint"


def test_delete_removes_rows_and_folder(server, client, experiment):
    job = send(client, experiment("sleep 300"))
    wait_state(client, job.id, "running")
    with pytest.raises(StarForgeError) as refused:
        client.jobs.delete(job.id)
    assert refused.value.code == "job/not-ended"
    client.jobs.delete(job.id, force=True)
    with pytest.raises(StarForgeError, match=job.id):
        client.jobs.get(job.id)
    assert not (server.home / "jobs" / job.id).exists()
    assert not processes_of(server.home)


def test_a_folder_written_without_a_server_is_imported_once(client, tmp_path):
    from starforge import report

    run = report.init(name="offline", total_steps=3, dir=tmp_path / "run")
    for step in (1, 2, 3):
        run.log({"loss": 1 / step}, step=step)
    run.finish()
    job = client.jobs.import_folder(str(tmp_path / "run"))
    assert (job.name, job.state) == ("offline", "succeeded")
    assert client.jobs.metrics(job.id)["loss"].step == [1, 2, 3]
    assert client.jobs.import_folder(str(tmp_path / "run")).id == job.id
    with pytest.raises(StarForgeError) as refused:
        client.jobs.import_folder(str(tmp_path / "nowhere"))
    assert refused.value.code == "import/no-folder"


def test_an_unknown_job_is_one_clear_error(client):
    with pytest.raises(StarForgeError) as missing:
        client.jobs.get("no-such-job")
    assert "no-such-job" in missing.value.message.en
    started = time.monotonic()
    with pytest.raises(StarForgeError):
        list(client.jobs.follow_logs("no-such-job"))
    assert time.monotonic() - started < 20

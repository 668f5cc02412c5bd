"""What follows a job: made once whatever dies, and never the parent's failure."""

import sys
import time

import pytest
from e2e_harness import send, wait_ended, wait_for, wait_state

pytestmark = pytest.mark.e2e

# Leaves a folder that looks like a model but holds no weights.
TRAIN = """
mkdir -p "$STARFORGE_OUTPUT_DIR/model"
echo '{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}' \
  > "$STARFORGE_OUTPUT_DIR/model/config.json"
"$STARFORGE_PYTHON" -c '
import os
from starforge import report
report.init()
report.log_artifact(os.environ["STARFORGE_OUTPUT_DIR"] + "/model", kind="model")
report.finish()
'
sleep 1
"""
THEN = ["export", {"benchmark": "basics", "limit": 2}]


@pytest.fixture
def server(servers):
    """A server on which both runtimes are this interpreter: what it lacks is told clearly."""
    made = servers()
    places = made.home / "catalog" / "runtimes.yaml"
    places.parent.mkdir(parents=True)
    made.home.chmod(0o700)
    here = f"{{python: {sys.executable}}}"
    places.write_text(f"custom: {here}\nevalkit: {here}\n", "utf-8")
    return made.start()


def test_each_step_becomes_one_job_and_fails_alone(server, client, experiment):
    job = send(client, experiment(TRAIN, then=THEN))
    assert [step["kind"] for step in job.then] == ["export", "benchmark"]
    assert (job.children, job.follow_ups) == ([], "due")
    done = wait_ended(client, job.id)
    assert done.state == "succeeded"
    done = wait_for(lambda: (found := client.jobs.get(job.id)).follow_ups == "made" and found)
    export, score = done.children
    assert (export.name, export.method) == ("exp-export", "custom/export")
    assert (score.name, score.method) == ("exp-basics", "evalkit/benchmark")
    assert {export.parent, score.parent} == {job.id}
    ended = wait_ended(client, export.id)
    assert ended.state == "failed"
    assert "the exported model can't be used" in client.jobs.logs(export.id).lines[-1].text
    assert wait_ended(client, score.id).state == "failed"
    assert client.jobs.get(job.id).state == "succeeded"
    plan = client.jobs.plan(score.id)
    assert plan["inputs"][0]["location"] == job.id
    assert plan["parameters"]["limit"] == 2


def test_a_server_killed_on_the_way_makes_each_child_once(server, experiment):
    job = send(server.client(), experiment(TRAIN, then=THEN))
    wait_state(server.client(), job.id, "running")
    server.kill()
    wait_for((server.home / "jobs" / job.id / "output" / "model" / "config.json").exists)
    # Killed at different moments after the start: before, between and after the children.
    for pause in (0.0, 0.3, 0.6, 1.0, 1.5, 2.0):
        server.start()
        time.sleep(pause)
        server.kill()
    client = server.start().client()
    done = wait_for(lambda: (found := client.jobs.get(job.id)).follow_ups == "made" and found)
    assert sorted(child.method for child in done.children) == [
        "custom/export", "evalkit/benchmark",
    ]  # fmt: skip
    assert client.jobs.page().total == 3
    for child in done.children:
        wait_ended(client, child.id)


def test_a_step_that_cannot_be_made_is_an_event_of_the_parent(server, client, experiment):
    job = send(client, experiment("true", then=["export"]))
    wait_ended(client, job.id)
    done = wait_for(lambda: (found := client.jobs.get(job.id)).follow_ups == "made" and found)
    assert (done.state, done.children) == ("succeeded", [])
    said = [one.text for one in client.jobs.events(job.id) if one.kind == "follow_up_refused"]
    assert said == [f"export could not follow: job exp ({job.id}, succeeded) has left no model"]

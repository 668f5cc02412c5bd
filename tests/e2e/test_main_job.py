"""The main job, small: train with TRL, lose the trainer, resume, benchmark the result."""

import itertools
import json
import os
import signal
from pathlib import Path

import pytest
from e2e_harness import Server, send, wait_ended, wait_for, wait_state

from starforge.catalog.load import load_catalog
from starforge.client.client import Client
from starforge.lab.lab import find_lab
from starforge.lab.scaffold import init_lab, new_experiment

pytestmark = pytest.mark.e2e

STEPS = 120


@pytest.fixture
def server(servers, trl_python: str, evalkit_python: str) -> Server:
    roots = {str(Path(python).parents[2]) for python in (trl_python, evalkit_python)}
    assert len(roots) == 1, f"the runtimes of this test lie in one folder, not in {roots}"
    return servers(STARFORGE_RUNTIMES=roots.pop()).start()


@pytest.fixture
def lab(tmp_path: Path):
    init_lab(tmp_path / "lab", "en")
    return find_lab(tmp_path / "lab")


def make(lab, name: str, method: str) -> Path:
    catalog = load_catalog()
    new_experiment(lab, name, catalog.recipe(method), catalog, lang="en")
    return lab.root / "experiments" / name


def trainer_pid(server: Server, job: str) -> int:
    processes = server.home / "jobs" / job / "attempt-0" / "processes.json"
    return int(json.loads(processes.read_text("utf-8"))[0]["pid"])


def test_train_lose_the_trainer_resume_and_benchmark(server: Server, client: Client, lab) -> None:
    folder = make(lab, "my-sft", "trl/sft")
    job = send(client, folder, sets=[f"max_steps={STEPS}", "save_steps=10"], name="sft")

    wait_for(lambda: (client.jobs.get(job.id).progress.step or 0) > 20, 120)
    os.kill(trainer_pid(server, job.id), signal.SIGKILL)
    failed = wait_state(client, job.id, "failed")
    assert failed.reason == "signal" and "SIGKILL" in str(failed.message)

    client.jobs.resume(job.id)
    done = wait_ended(client, job.id, patience=180)
    assert (done.state, done.reason) == ("succeeded", "completed")
    assert [attempt.resume for attempt in done.attempts] == [False, True]
    assert f"job:{job.id}" in {output.ref for output in done.outputs}

    curve = client.jobs.metrics(job.id, names=["train/loss"])["train/loss"]
    assert curve.step == list(range(1, STEPS + 1))
    runs = [(attempt, len(list(run))) for attempt, run in itertools.groupby(curve.attempt)]
    assert [attempt for attempt, _ in runs] == [0, 1]
    assert runs[0][1] >= 20 and runs[0][1] % 10 == 0  # up to the checkpoint it went on from
    rate = client.jobs.metrics(job.id, names=["train/learning_rate"])["train/learning_rate"]
    assert rate.value == sorted(rate.value, reverse=True)  # the schedule goes on, too

    bench = make(lab, "score", "evalkit/benchmark")
    sets = ["benchmarks=[basics]", "limit=4", "max_new_tokens=8"]
    text = (bench / "experiment.yaml").read_text("utf-8")
    text = "\n".join(
        f"model: job:{job.id}" if line.startswith("model:") else line for line in text.split("\n")
    )
    (bench / "experiment.yaml").write_text(text, "utf-8")
    scored = wait_ended(client, send(client, bench, sets=sets).id, patience=180)
    assert scored.state == "succeeded", scored.message
    scores = [score for score in client.board() if score.benchmark == "basics"]
    assert {score.metric for score in scores} >= {"acc"}
    assert all(score.items == 4 and 0 <= score.value <= 1 for score in scores)
    assert client.jobs.samples(scored.id).total == 4

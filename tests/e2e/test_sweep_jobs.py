"""Sweeps on a real server: their trials are real jobs of a known function."""

import json
import os
import subprocess
import sys
import time

import pytest
from e2e_harness import wait_for

pytestmark = pytest.mark.e2e

# Reports -(x - 0.3)^2 at nine steps, of which the last is the whole value.
SCRIPT = """
"$STARFORGE_PYTHON" -c '
import json, os, time
from starforge import report
given = json.load(open(os.environ["STARFORGE_CONFIG"]))
x, wait = float(given["x"]), float(given.get("wait", 0))
with report.init(total_steps=9) as run:
    for step in range(1, 10):
        report.log({"own/score": -((x - 0.3) ** 2) * (10 - step)}, step=step)
        time.sleep(wait)
'
"""
ENDED = ("succeeded", "failed", "stopped")


@pytest.fixture
def sf(server, experiment):
    """Run `sf sweep ...` against the server; answers its JSON."""
    folder = experiment(SCRIPT)

    def run(*arguments, code=0):
        argv = [sys.executable, "-m", "starforge.cli.main", "sweep", *arguments, "--json"]
        env = {**os.environ, "STARFORGE_HOME": str(server.home)}
        done = subprocess.run(
            argv, cwd=folder.parent, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    run.exp = str(folder)
    return run


def ended(client, ident, patience=200.0):
    def look():
        found = client.sweeps.get(ident)
        return found if found.state in ENDED else None

    return wait_for(look, patience)


def test_a_grid_tries_all_and_finds_the_best(sf, client):
    made = sf(sf.exp, "--grid", "x=0.1,0.35,0.9", "--metric", "own/score", "--jobs", "2")
    found = ended(client, made["id"])
    assert (found.state, found.counts) == ("succeeded", {"succeeded": 3})
    assert [one.parameters["x"] for one in found.trials] == ["0.1", "0.35", "0.9"]
    assert sf("best", made["id"])["parameters"] == {"x": "0.35"}
    best = next(one for one in found.trials if one.number == found.best)
    assert client.jobs.get(best.job_id).state == "succeeded"


def test_a_search_learns_from_what_it_tried(sf, client):
    asked = ("--tpe", "8", "--space", "x=0.0..1.0", "--seed", "0", "--metric", "own/score")
    first, second = (ended(client, sf(sf.exp, *asked)["id"]) for _ in range(2))
    assert (first.state, first.counts) == ("succeeded", {"succeeded": 8})
    tried = [one.parameters["x"] for one in first.trials]
    assert len(set(tried)) == 8
    assert [one.parameters["x"] for one in second.trials] == tried
    drawn = max(one.value for one in first.trials[:3])  # those before TPE has a say
    assert max(one.value for one in first.trials) > drawn


def test_bad_trials_are_ended_early(sf, client):
    made = sf(
        sf.exp, "--grid", "x=0.3,0.9,1.5", "--metric", "own/score", "--early-stop",
        "--set", "wait=0.5",
    )  # fmt: skip
    found = ended(client, made["id"])
    assert [one.state for one in found.trials] == ["succeeded", "pruned", "pruned"]
    for one in found.trials[1:]:
        job = client.jobs.get(one.job_id)
        assert (job.state, job.reason) == ("stopped", "pruned")
        assert one.pruned_at in (1, 3) and "own/score" in one.message
    assert sf("best", made["id"])["number"] == 0


def test_killed_at_many_moments_no_trial_is_lost_or_made_twice(sf, server, client):
    asked = ("--tpe", "5", "--space", "x=0.0..1.0", "--seed", "7", "--metric", "own/score",
             "--set", "wait=0.05", "--jobs", "2")  # fmt: skip
    made = sf(sf.exp, *asked)
    for pause in (0.0, 0.2, 0.5, 0.9):
        time.sleep(pause)
        server.kill()
        server.start()
    found = ended(server.client(), made["id"])
    assert (found.state, found.counts) == ("succeeded", {"succeeded": 5})
    jobs = [one.job_id for one in found.trials]
    assert len(set(jobs)) == 5
    assert {one.id for one in server.client().jobs.page(size=50).jobs} == set(jobs)


def test_a_stopped_sweep_goes_on(sf, client):
    made = sf(sf.exp, "--grid", "x=0.1,0.3,0.5", "--metric", "own/score", "--set", "wait=0.2")
    wait_for(lambda: client.sweeps.get(made["id"]).counts.get("running"))
    sf("stop", made["id"])
    stopped = ended(client, made["id"])
    assert stopped.state == "stopped"
    sf("resume", made["id"])
    found = ended(client, made["id"])
    assert (found.state, found.counts) == ("succeeded", {"succeeded": 3})
    assert found.trials[found.best].parameters == {"x": "0.3"}

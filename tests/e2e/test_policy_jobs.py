"""Alerts and ends of jobs that learn nothing, through server and command."""

import os
import subprocess
import sys

import pytest
from e2e_harness import send, wait_ended

pytestmark = pytest.mark.e2e

SCRIPT = """python3 -c '
import time
from starforge import report
for step in range(60):
    kl = 0.1 if step < 10 else 5.0
    report.log({"train/reward_std": 0.0, "train/grad_norm": 0.0, "train/kl": kl})
    time.sleep(0.02)
time.sleep(60)
'
"""


def test_a_job_that_learns_nothing_is_told_of_and_ended(server, client, experiment):
    job = send(client, experiment(SCRIPT, policies={"no_signal": 20, "stop_grace": 1}))
    done = wait_ended(client, job.id)
    assert (done.state, done.reason) == ("failed", "no_signal")
    assert {alert.code for alert in done.alerts} == {"no_signal", "kl_explosion"}
    kinds = [event.kind for event in client.jobs.events(job.id)]
    assert kinds.count("alert") == 2
    shown = subprocess.run(
        [sys.executable, "-m", "starforge.cli.main", "job", "show", job.id],
        env={**os.environ, "STARFORGE_HOME": str(server.home), "SF_LANG": "en"},
        capture_output=True, text=True, timeout=60, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert "kl_explosion" in shown.stdout and "nothing to learn from" in shown.stdout

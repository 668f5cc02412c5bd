"""The same record gives the same curve on CPUs, to the last digit, where it is promised."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from e2e_harness import send, wait_ended

from starforge.catalog.load import load_catalog
from starforge.lab.lab import find_lab
from starforge.lab.scaffold import init_lab, new_experiment

pytestmark = pytest.mark.e2e

SMALL = {
    "trl/sft": ("max_steps=6", "batch_size=2", "log_steps=1"),
    "openrlhf/sft": ("epochs=2", "global_batch_size=4", "batch_size=2", "learning_rate=1e-3"),
}


def rerun(server, job):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("STARFORGE_", "SF_"))}
    done = subprocess.run(
        [sys.executable, "-m", "starforge.cli.main", "job", "rerun", job, "--json"],
        env=kept | {"STARFORGE_HOME": str(server.home)},
        stdout=subprocess.PIPE, text=True, timeout=60, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return json.loads(done.stdout)["id"]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("method", sorted(SMALL))
def test_a_job_run_again_has_the_same_loss(servers, request, tmp_path, method):
    python = request.getfixturevalue(f"{method.partition('/')[0]}_python")
    server = servers(STARFORGE_RUNTIMES=str(Path(python).parents[2])).start()
    client = server.client()
    init_lab(tmp_path / "lab", "en")
    lab, catalog = find_lab(tmp_path / "lab"), load_catalog()
    new_experiment(lab, "first", catalog.recipe(method), catalog, lang="en")
    first = send(client, lab.root / "experiments" / "first", sets=list(SMALL[method]))
    assert wait_ended(client, first.id, patience=300).state == "succeeded"
    again = rerun(server, first.id)
    assert wait_ended(client, again, patience=300).state == "succeeded"

    def losses(job):
        curve = client.jobs.metrics(job, names=["train/loss"])["train/loss"]
        return list(zip(curve.step, curve.value, strict=True))

    assert losses(again) == losses(first.id)
    assert len(losses(first.id)) >= 4 and len({value for _, value in losses(first.id)}) > 1

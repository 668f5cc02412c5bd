"""Keep jobs running: submit new ones, take up again those that were killed."""

from __future__ import annotations

import json
import random
import shutil
import uuid
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from world import World

from starforge.client.client import Client
from starforge.client.submit import submit
from starforge.errors import StarForgeError
from starforge.prepare import prepare
from starforge.wire.jobs import TERMINAL, JobDetail

_SCRIPT = '#!/bin/bash\nexec "$STARFORGE_PYTHON" train.py {steps} {pause}\n'


@dataclass
class ChaosJob:
    """One job and what is known of it beforehand."""

    id: str
    steps: int
    pause: float


class Fleet:
    """The jobs of a run."""

    def __init__(self, world: World, lab: Path, rng: random.Random) -> None:
        self.jobs: list[ChaosJob] = []
        self._world = world
        self._lab = lab
        self._rng = rng
        self._open: list[ChaosJob] = []

    def submit_one(self) -> None:
        """Submit a job of random length; a key makes the try repeatable."""
        steps, pause = self._rng.randint(20, 150), self._rng.choice([0.02, 0.05, 0.1])
        folder = self._lab / f"job-{len(self.jobs) + 1}"
        folder.mkdir(parents=True)
        (folder / "train.sh").write_text(_SCRIPT.format(steps=steps, pause=pause))
        shutil.copy(Path(__file__).with_name("train.py"), folder)
        document = {"method": "custom/custom", "policies": {"stop_grace": 2}}
        (folder / "experiment.yaml").write_text(json.dumps(document))
        prepared = prepare(folder)
        if not prepared.ok:
            raise RuntimeError(str([finding.message.en for finding in prepared.findings]))
        key = uuid.uuid4().hex
        # The world is patient itself: it asks at the address where the server is back.
        made = self._world.patiently(
            lambda client: submit(client, prepared, key=key, pause=lambda _: None)
        )
        job = ChaosJob(made.id, steps, pause)
        self.jobs.append(job)
        self._open.append(job)

    def tend(self, at_least: int) -> int:
        """Take up what has failed, submit until ``at_least`` are open; return how many are."""
        for job in list(self._open):
            if self._world.patiently(partial(_take_up, job.id)):
                self._open.remove(job)
        while len(self._open) < at_least:
            self.submit_one()
        return len(self._open)


def _take_up(job_id: str, client: Client) -> bool:
    """Say whether a job has succeeded; one that has not goes on."""
    job = client.jobs.get(job_id)
    if job.state != "succeeded" and job.state in TERMINAL:
        _again(client, job)
    return job.state == "succeeded"


def _again(client: Client, job: JobDetail) -> None:
    """Resume from the last checkpoint, or begin anew where there is none yet."""
    try:
        client.jobs.resume(job.id)
    except StarForgeError as error:
        if error.code == "job/no-checkpoint":
            client.jobs.retry(job.id)
        elif error.code != "job/not-ended":  # an earlier try got through, its answer did not
            raise

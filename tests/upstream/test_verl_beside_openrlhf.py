"""Two jobs with a Ray each on one machine: they never meet, and nothing of them stays."""

import json
import os
import shutil
import subprocess
import time
import uuid
from pathlib import Path

import psutil
import pytest
from openrlhf_support import STEPS, make_job, scalars
from trl_support import TINY
from verl_support import clear, left_outside

import starforge
import starforge.frameworks
from starforge.runner import reap

pytestmark = [pytest.mark.upstream, pytest.mark.timeout(1800)]
DRIVERS = Path(starforge.frameworks.__file__).parent / "_drivers"
# What a driver does before upstream starts Ray, Ray as upstream starts it, and a look around.
PROBE = """
import json, os, shutil, sys, time
from pathlib import Path
import private_ray
from job_files import attempt_dir, private_folder

private_ray.forget_others()
folder = private_folder("probe")
os.environ.update(private_ray.environment(folder))
import ray

ray.init(num_cpus=1)

@ray.remote(num_cpus=0)
class Kept:
    def tag(self):
        return os.environ["STARFORGE_TAG"]

kept = Kept.options(name="kept", namespace="all", lifetime="detached").remote()
found = {
    "tag": ray.get(kept.tag.remote()), "address": ray.get_runtime_context().gcs_address,
    "session": ray._private.worker._global_node.get_session_dir_path(), "folder": str(folder),
}
(attempt_dir() / "up").write_text(json.dumps(found))
go, until = attempt_dir() / "go", time.monotonic() + 300
while not go.exists() and time.monotonic() < until:
    time.sleep(0.05)
found["nodes"] = len(ray.nodes())
found["named"] = len(ray.util.list_named_actors(all_namespaces=True))
ray.shutdown()
shutil.rmtree(folder, ignore_errors=True)
(attempt_dir() / "down").write_text(json.dumps(found))
"""
JOIN = """
import sys, ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False)
except BaseException as error:
    print(type(error).__name__)
    sys.exit(3)
"""


class Probe:
    """A process that stands for a job: private Ray, one actor, until it is told to go."""

    def __init__(self, python: str, folder: Path) -> None:
        self.tag = f"test-{uuid.uuid4().hex[:12]}/0"
        self.folder = folder
        folder.mkdir()
        source = Path(starforge.__file__).parents[1]
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "STARFORGE_TAG": self.tag,
            "STARFORGE_ATTEMPT_DIR": str(folder), "RAY_USAGE_STATS_ENABLED": "0",
            "PYTHONPATH": os.pathsep.join([str(DRIVERS), str(source)]),
        }  # fmt: skip
        self.process = subprocess.Popen(
            [python, "-c", PROBE], env=self.env, cwd=folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def wait(self, name: str) -> dict:
        """Return what the probe wrote into a file, once it is there."""
        file, until = self.folder / name, time.monotonic() + 300
        while not (file.exists() and file.stat().st_size):
            assert self.process.poll() in (None, 0), self.process.stdout.read()
            assert time.monotonic() < until, f"{name} does not come"
            time.sleep(0.05)
        return json.loads(file.read_text())

    def end(self) -> None:
        """End it and whatever it started."""
        self.process.kill()
        reap.kill_tagged(self.tag, attempt_dir=self.folder)
        self.process.wait()
        self.process.stdout.close()

    def alive(self) -> list[str]:
        """Return the processes of this probe that live."""
        found = []
        for one in psutil.process_iter():
            try:
                if one.environ().get("STARFORGE_TAG") == self.tag and one.status() != "zombie":
                    found.append(one.name())
            except psutil.Error:
                continue
        return found


def test_rays_of_two_frameworks_do_not_meet_and_leave_nothing(
    verl_python, openrlhf_python, tmp_path
):
    probes = [Probe(verl_python, tmp_path / "verl"), Probe(openrlhf_python, tmp_path / "other")]
    try:
        up = [probe.wait("up") for probe in probes]
        for key in ("address", "session", "folder", "tag"):
            assert up[0][key] != up[1][key], key
        # Who has no token is kept out, though Ray listens where all can reach it.
        env = {name: value for name, value in probes[0].env.items() if name != "STARFORGE_TAG"}
        stranger = subprocess.run(
            [verl_python, "-c", JOIN, up[1]["address"]], env=env, cwd=tmp_path, text=True,
            capture_output=True, check=False, timeout=280,
        )  # fmt: skip
        assert stranger.returncode != 0, stranger.stdout + stranger.stderr[-2000:]
        for probe in probes:
            (probe.folder / "go").touch()
        for probe, before in zip(probes, up, strict=True):
            after = probe.wait("down")
            assert (after["tag"], after["nodes"], after["named"]) == (probe.tag, 1, 1)
            assert after["session"].startswith(before["folder"])
            assert probe.process.wait(60) == 0
            assert not Path(before["folder"]).exists()
            until = time.monotonic() + 60
            while (left := probe.alive()) and time.monotonic() < until:
                time.sleep(0.1)
            assert left == []
    finally:
        for probe in probes:
            probe.end()
            shutil.rmtree(probe.folder, ignore_errors=True)


@pytest.mark.slow
def test_two_jobs_at_once_train_as_one_alone(openrlhf_python, tmp_path):
    jobs = [make_job(tmp_path / name, "grpo") for name in ("one", "other")]
    started = [subprocess.Popen(**job.process(python=openrlhf_python, model=TINY)) for job in jobs]
    try:
        for process in started:
            said = process.communicate(timeout=1500)[0]
            assert process.returncode == 0, said[-4000:]
    finally:
        for job, process in zip(jobs, started, strict=True):
            clear(job, process, 0)
    for job in jobs:
        assert sorted(scalars(job)["train/reward"]) == list(range(1, STEPS + 1))
        assert len({row["prompt"] for row in job.rows("samples/rollout.jsonl")}) == 2 * STEPS
        assert (job.folder / "output" / "model" / "config.json").exists()
        assert left_outside(job) == []

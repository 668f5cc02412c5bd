"""A disk is full for a while: nothing is lost, no job is called failed for it, and it is said."""

import contextlib
import os
import subprocess
import time

import pytest
from e2e_harness import processes_of, send, wait_ended, wait_for, wait_state

from starforge.errors import StarForgeError

pytestmark = pytest.mark.e2e

MIB = 1 << 20
STEPS = 100
KNOWN = f"""
exec "$STARFORGE_PYTHON" - <<'PY'
import os, time
from pathlib import Path
from starforge import report
Path(os.environ["STARFORGE_OUTPUT_DIR"], "checkpoints", "1").mkdir(parents=True, exist_ok=True)
report.init(total_steps={STEPS})
for step in range(1, {STEPS} + 1):
    report.log({{"loss": float(step)}}, step=step)
    report.log_samples([{{"prompt": "p", "completion": str(step), "more": "x" * 1000}}])
    try:
        print("line", step, flush=True)
    except OSError:
        pass
    time.sleep(0.1)
report.finish()
PY
"""


class Disk:
    """A small file system that can be filled to the last byte and emptied again."""

    def __init__(self, folder):
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self, leave=0):
        """Take all room but ``leave`` bytes."""
        with self._ballast.open("ab", buffering=0) as handle, contextlib.suppress(OSError):
            while self.room() > leave:
                handle.write(bytes(4096))
        assert self.room() <= leave

    def room(self):
        info = os.statvfs(self.folder)
        return info.f_bavail * info.f_frsize

    def free(self):
        self._ballast.unlink()


@pytest.fixture
def disk():
    """Mount small file systems; skip where that is not allowed."""
    mounted = []

    def make(folder, size):
        folder.mkdir(parents=True, exist_ok=True)
        words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
        mounted.append(folder)
        return Disk(folder)

    yield make
    for folder in reversed(mounted):
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def check_whole(client, job_id, *, lines=True):
    done = wait_ended(client, job_id)
    assert (done.state, len(done.attempts)) == ("succeeded", 1), done.message
    steps = list(range(1, STEPS + 1))
    curve = client.jobs.metrics(job_id, names=["loss"])["loss"]
    assert (curve.step, curve.value) == (steps, [float(n) for n in steps])
    samples = client.jobs.samples(job_id, limit=1000, sort="step").samples
    assert [sample.completion for sample in samples] == [str(n) for n in steps]
    if lines:
        found = client.jobs.logs(job_id, from_line=0, limit=1000).lines
        assert [line.text for line in found] == [f"line {n}" for n in steps]


def log_of(server, job_id):
    return (server.home / "jobs" / job_id / "attempt-0" / "runner.log").read_text()


def test_the_servers_disk_is_full_while_a_job_runs(disk, servers, experiment, tmp_path):
    home = disk(tmp_path / "home", 32 * MIB)
    disk(tmp_path / "home" / "jobs", 64 * MIB)
    server = servers().start()
    client = server.client()
    job = send(client, experiment(KNOWN))
    wait_for(lambda: len(client.jobs.logs(job.id).lines) > 5)
    home.fill()
    wait_for(lambda: "HTTP 507" in log_of(server, job.id))
    assert client.jobs.get(job.id).state == "running"  # what is known can still be read
    assert client.jobs.metrics(job.id, names=["loss"])["loss"].step[:3] == [1, 2, 3]
    with pytest.raises(StarForgeError) as refused:
        send(client, experiment("echo other", "other"))
    assert refused.value.code in ("store/disk-full", "server/no-space"), refused.value
    home.free()
    wait_for(lambda: "the server is back" in log_of(server, job.id))
    check_whole(client, job.id)


def test_a_job_ends_while_the_servers_disk_is_full(disk, servers, experiment, tmp_path):
    home = disk(tmp_path / "home", 32 * MIB)
    disk(tmp_path / "home" / "jobs", 64 * MIB)
    server = servers().start()
    client = server.client()
    job = send(client, experiment(KNOWN.replace("0.1", "0.02")))
    wait_for((server.home / f"jobs/{job.id}/attempt-0/progress.json").exists)
    home.fill()
    wait_for(lambda: not processes_of(server.home) or None, 90)
    assert client.jobs.get(job.id).state in ("starting", "running")
    home.free()
    check_whole(client, job.id)


def test_a_server_killed_on_a_full_disk_comes_back(disk, servers, experiment, tmp_path):
    home = disk(tmp_path / "home", 32 * MIB)
    disk(tmp_path / "home" / "jobs", 64 * MIB)
    server = servers().start()
    job = send(server.client(), experiment(KNOWN))
    wait_for((server.home / f"jobs/{job.id}/attempt-0/progress.json").exists)
    home.fill()
    wait_for(lambda: "HTTP 507" in log_of(server, job.id))
    server.kill()
    home.free()
    server.start()
    check_whole(server.client(), job.id)


def test_the_jobs_disk_is_full_for_a_while(disk, servers, experiment, tmp_path):
    jobs = disk(tmp_path / "home" / "jobs", 16 * MIB)
    server = servers().start()
    client = server.client()
    job = send(client, experiment(KNOWN, policies={"disk_full": False}))
    wait_for(lambda: len(client.jobs.logs(job.id).lines) > 5)
    jobs.fill()
    last = client.jobs.logs(job.id).lines[-1].line
    assert client.jobs.get(job.id).state == "running"
    time.sleep(2)  # it goes on, but nothing of it can be seen
    jobs.free()
    check_whole(client, job.id, lines=False)
    lines = [line.text for line in client.jobs.logs(job.id, from_line=0, limit=1000).lines]
    assert any("room again" in line for line in lines), lines  # what waited is said
    assert len(lines) > last


def test_a_job_is_stopped_before_its_disk_is_full_and_resumed(disk, servers, experiment, tmp_path):
    jobs = disk(tmp_path / "home" / "jobs", 16 * MIB)
    server = servers().start()
    client = server.client()
    job = send(client, experiment(KNOWN, policies={"disk_reserve": "1MiB"}))
    wait_for(lambda: len(client.jobs.logs(job.id).lines) > 5)
    jobs.fill(leave=MIB // 2)
    done = wait_state(client, job.id, "stopped", "succeeded")
    assert (done.state, done.reason) == ("stopped", "disk_full")
    assert "1 MiB" in done.message
    jobs.free()
    client.jobs.resume(job.id)
    assert wait_ended(client, job.id).state == "succeeded"


def test_a_job_is_not_started_on_a_full_disk_but_waits_for_room(
    disk, servers, experiment, tmp_path
):
    server = servers(STARFORGE_CPUS="1")
    jobs = disk(server.home / "jobs", 16 * MIB)
    client = server.start().client()
    first = send(client, experiment("sleep 300", "first"))
    wait_state(client, first.id, "running")
    second = send(client, experiment("echo ran", "second"))
    jobs.fill()
    client.jobs.stop(first.id, force=True)
    waits = wait_for(lambda: (s := client.jobs.get(second.id)).reason == "waiting_for_room" and s)
    assert waits.state == "starting" and "space" in waits.message
    jobs.free()
    assert wait_ended(client, second.id).state == "succeeded"

"""Backups of a home whose server runs and whose jobs log, and servers that go on from them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from e2e_harness import processes_of, send, wait_ended, wait_for, wait_state

from starforge.wire.jobs import TERMINAL

pytestmark = pytest.mark.e2e

# Writes every kind of stream: some in one go, or steadily until it is told to stop.
WRITER = """
mkdir -p "$STARFORGE_OUTPUT_DIR/model"
echo '{}' > "$STARFORGE_OUTPUT_DIR/model/config.json"
"$STARFORGE_PYTHON" - <<'PY'
import os, time
from pathlib import Path
from starforge import report
model = Path(os.environ["STARFORGE_OUTPUT_DIR"]) / "model"
(model / "weights.bin").write_bytes(bytes(range(256)))
report.init(total_steps=STEPS)
report.log_score("b", "acc", 0.5, items=4, settings={"n": 1})
report.log_artifact(model, kind="model")
for step in range(1, STEPS + 1):
    report.log({"loss": 1.0 / step, "acc": float("nan") if step % 7 == 0 else step / 3}, step=step)
    report.log_samples([{"prompt": f"问 {step}", "completion": "x", "reward": step / 10}], step)
    print("line", step, "é", flush=True)
    time.sleep(PAUSE)
report.finish()
PY
"""


def writer(steps, pause):
    return WRITER.replace("STEPS", str(steps)).replace("PAUSE", str(pause))


def admin(server, *words):
    env = {k: v for k, v in os.environ.items() if not k.startswith("STARFORGE_")}
    env |= {"STARFORGE_HOME": str(server.home), "SF_LANG": "en"}
    done = subprocess.run(
        [sys.executable, "-m", "starforge.cli.main", "admin", *words],
        env=env, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


def told(server, *words):
    done = admin(server, *words, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def everything(client, job):
    """Return all that can be asked of a job, but for where its folder lies."""
    detail = client.jobs.get(job).model_dump(mode="json", exclude={"folder"})
    curves = json.loads(client.jobs.metrics_json(job))
    logs = client.jobs.logs(job, from_line=0, limit=5000).model_dump(mode="json")
    samples = client.jobs.samples(job, limit=1000, sort="step").model_dump(mode="json")
    scores = [one.model_dump(mode="json") for one in client.jobs.scores(job)]
    events = [one.model_dump(mode="json") for one in client.jobs.events(job)]
    record = client.jobs.record(job).model_dump(mode="json")
    plan = client.jobs.plan(job)
    return {
        "detail": detail, "curves": curves, "logs": logs, "samples": samples, "scores": scores,
        "events": events, "record": record, "plan": plan,
    }  # fmt: skip


def snapshot_of(job, found, step):
    """Say that a restored job holds every step up to ``step``, without gap or double."""
    steps = found["curves"]["loss"]["step"]
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) >= step, job
    lines = [line["text"] for line in found["logs"]["lines"]]
    assert lines == [f"line {n} é" for n in range(1, len(lines) + 1)]
    assert len(lines) >= step - 1
    prompts = [one["prompt"] for one in found["samples"]["samples"]]
    assert prompts == [f"问 {n}" for n in range(1, len(prompts) + 1)]
    assert len(prompts) >= step - 1


def test_a_backup_under_load_restores_everything(servers, experiment, tmp_path):
    server = servers(STARFORGE_CPUS="2").start()
    client = server.client()
    done = send(client, experiment(writer(60, 0), "done"), name="done 🚀")
    assert wait_ended(client, done.id).state == "succeeded"
    runs = [send(client, experiment(writer(100_000, 0.01), name)) for name in ("one", "two")]
    waits = send(client, experiment(writer(3, 0), "waits"))
    for run in runs:
        wait_for(lambda run=run: len(client.jobs.logs(run.id, limit=5000).lines) > 50)
    before = {job.id: everything(client, job.id) for job in (done, *runs)}

    file = tmp_path / "backup.tar.zst"
    made = told(server, "backup", str(file))
    assert made["jobs"] == 4
    assert made["changed"] == made["skipped"] == []
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    keys = {name: (server.home / name).read_bytes() for name in ("token", "job.key")}
    server.kill()
    shutil.rmtree(server.home, ignore_errors=True)
    wait_for(lambda: not processes_of(server.home) or not server.home.exists())
    shutil.rmtree(server.home, ignore_errors=True)

    assert told(server, "verify", str(file))["files"] == made["files"]
    restored = told(server, "restore", str(file))
    assert sorted(restored["ended"]) == sorted(run.id for run in runs)
    assert {name: (server.home / name).read_bytes() for name in keys} == keys
    assert (server.home / "token").stat().st_mode & 0o777 == 0o600
    server.start()
    client = server.client()
    assert everything(client, done.id) == before[done.id]
    for run in runs:
        ended = wait_ended(client, run.id)
        assert (ended.state, ended.reason) == ("failed", "restored")
        assert "backup" in ended.message
        shown = len(before[run.id]["curves"]["loss"]["step"])
        snapshot_of(run.id, everything(client, run.id), shown)
    assert wait_ended(client, waits.id).state == "succeeded"
    wait_for(lambda: not processes_of(server.home), 40)


def test_a_restored_copy_leaves_the_original_alone(servers, experiment, tmp_path):
    server, copy = servers().start(), servers("copy")
    client = server.client()
    done = send(client, experiment(writer(3, 0), "done"))
    wait_ended(client, done.id)
    run = send(client, experiment(writer(100_000, 0.02), "run"))
    wait_for(lambda: client.jobs.logs(run.id).lines)
    file = tmp_path / "b.tar.zst"
    told(server, "backup", str(file))
    told(copy, "restore", str(file))
    copy.start()
    other = copy.client()
    assert wait_ended(other, run.id).reason == "restored"
    lines = client.jobs.logs(run.id).total_lines
    assert wait_state(client, run.id, "running").id == run.id
    wait_for(lambda: client.jobs.logs(run.id).total_lines > lines + 20)
    # Models of jobs are found in the new home.
    (model,) = [one for one in other.models.all() if one.job == done.id]
    assert model.location == str(copy.home / "jobs" / done.id / "output" / "model")
    weights = Path(model.location) / "weights.bin"
    assert weights.read_bytes() == bytes(range(256))
    client.jobs.stop(run.id, force=True)
    assert wait_ended(client, run.id).state in TERMINAL


def test_what_is_refused(servers, experiment, tmp_path):
    server = servers().start()
    wait_ended(server.client(), send(server.client(), experiment("echo hi\n")).id)
    file = tmp_path / "b.tar.zst"
    told(server, "backup", str(file), "--without-outputs")
    again = admin(server, "backup", str(file))
    assert (again.returncode, "already exists" in again.stderr) == (1, True)
    inside = admin(server, "backup", str(server.home / "b.tar.zst"))
    assert "in the home itself" in inside.stderr
    full = admin(server, "restore", str(file))
    assert (full.returncode, "not empty" in full.stderr) == (1, True)
    nothing = admin(servers("nowhere"), "backup", str(tmp_path / "c.tar.zst"))
    assert "no StarForge state" in nothing.stderr
    assert not (tmp_path / "c.tar.zst").exists()

    broken = tmp_path / "broken.tar.zst"
    broken.write_bytes(file.read_bytes()[:-1])
    target = servers("other")
    for what in ("verify", "restore"):
        ran = admin(target, what, str(broken))
        assert (ran.returncode, "has been cut off" in ran.stderr) == (1, True), ran.stderr
    assert not target.home.exists()
    assert "can't be read" in admin(server, "verify", str(tmp_path / "none")).stderr

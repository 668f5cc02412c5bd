"""What a backup takes and leaves, what a restore brings back, and disks that fail."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from backup_support import names, refused

from starforge.pipelines.model import Stage
from starforge.plan import InputRef
from starforge.server.backup import archive
from starforge.server.backup.create import create
from starforge.server.backup.reader import read
from starforge.server.backup.restore import restore
from starforge.server.core import open_core
from starforge.server.store import attempts, jobs, pipelines
from starforge.server.store.records import AttemptChange, JobChange


def test_it_takes_what_is_needed_and_no_more(core, add_job, make_plan, backup):
    used, unused, bundle = (core.blobs.put([text]) for text in (b"used", b"unused", b"bundle"))
    ref = InputRef(name="data.train", kind="blob", location=used, digest=used)
    job = add_job(make_plan(inputs=[ref]), bundle=bundle)
    folder = core.settings.job_dir(job.id)
    (folder / "output" / "weights").write_bytes(b"w")
    (folder / "output-0").mkdir()
    (folder / "output-0" / "old").write_bytes(b"o")
    (core.settings.jobs / ".new-x").mkdir()
    (core.settings.jobs / ".new-x" / "half").write_text("")
    core.files.write(job.id, 0, "logs/a.log", 0, b"line\n")
    (core.settings.home / "runtimes").mkdir()
    (core.settings.home / "runtimes" / "big").write_text("")
    file, made = backup()
    found = names(file)
    assert {f"blobs/{one[:2]}/{one[2:4]}/{one}" for one in (used, bundle)} <= found
    assert not any(unused in name for name in found)
    assert {"token", "job.key", "starforge.db", f"jobs/{job.id}/output/weights"} <= found
    assert any(name.startswith(f"streams/{job.id}/0/") for name in found)
    assert not any(name.startswith(("runtimes", "jobs/.", "server.")) for name in found)
    assert (made.jobs, made.files) == (1, len(found))
    small, _ = backup(outputs=False)
    assert names(small) == {n for n in found if "/output" not in n}


def test_stages_that_have_not_begun_keep_what_they_need(core, backup):
    bundle, rows = core.blobs.put([b"bundle"]), core.blobs.put([b"rows"])
    request = {"bundle": bundle, "inputs": [{"name": "data.train", "digest": rows}]}
    new = pipelines.NewPipeline(
        name="p", text="", fresh=False, lang="en", lab=None, owner=None, idempotency_key=None
    )
    stage = pipelines.NewStage(
        stage=Stage(name="one", experiment="e"), request=request, plan_digest="0" * 64
    )
    with core.db.write() as tx:
        pipelines.create(tx, new, [stage])
    file, _ = backup()
    assert {f"blobs/{one[:2]}/{one[2:4]}/{one}" for one in (bundle, rows)} <= names(file)


def test_what_lies_in_the_folders_comes_back_as_it_was(core, add_job, backup, tmp_path):
    folder = core.settings.job_dir(add_job().id) / "output"
    (folder / "empty").mkdir()
    (folder / "名前 'x'\n").write_bytes(b"odd name")
    (folder / os.fsdecode(b"not-utf8-\xff")).write_bytes(b"odder")
    (folder / "script").write_bytes(b"#!")
    (folder / "script").chmod(0o755)
    os.utime(folder / "script", (1e9, 1e9 + 0.25))
    (folder / "same").hardlink_to(folder / "script")
    (folder / "away").symlink_to("/etc/passwd")
    (folder / "near").symlink_to("script")
    (folder / "big").write_bytes(os.urandom(1000) * (33 << 10))  # read in pieces
    os.mkfifo(folder / "fifo")
    file, made = backup()
    assert [Path(name).name for name in made.skipped] == ["fifo"]
    restore(file, tmp_path / "new")
    (found,) = (tmp_path / "new" / "jobs").glob("*/output")
    assert sorted(p.name for p in found.iterdir()) == sorted(
        p.name for p in folder.iterdir() if p.name != "fifo"
    )
    for path in folder.iterdir():
        if path.is_file() and not path.is_symlink():
            assert (found / path.name).read_bytes() == path.read_bytes()
    assert (found / "script").stat().st_mode & 0o777 == 0o755
    assert (found / "script").stat().st_mtime == 1e9 + 0.25
    assert (found / "same").samefile(found / "script")
    assert (found / "away").readlink() == Path("/etc/passwd")
    assert (found / "empty").is_dir()


def test_a_job_deleted_meanwhile_is_left_out_whole(core, add_job, backup, tmp_path, monkeypatch):
    keeps, goes = add_job(), add_job()

    def delete_first(folder, known):
        with core.db.write() as tx:
            jobs.delete(tx, goes.id)
        yield from real(folder, known)

    from starforge.server.backup import create as module

    real = module._job_folders
    monkeypatch.setattr(module, "_job_folders", delete_first)
    file, made = backup()
    assert made.jobs == 1
    assert read(file)[1].deleted == [goes.id]
    restore(file, tmp_path / "new")
    assert [p.name for p in (tmp_path / "new" / "jobs").iterdir()] == [keeps.id]
    with closing(sqlite3.connect(tmp_path / "new" / "starforge.db")) as db:
        assert db.execute("SELECT id FROM jobs").fetchall() == [(keeps.id,)]
        assert db.execute("SELECT job_id FROM job_specs").fetchall() == [(keeps.id,)]


def test_a_segment_sealed_between_two_looks_is_there(core, add_job, backup, monkeypatch):
    job = add_job()
    core.files.write(job.id, 0, "logs/a.log", 0, b"x")
    (raw,) = (core.settings.home / "streams").rglob("*.raw")
    real = archive.Writer.file

    def seal_first(self, path, name):
        if path == raw and raw.exists():
            raw.rename(raw.with_suffix(".zst"))
        real(self, path, name)

    monkeypatch.setattr(archive.Writer, "file", seal_first)
    file, _ = backup()
    assert any(name.endswith("00000000.zst") for name in names(file))


def test_a_file_shortened_while_it_is_read_is_named(core, add_job, backup, monkeypatch):
    job = add_job()
    path = core.settings.job_dir(job.id) / "output" / "log"
    path.write_bytes(b"x" * 5000)
    monkeypatch.setattr(archive, "_WHOLE", 1000)
    real = archive._Exact.read

    def shorten(self, size=-1):
        path.write_bytes(b"x" * 10)
        return real(self, size)

    monkeypatch.setattr(archive._Exact, "read", shorten)
    file, made = backup()
    assert made.changed == [f"jobs/{job.id}/output/log"]
    assert read(file)[1].changed == made.changed


def test_paths_into_the_old_home_lead_to_the_new_one(core, add_job, backup, tmp_path):
    from starforge.server.services import models

    home = core.settings.home
    folder = home / "models" / "m"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "config.json").write_text('{"a": 1}')
    models.register(core, "inside", folder, job_id=None)
    models.register(core, "outside", outside, job_id=None)
    job = add_job(experiment={"model_path": str(folder), "model": "model:m@1"})
    file, _ = backup()
    new = tmp_path / "new"
    restore(file, new)
    again = open_core(replace(core.settings, home=new))
    with again.db.read() as tx:
        assert jobs.get(tx, job.id).experiment["model_path"] == str(new / "models" / "m")
    from starforge.server.store import registry

    with again.db.read() as tx:
        assert registry.model(tx, "inside@1").location == str(new / "models" / "m")
        assert registry.model(tx, "outside@1").location == str(outside)
    again.db.close()


@pytest.mark.parametrize(
    "case",
    [
        ("running", "run", {"state": "running", "pid": 1}, ("failed", "restored")),
        ("stopping", "stop", {"state": "stopping"}, ("stopped", "stopped_by_user")),
        ("running", "run", {"state": "succeeded", "reason": "completed"}, None),
        ("starting", "run", None, None),  # never started: the new server starts it
        ("queued", "run", None, None),
    ],
)
def test_attempts_that_ran_are_closed(core, add_job, backup, tmp_path, case):
    state, desired, status, ended = case
    job = add_job()
    with core.db.write() as tx:
        jobs.change(tx, job.id, JobChange(state=state, desired=desired))
        attempts.change(tx, job.id, 0, AttemptChange(state=state))
    folder = core.settings.job_dir(job.id) / "attempt-0"
    if status:
        (folder / "status.json").write_text(json.dumps(status))
    file, _ = backup()
    done = restore(file, tmp_path / "new")
    assert done.ended == ([job.id] if ended else [])
    path = tmp_path / "new" / "jobs" / job.id / "attempt-0" / "status.json"
    if ended:
        found = json.loads(path.read_text())
        assert (found["state"], found["reason"]) == ended
        assert found["message"] and found["message_zh"]
    elif status:
        assert json.loads(path.read_text()) == status
    else:
        assert not path.exists()


def test_attempts_that_began_after_the_copy_of_the_database_are_dropped(
    core, add_job, backup, tmp_path
):
    waits, ended = add_job(), add_job()
    with core.db.write() as tx:
        jobs.change(tx, ended.id, JobChange(state="failed"))
    for job, number in ((waits, 0), (ended, 0), (ended, 1)):
        folder = core.settings.job_dir(job.id) / f"attempt-{number}"
        folder.mkdir(exist_ok=True)
        (folder / "engine.json").write_text('{"pid": 1}')
        (folder / "status.json").write_text('{"state": "failed"}')
    file, _ = backup()
    assert restore(file, tmp_path / "new").ended == []
    found = sorted(path.parent.name + "/" + path.name for path in tmp_path.glob("new/jobs/*/att*"))
    assert found == [f"{ended.id}/attempt-0"]


def test_a_damaged_database_is_said(core, tmp_path):
    core.db.close()
    path = core.settings.home / "starforge.db"
    for extra in ("-wal", "-shm"):
        path.with_name(path.name + extra).unlink(missing_ok=True)
    raw = bytearray(path.read_bytes())
    raw[4096 : len(raw) - 100] = os.urandom(len(raw) - 4196)
    path.write_bytes(raw)
    target = tmp_path / "b"
    refused("backup/database", create, core.settings, target)
    assert not target.exists()
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]


def test_with_postgresql_the_files_are_taken(core, add_job, tmp_path):
    job = add_job()
    loose = core.blobs.put([b"loose"])
    core.db.close()
    settings = replace(core.settings, database="postgresql://u@h/db")
    made = create(settings, tmp_path / "b")
    assert made.database == "postgresql"
    found = names(tmp_path / "b")
    assert any(loose in name for name in found)
    assert "starforge.db" not in found
    assert (tmp_path / "home" / "jobs" / job.id).is_dir()
    (core.settings.job_dir(job.id) / "attempt-0" / "status.json").write_text('{"state": "running"}')
    made = create(settings, tmp_path / "c")
    done = restore(tmp_path / "c", tmp_path / "new")
    assert (done.database, done.ended) == ("postgresql", [job.id])


def test_a_disk_without_room_leaves_nothing_behind(core, add_job, tmp_path):
    job = add_job()
    (core.settings.job_dir(job.id) / "output" / "big").write_bytes(os.urandom(3 << 20))
    where = tmp_path / "small"
    where.mkdir()
    words = [sys.executable, "-m", "starforge.server.backup", "create"]
    done = subprocess.run(
        [*words, "--home", str(core.settings.home), str(where / "b")],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["error"]["message"]["zh"]
    assert list(where.iterdir()) == []


def test_an_interrupt_leaves_nothing_behind(core, add_job, tmp_path):
    job = add_job()
    (core.settings.job_dir(job.id) / "output" / "big").write_bytes(os.urandom(1 << 20) * 200)
    where = tmp_path / "to"
    where.mkdir()
    words = [sys.executable, "-m", "starforge.server.backup", "create"]
    with subprocess.Popen(
        [*words, "--home", str(core.settings.home), str(where / "b")],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 30
        while not any(path.is_file() for path in where.iterdir()):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode != 0
    assert list(where.iterdir()) == []

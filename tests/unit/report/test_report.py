"""What the reporter writes, in a job and outside of one."""

import math
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from report_support import SRC, only_run, read, scalars, shell

from starforge import layout, report
from starforge.streams import decode_rows


def test_outside_a_job_it_makes_an_attempt_folder():
    with report.init("try", config={"lr": 0.1}, total_steps=3) as run:
        for step in (1, 2, 3):
            report.log({"loss": 1 / step, "val": {"acc": {"top1": step}}}, step=step)
        run.flush()
        assert read(run.dir / layout.STATUS)["state"] == "running"
    folder = only_run()
    assert scalars(folder) == {
        "loss": ([1, 2, 3], [1.0, 0.5, 1 / 3]),
        "val/acc/top1": ([1, 2, 3], [1.0, 2.0, 3.0]),
    }
    about = read(folder / layout.RUN)
    assert (about["name"], about["config"]) == ("try", {"lr": 0.1})
    progress = read(folder / layout.PROGRESS)
    assert (progress["step"], progress["total"]) == (3, 3)
    status = read(folder / layout.STATUS)
    assert (status["state"], status["reason"]) == ("succeeded", "completed")
    assert status["ended_at"] >= status["started_at"]


def test_an_exception_passes_and_the_run_has_failed():
    with pytest.raises(ZeroDivisionError), report.init():
        report.log({"loss": 1})
        _ = 1 / 0
    assert read(only_run() / layout.STATUS)["state"] == "failed"
    assert scalars(only_run()) == {"loss": ([1], [1.0])}


def test_steps_count_by_themselves_and_go_on_from_a_given_one(tmp_path):
    report.init(dir=tmp_path / "run")
    report.log({"a": 1})
    report.log({"a": 2})
    report.log({"a": 3}, step=10)
    report.log({"a": 4})
    report.finish()
    assert scalars(tmp_path / "run")["a"][0] == [1, 2, 10, 11]


def test_in_a_job_it_leaves_the_status_to_the_runner(tmp_path, monkeypatch):
    monkeypatch.setenv(layout.ENV_ATTEMPT_DIR, str(tmp_path))
    monkeypatch.setenv(layout.ENV_TAG, "job/0")
    monkeypatch.setenv(layout.ENV_RANK, "3")
    report.log({"loss": 1.0})
    report.finish()
    assert not (tmp_path / layout.STATUS).exists()
    assert (tmp_path / "metrics" / f"report-3-{os.getpid()}.jsonl").exists()


def test_numbers_of_all_kinds_and_what_is_none(capsys):
    import numpy as np

    report.log(
        {"f32": np.float32(0.5), "i": np.int64(3), "arr": np.array([2.0]), "b": True,
         "nan": math.nan, "inf": -math.inf, "text": "high", "none": None, "ok": 1}
    )  # fmt: skip
    report.log("not a mapping")
    report.log({"a": 1}, step="x")
    report.finish()
    got = scalars(only_run())
    assert set(got) == {"f32", "i", "arr", "b", "nan", "inf", "ok"}
    assert got["f32"][1] == [0.5] and got["inf"][1] == [-math.inf]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert "text" in said[0] and "4 values were dropped" in said[1]


def test_samples_scores_and_artifacts():
    import numpy as np

    report.log({"loss": 1}, step=7)
    report.log_samples([{"prompt": "你好", "completion": "\ud83d", "reward": np.float32(0.5)}])
    report.log_samples([{"prompt": "p", "completion": "c"}], step=9)
    report.log_score("b", "acc", 0.5, stderr=0.1, items=10, settings={"shots": 2})
    Path("model").mkdir()
    report.log_artifact("model", kind="model")
    report.finish()
    folder = only_run()
    first, second = decode_rows("samples", next((folder / "samples").iterdir()).read_bytes()).rows
    assert (first.data["prompt"], first.data["reward"], first.data["s"]) == ("你好", 0.5, 7)
    assert second.data["s"] == 9
    (score,) = decode_rows("scores", next((folder / "scores").iterdir()).read_bytes()).rows
    assert (score.data["value"], score.data["settings"]) == (0.5, {"shots": 2})
    artifact = read(folder / layout.ARTIFACTS)
    assert (artifact["kind"], artifact["name"]) == ("model", "model")
    assert artifact["path"] == str(Path("model").absolute())


def test_two_runs_of_one_process_have_two_folders():
    report.init()
    report.log({"a": 1})
    report.init()
    report.log({"a": 2})
    report.finish()
    found = [scalars(folder)["a"][1] for folder in Path("starforge-runs").iterdir()]
    assert sorted(found) == [[1.0], [2.0]]


def test_what_is_logged_reaches_the_file_without_finish(tmp_path):
    report.init(dir=tmp_path / "run")
    report.log({"a": 1})
    deadline = time.monotonic() + 5
    while not list((tmp_path / "run").glob("metrics/*")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert scalars(tmp_path / "run")["a"][1] == [1.0]


def test_an_unwritable_folder_costs_no_exception(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    report.init(dir=tmp_path / "file" / "run", total_steps=5)
    report.log({"a": 1})
    report.log_artifact("x")
    report.finish()
    assert capsys.readouterr().err.startswith("starforge.report: not everything")


def test_what_a_full_disk_refuses_is_written_later(tmp_path, capsys):
    report.init(dir=tmp_path / "run")
    (tmp_path / "run" / "metrics").write_text("in the way")
    report.log({"a": 1})
    report.run().flush()
    (tmp_path / "run" / "metrics").unlink()
    report.log({"a": 2})
    report.finish()
    assert scalars(tmp_path / "run")["a"] == ([1, 2], [1.0, 2.0])
    assert "waiting for room" in capsys.readouterr().err


def test_shell_scripts_can_report(tmp_path):
    env = {layout.ENV_ATTEMPT_DIR: str(tmp_path / "at")}
    assert (
        shell(tmp_path, "log", "loss=0.5", "acc=1", "--step", "3", "--total", "9", **env).returncode
        == 0
    )
    assert shell(tmp_path, "log", "loss=0.25", "bad", **env).returncode == 0
    shell(tmp_path, "sample", "prompt=2+2=", "completion=4", "reward=1", **env)
    shell(tmp_path, "score", "bench", "acc=0.5", **env)
    shell(tmp_path, "artifact", "out.txt", "--kind", "model", **env)
    folder = tmp_path / "at"
    assert scalars(folder) == {"loss": ([3, 4], [0.5, 0.25]), "acc": ([3], [1.0])}
    assert read(folder / layout.PROGRESS)["total"] == 9
    (row,) = decode_rows("samples", (folder / "samples/report-shell.jsonl").read_bytes()).rows
    assert (row.data["prompt"], row.data["reward"]) == ("2+2=", 1.0)
    (score,) = decode_rows("scores", (folder / "scores/report-shell.jsonl").read_bytes()).rows
    assert (score.data["benchmark"], score.data["value"]) == ("bench", 0.5)
    assert read(folder / layout.ARTIFACTS)["kind"] == "model"


def test_bad_words_of_a_shell_are_said_and_stop_nothing(tmp_path):
    done = shell(tmp_path, "log", "loss=high", SF_LANG="zh")
    assert done.returncode == 0
    assert "loss=high" in done.stderr and "不是" in done.stderr
    assert shell(tmp_path, "nonsense").returncode == 2


def test_steps_alone_move_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", str(tmp_path))
    with report.init() as run:
        report.log({"loss": 1}, step=4)
        run.flush()
        progress = read(tmp_path / layout.PROGRESS)
        assert (progress["step"], progress["total"]) == (4, None)
    with report.init() as run:  # another process of the same job, as a shell script has
        report.log({"loss": 1}, step=5)
        run.flush()
        assert read(tmp_path / layout.PROGRESS)["step"] == 5


@pytest.mark.parametrize("known", ['{"step": 7, "total": 9}', "{", "[]"])
def test_steps_alone_give_way_to_a_trainer_that_knows_its_total(tmp_path, monkeypatch, known):
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", str(tmp_path))
    (tmp_path / layout.PROGRESS).write_text(known)
    with report.init() as run:
        report.log({"reward": 1}, step=123)
        run.flush()
    assert (tmp_path / layout.PROGRESS).read_text() == known


def test_nothing_reported_is_no_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", str(tmp_path))
    with report.init() as run:
        run.flush()
    assert not (tmp_path / layout.PROGRESS).exists()


def test_a_shell_script_moves_progress_by_its_steps(tmp_path):
    for step in ("1", "2"):
        words = [sys.executable, "-m", "starforge.report", "log", "loss=0.5", "--step", step]
        subprocess.run(words, cwd=tmp_path, check=True, env=os.environ | {
            "STARFORGE_ATTEMPT_DIR": str(tmp_path / "attempt"), "PYTHONPATH": str(SRC.parent),
        })  # fmt: skip
        progress = read(tmp_path / "attempt" / layout.PROGRESS)
        assert (progress["step"], progress["total"]) == (int(step), None)

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from starforge import layout, report
from starforge.streams import decode_rows, decode_scalars

SRC = Path(report.__file__).parent


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    """Each test in its own folder, outside of any job, with no run left over."""
    for name in list(os.environ):
        if name.startswith("STARFORGE_") or name == "RANK":
            monkeypatch.delenv(name)
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", "x")  # so that it is restored in the end
    monkeypatch.delenv("STARFORGE_ATTEMPT_DIR")
    monkeypatch.setenv("SF_LANG", "en")
    monkeypatch.chdir(tmp_path)
    report.finish()  # of other files' tests in this process, too
    yield
    report.finish()


def scalars(folder):
    series = {}
    for path in sorted((folder / "metrics").glob("*.jsonl")):
        got = decode_scalars("report", path.read_bytes())
        assert got.notes == []
        for name, (steps, _, values) in got.series.items():
            into = series.setdefault(name, ([], []))
            into[0].extend(steps)
            into[1].extend(values)
    return series


def read(path):
    return json.loads(path.read_text("utf-8"))


def only_run():
    (folder,) = Path("starforge-runs").iterdir()
    return folder


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


def script(tmp_path, body, env=None, **more):
    path = tmp_path / "script.py"
    path.write_text(body)
    return subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(SRC.parent), **(env or {})}, check=False, **more,
    )  # fmt: skip


def test_a_crash_is_seen_at_exit(tmp_path):
    done = script(tmp_path, "from starforge import report\nreport.log({'a': 1})\n1/0\n")
    assert done.returncode == 1
    assert read(only_run() / layout.STATUS)["state"] == "failed"
    assert scalars(only_run())["a"][1] == [1.0]


FORK = """
import multiprocessing, os
from starforge import report
report.init()
report.log({"parent": 1})
def work(n):
    report.log({"child": n})
if __name__ == "__main__":
    context = multiprocessing.get_context("METHOD")
    children = [context.Process(target=work, args=(n,)) for n in range(3)]
    [child.start() for child in children]
    [child.join() for child in children]
    report.log({"parent": 2})
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_of_multiprocessing_join_the_run(tmp_path, method):
    body = FORK.replace("METHOD", method)
    if method == "spawn":  # the module is run again in each child
        body = body.replace('report.init()\nreport.log({"parent": 1})\n', "").replace(
            "    context =", '    report.init(); report.log({"parent": 1})\n    context ='
        )
    done = script(tmp_path, body)
    assert done.stderr == ""
    got = scalars(only_run())
    assert got["parent"][1] == [1.0, 2.0]
    assert sorted(got["child"][1]) == [0.0, 1.0, 2.0]
    assert len(list((only_run() / "metrics").iterdir())) == 4
    assert read(only_run() / layout.STATUS)["state"] == "succeeded"


KILLED = """
import os, signal, threading
from starforge import report
run = report.init(dir="run")
def work():
    for n in range(1, 201):
        report.log({"thread": n}, step=n)
worker = threading.Thread(target=work)
worker.start()
for n in range(1, 1001):
    report.log({"main": n}, step=n)
    report.log_samples([{"prompt": str(n), "completion": "c"}])
worker.join()
report.log_score("b", "acc", 0.5)
report.log_artifact("run")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_loses_nothing_that_it_reported(tmp_path):
    assert script(tmp_path, KILLED).returncode == -9
    got = scalars(tmp_path / "run")
    assert got["main"][0] == list(range(1, 1001))
    assert got["thread"][0] == list(range(1, 201))
    rows = decode_rows("samples", next((tmp_path / "run/samples").iterdir()).read_bytes()).rows
    assert [row.data["prompt"] for row in rows] == [str(n) for n in range(1, 1001)]
    assert len(list((tmp_path / "run/scores").iterdir())) == 1
    assert read(tmp_path / "run" / layout.ARTIFACTS)["kind"] == "file"


def test_a_signal_handler_may_report_while_the_program_does(tmp_path):
    body = """
import signal
from starforge import report
run = report.init(dir="run")
signal.signal(signal.SIGALRM, lambda *_: report.log({"handler": 1}))
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
for n in range(20000):
    report.log({"main": n}, step=n)
signal.setitimer(signal.ITIMER_REAL, 0)
"""
    assert script(tmp_path, body).returncode == 0
    got = scalars(tmp_path / "run")
    assert got["main"][0] == list(range(20000)) and got["handler"][1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_in_the_middle_of_another_threads_report_is_harmless(tmp_path):
    body = """
import os, threading
from starforge import report
report.init(dir="run")
stop = threading.Event()
def work():
    while not stop.is_set():
        report.log({"parent": 1})
worker = threading.Thread(target=work)
worker.start()
for n in range(50):
    child = os.fork()
    if child == 0:
        report.log({"child": n})
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
worker.join()
"""
    assert script(tmp_path, body).returncode == 0
    assert sorted(scalars(tmp_path / "run")["child"][1]) == [float(n) for n in range(50)]


def shell(tmp_path, *words, **env):
    return subprocess.run(
        [sys.executable, "-m", "starforge.report", *words], cwd=tmp_path, capture_output=True,
        text=True, env={**os.environ, **env}, timeout=60, check=False,
    )  # fmt: skip


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


def test_the_files_copied_into_jobs_work_alone(tmp_path):
    """With the standard library and nothing else: `-I -S`, no site packages."""
    library = tmp_path / "lib" / "starforge"
    for name, text in {"__init__.py": "", **layout.library_sources()}.items():
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        (library / name).write_text(text, "utf-8")
    body = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'lib')!r})\n"
        "from starforge import report\nreport.log({'a': 1})\nreport.finish()\n"
        "import starforge.report_shell, starforge.rewards\n"
        f"assert report.__file__.startswith({str(tmp_path)!r})\n"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", body], cwd=tmp_path, check=True, timeout=60)
    assert scalars(only_run())["a"][1] == [1.0]


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

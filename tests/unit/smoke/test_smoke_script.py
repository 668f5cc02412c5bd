"""A smoke run of a script of one's own: it really runs, and nothing of it stays."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from starforge.catalog.load import load_catalog
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare
from starforge.smoke.reading import scalars_of
from starforge.smoke.run import Options, smoke

ENDLESS = """\
import os, pathlib, time
from starforge import report

pathlib.Path(os.environ["SEEN"]).write_text(os.environ["STARFORGE_SMOKE"] + " " + str(os.getpid()))
report.init(total_steps=1000)
for step in range(1, 1000):
    report.log({"loss": 1 / step}, step=step * 100)
    time.sleep(0.01)
"""


@pytest.fixture
def trial(tmp_path, monkeypatch):
    catalog = load_catalog()
    init_lab(tmp_path / "lab")
    folder = new_experiment(Lab(tmp_path / "lab"), "try", catalog.recipe("custom/custom"), catalog)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder, temporary


def run(folder: Path, script: str | None = None, **options):
    if script is not None:
        (folder / "train.py").write_text(script, "utf-8")
    prepared = prepare(folder)
    assert prepared.ok, prepared.findings
    said = []
    report = smoke(prepared, Options(**options), lambda text: said.append(text.en))
    return report, said


def with_place(script: str, seen: Path) -> str:
    return script.replace('os.environ["SEEN"]', repr(str(seen)))


def test_a_script_is_stopped_after_two_reported_steps(trial, tmp_path):
    folder, temporary = trial
    report, said = run(folder, with_place(ENDLESS, tmp_path / "seen"))
    assert report.ok, report
    assert [step.step for step in report.steps] == [100, 200]
    assert report.steps[0].metrics["loss"] == 1
    assert said[-1] == "step 2/2"
    smoke_word, pid = (tmp_path / "seen").read_text().split()
    assert smoke_word == "1"
    assert not Path(f"/proc/{pid}").exists()
    assert list(temporary.iterdir()) == []
    assert report.to_public()["proved"]


def test_one_that_fails_says_why_in_a_line(trial):
    folder, temporary = trial
    report, _ = run(folder, "print('loading')\nraise KeyError('labels')\n")
    assert not report.ok
    assert report.reason.en == "KeyError: 'labels'"
    assert report.tail[0] == "loading"
    assert report.proved == []
    assert list(temporary.iterdir()) == []


def test_one_that_reports_nothing_is_not_failed_but_said(trial):
    folder, _ = trial
    report, _ = run(folder, "print('done')\n")
    assert report.ok, report
    assert any("reported 0 steps" in text.en for text in report.open)


def test_figures_of_the_machine_are_no_steps(tmp_path):
    for name in ("system", "own"):
        file = tmp_path / "metrics" / f"{name}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_text('{"t": 1, "s": 5, "v": {"' + name + '/x": 2}}\n')
    catalog = load_catalog()
    init_lab(tmp_path / "lab")
    folder = new_experiment(Lab(tmp_path / "lab"), "try", catalog.recipe("custom/custom"), catalog)
    assert scalars_of(prepare(folder).plan, tmp_path) == {5: {"own/x": 2}}


def test_a_slow_one_is_stopped_when_time_is_up(trial):
    folder, temporary = trial
    report, _ = run(folder, "import time\ntime.sleep(600)\n", timeout=1.0)
    assert report.ok, report
    assert any("when time was up" in text.en for text in report.open)
    assert list(temporary.iterdir()) == []


def test_keep_leaves_the_folder_and_names_it(trial):
    folder, temporary = trial
    report, _ = run(folder, "print('done')\n", keep=True)
    assert Path(report.folder).parent == temporary
    assert (Path(report.folder) / "job" / "attempt-0" / "logs" / "trainer-0.log").is_file()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_leaves_nothing_behind(trial, tmp_path, number):
    folder, temporary = trial
    seen = tmp_path / "seen"
    script = ENDLESS.replace("step * 100", "1").replace("range(1, 1000)", "range(1, 100000)")
    (folder / "train.py").write_text(with_place(script, seen), "utf-8")
    argv = [sys.executable, "-m", "starforge.cli.main", "smoke", str(folder)]
    env = os.environ | {"STARFORGE_HOME": str(tmp_path / "home")}
    # A shell that started the tests in the background has its children ignore SIGINT.
    default = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    command = subprocess.Popen(
        argv,
        env=env,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=default,  # noqa: PLW1509 - there are no threads here
    )
    try:
        pid = wait_for(lambda: seen.is_file() and seen.read_text().partition(" ")[2])
        command.send_signal(number)
        command.communicate(timeout=60)
        assert wait_for(lambda: not Path(f"/proc/{pid}").exists())
        left = list(temporary.iterdir())
        if number is signal.SIGKILL:
            # Nobody could remove the folder: the next run does.
            assert len(left) == 1
            run(folder, "print('done')\n")
            left = list(temporary.iterdir())
        assert left == []
    finally:
        command.kill()
        command.wait()
        for stream in (command.stdout, command.stderr):
            with contextlib.suppress(ValueError):
                stream.close()


def wait_for(condition, seconds: float = 60):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found

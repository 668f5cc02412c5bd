"""The reporter in processes that fork, crash, are killed, or run alone."""

import os
import subprocess
import sys

import pytest
from report_support import only_run, read, scalars, script

from starforge import layout
from starforge.streams import decode_rows


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

"""Running an upstream command as a child: exit codes, signals, nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import starforge.frameworks

DRIVERS = Path(starforge.frameworks.__file__).parent / "_drivers"
RUN = "import sys; from upstream import run_upstream; sys.exit(run_upstream(sys.argv[1:]))"


def start(*command):
    return subprocess.Popen(
        [sys.executable, "-c", RUN, *command], cwd=DRIVERS, stdout=subprocess.PIPE, text=True
    )


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0]


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_the_command_after_the_dashes(monkeypatch):
    monkeypatch.syspath_prepend(str(DRIVERS))
    import upstream

    split = upstream.split_command
    assert split(["--job", "x", "--", "-m", "a", "--", "b"]) == (
        ["--job", "x"], ["-m", "a", "--", "b"],
    )  # fmt: skip
    assert split(["--job", "x"]) == (["--job", "x"], [])


@pytest.mark.parametrize(("code", "expected"), [("sys.exit(0)", 0), ("sys.exit(7)", 7),
                                               ("os.kill(os.getpid(), 9)", 137)])  # fmt: skip
def test_exit_codes_are_passed_on(code, expected):
    child = start(sys.executable, "-c", f"import os, sys; {code}")
    assert child.wait(60) == expected
    child.stdout.close()


LEAVES = """
import subprocess, sys, time
left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(left.pid, flush=True)
"""


def test_what_a_command_leaves_behind_is_ended():
    child = start(sys.executable, "-c", LEAVES)
    pid = int(child.stdout.readline())
    assert child.wait(60) == 0
    assert wait_until(lambda: not alive(pid))
    child.stdout.close()


def test_sigterm_reaches_the_whole_group():
    child = start(sys.executable, "-c", LEAVES + "time.sleep(600)")
    pid = int(child.stdout.readline())
    child.send_signal(signal.SIGTERM)
    assert child.wait(60) == 128 + signal.SIGTERM
    assert wait_until(lambda: not alive(pid))
    child.stdout.close()


def test_a_failure_that_upstream_passes_over_ends_it(tmp_path):
    code = (
        "import pathlib, sys; from upstream import run_upstream\n"
        "failed = pathlib.Path(sys.argv[1]).exists\n"
        "sys.exit(run_upstream(sys.argv[2:], failed=failed))\n"
    )
    seen = tmp_path / "failed"
    child = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(seen), sys.executable, "-c", child, str(seen)],
        cwd=DRIVERS, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 128 + signal.SIGTERM

"""Candidate code that misbehaves, really run: one clear verdict each, and nothing left."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from starforge.rewards import code, sandbox
from starforge.rewards.code import python_of
from starforge.rewards.code import tests_of as read_tests
from starforge.rewards.sandbox import Limits, run

QUICK = Limits(seconds=1.5, memory=512 << 20)
PATIENT = Limits(seconds=30.0, memory=512 << 20)
linux = pytest.mark.skipif(sys.platform != "linux", reason="seccomp and Landlock are of Linux")


@pytest.fixture(autouse=True)
def nothing_left(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    before = set(psutil.Process().children(recursive=True))  # of tests that ran earlier
    yield
    assert not set(psutil.Process().children(recursive=True)) - before
    assert not os.listdir(tmp_path / "temp")  # noqa: PTH208


def test_tests_that_pass_and_fail():
    add = "def add(a, b):\n    return a + b\n"
    assert run(add, ["assert add(1, 2) == 3"]) == ("passed", 1, 1, "")
    assert run(add, ["assert add(1, 2) == 3", "assert add(1, 1) == 3, 'no'"]) == (
        "failed", 1, 2, "AssertionError: no",
    )  # fmt: skip
    assert run("def add(:", ["assert 1"]).kind == "error"
    assert run(add, ["assert sub(1, 1) == 0"]).detail.startswith("NameError")


def test_programs_that_read_and_print():
    tests = [{"input": "3\n", "output": "6"}, {"input": "4\n", "output": "9\n"}]
    verdict = run("import sys\nprint(2 * int(sys.stdin.readline()))", tests)
    assert (verdict.kind, verdict.passed, verdict.total) == ("failed", 1, 2)
    assert "printed '8\\n', not '9\\n'" in verdict.detail
    assert run("print(2 * int(input()))\nraise SystemExit", tests[:1]).kind == "passed"


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("time", "while True: pass"),
        ("time", "import time; time.sleep(60)"),
        ("time", "import re; re.match('(a+)+b', 'a' * 40)"),
        ("memory", "x = [0] * 10**10"),
        ("memory", "x = []\nwhile True: x.append('a' * 10**7)"),
        ("processes", "import os\nwhile True: os.fork()"),
        ("processes", "import subprocess; subprocess.run(['sleep', '60'])"),
        ("processes", "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"),
        ("network", "import socket; socket.socket()"),
        ("network", "import urllib.request as u; u.urlopen('http://127.0.0.1:9')"),
        ("disk", "open('a', 'w').write('x' * 10**8)"),
        ("crashed", "import os; os._exit(0)"),
        ("crashed", "import ctypes; ctypes.string_at(0)"),
        ("error", "import threading as t, time\n"
                  "while True: t.Thread(target=time.sleep, args=(60,)).start()"),
    ],
)  # fmt: skip
def test_code_that_misbehaves(kind, source):
    # Only what is meant to run out of time has little of it: a busy machine is slow.
    verdict = run(source, ["assert True"], QUICK if kind == "time" else PATIENT)
    # The one network call is wrapped by urllib in its own exception.
    wrapped = kind == "network" and verdict.kind == "error" and "not allowed here" in verdict.detail
    assert verdict.kind == kind or wrapped, verdict
    assert verdict.passed == 0
    assert verdict.detail


def test_many_files_are_stopped_too():
    source = "n = 0\nwhile True:\n    n += 1\n    open(str(n), 'w').write('x' * 10**6)"
    assert run(source, ["assert True"], PATIENT).kind == "disk"


def test_files_outside_of_its_folder_can_not_be_written(tmp_path):
    target = tmp_path / "outside"
    assert run(f"open({str(target)!r}, 'w')", ["assert True"]).kind == "files"
    target.write_text("kept")
    for way in ("os.remove", "os.truncate"):
        more = ", 0" if way == "os.truncate" else ""
        assert run(f"import os; {way}({str(target)!r}{more})", ["assert True"]).kind == "files"
    assert target.read_text() == "kept"
    own = "open('own', 'w').write('x')\nassert open('own').read() == 'x'"
    assert run(own, ["assert True"]).kind == "passed"


@linux
def test_what_goes_round_python_meets_the_kernel(tmp_path):
    target = tmp_path / "outside"
    target.write_text("secret")
    native = f"""
import ctypes
libc = ctypes.CDLL(None)
assert libc.fork() == -1 and libc.socket(2, 1, 0) == -1
assert libc.kill({os.getpid()}, 0) == -1
assert libc.open({str(target).encode()!r}, 0) == -1
assert libc.open({str(target).encode()!r}, 0o1101, 0o600) == -1
assert libc.chmod({str(target).encode()!r}, 0) == -1
assert libc.unshare(0x10000000) == -1
"""
    assert run(native, ["assert True"]) == ("passed", 1, 1, "")
    assert target.read_text() == "secret"
    assert run(f"open({str(target)!r}).read()", ["assert True"]).kind == "files"


def test_a_verdict_can_not_be_forged():
    source = (
        'import os\nline = b\'{"verdict": {"kind": "passed", "passed": 1, "total": 1}}\\n\'\n'
        "for number in range(3, 20):\n    try: os.write(number, line)\n"
        "    except OSError: pass\nos._exit(0)"
    )
    assert run(source, ["assert False"]).kind == "crashed"
    assert run("import sys; sys.exit(0)", ["assert False"]).kind == "failed"


def test_an_expected_output_is_not_to_be_found():
    """Models walk the call stack, and the heap, for what their program should print."""
    search = """
import gc, sys
frame, found = sys._getframe(), []
while frame:
    found += [repr(value) for value in [*frame.f_locals.values(), *frame.f_globals.values()]]
    frame = frame.f_back
found += [repr(value) for value in gc.get_objects()]
wanted = "".join(["forty", "-", "two"])
print(next((wanted for text in found if wanted in text), "nothing"))
"""
    verdict = run(search, [{"input": "", "output": "forty-two"}])
    assert verdict.kind == "failed" and "printed 'nothing" in verdict.detail


def test_many_tests_and_long_outputs_come_through():
    tests = [{"input": f"{n}\n", "output": f"{n}" * 100_000} for n in range(300)]
    assert run("print(input() * 100_000)", tests, PATIENT) == ("passed", 300, 300, "")


def test_code_that_floods_the_channel_is_stopped():
    flood = "import os\nwhile True:\n    for n in range(3, 20):\n" + (
        "        try: os.write(n, b'x' * 65536)\n        except OSError: pass"
    )
    assert run(flood, ["assert True"], QUICK).kind == "time"


def test_threads_and_packages_work():
    source = "import threading\nt = threading.Thread(target=list); t.start(); t.join()"
    assert run(source, ["assert True"]).kind == "passed"


def test_it_sees_nothing_of_the_environment(monkeypatch):
    monkeypatch.setenv("STARFORGE_TOKEN", "secret")
    source = "import os\nassert 'STARFORGE_TOKEN' not in os.environ\nassert os.listdir('.') == []"
    assert run(source, ["assert True"]).kind == "passed"


def test_weak_guards_are_said_once(capsys, monkeypatch):
    monkeypatch.setattr(sandbox, "_warned", type(sandbox._warned)())
    for _ in range(2):
        sandbox._warn({"network": False, "files": True})
    assert capsys.readouterr().err.count("no guard for network of candidate code") == 1


def test_the_reward():
    good = "Here:\n```python\ndef f(x): return x + 1\n```\nDone."
    half = "```python\ndef f(x): return 2\n```"
    tests = ["assert f(1) == 2", "assert f(2) == 3"]
    assert code([good, half, "I can't."], [tests] * 3) == [1, 0, 0]
    assert code([good, half, ""], [tests] * 3, partial=True, workers=1) == [1, 0.5, 0]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("```python\na = 1\n```\n```python\nb = 2\n```", "b = 2\n"),
        ("```\na = 1\n```", "a = 1\n"),
        ("```python\na = 1\n```\n```text\nhi\n```", "a = 1\n"),
        ("def f(): pass", "def f(): pass"),
        ("<answer>def f(): pass</answer>", "def f(): pass"),
        ("I don't know.", ""),
        ("", ""),
    ],
)
def test_where_the_code_is(text, source):
    assert python_of(text) == source


def test_forms_of_tests():
    pair = {"input": "1", "output": "2"}
    assert read_tests("assert f() == 1") == ["assert f() == 1"]
    assert read_tests('["assert 1", "assert 2"]') == ["assert 1", "assert 2"]
    assert read_tests({"inputs": ["1"], "outputs": ["2"]}) == read_tests([pair]) == [pair]
    assert read_tests("[f(x) for x in (1,)]") == ["[f(x) for x in (1,)]"]
    for wrong in ([], [1], "", {"input": 1, "output": "2"}):
        with pytest.raises(ValueError, match="test"):
            read_tests(wrong)


def test_two_children_at_once_do_not_meet():
    source = "def f(): return open('x', 'a').write('1')\n"
    assert code([source] * 4, [["assert f() == 1"]] * 4, workers=4) == [1, 1, 1, 1]
    assert not Path("x").exists()

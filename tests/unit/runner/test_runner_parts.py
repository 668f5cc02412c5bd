import itertools
import json
import os
import threading
import time
from types import SimpleNamespace

import pytest

from starforge import layout
from starforge.runner import hardware, texts
from starforge.runner.files import read_json, write_json
from starforge.runner.hardware import GpuSampler, Hardware
from starforge.runner.journal import Journal, append
from starforge.runner.launch import LaunchError, read_launch
from starforge.runner.status import Ending, Status
from starforge.runner.supervise import last_lines
from starforge.runner.wake import Wake
from starforge.streams import decode_scalars


def test_hardware_figures_are_a_report_stream(tmp_path):
    (tmp_path / layout.METRICS).mkdir()
    sampler = Hardware(tmp_path, Journal(tmp_path / "log"), gpus="")
    sampler.write()
    got = decode_scalars("report", (tmp_path / hardware.FILE).read_bytes())
    values = {name: columns.values[0] for name, columns in got.series.items()}
    assert set(values) == {
        "system/cpu_percent", "system/memory_gb", "system/job_memory_gb", "system/disk_free_gb",
    }  # fmt: skip
    assert 0 <= values["system/cpu_percent"] <= 100
    assert values["system/memory_gb"] > 0.01


def test_a_folder_that_is_gone_costs_only_the_sample(tmp_path):
    Hardware(tmp_path / "none", Journal(tmp_path / "log"), gpus="").write()
    assert "could not be written" in (tmp_path / "log").read_text()


def test_one_sample_a_second_so_that_no_step_is_there_twice(tmp_path, monkeypatch):
    """The last sample, when the processes have ended, may come right behind the one before."""
    (tmp_path / layout.METRICS).mkdir()
    now = iter([100.0, 105.0, 105.9, 106.0])
    monkeypatch.setattr(hardware, "time", SimpleNamespace(monotonic=now.__next__, time=time.time))
    sampler = Hardware(tmp_path, Journal(tmp_path / "log"), gpus="")
    for _ in range(3):
        sampler.write()
    got = decode_scalars("report", (tmp_path / hardware.FILE).read_bytes())
    assert list(got.series["system/cpu_percent"].steps) == [5, 6]


def test_a_sample_every_few_seconds_until_it_is_closed(tmp_path, monkeypatch):
    (tmp_path / layout.METRICS).mkdir()
    seconds = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: next(seconds), time=time.time)
    monkeypatch.setattr(hardware, "time", clock)
    twice = threading.Event()

    class Counting(Hardware):
        def write(self):
            super().write()
            if len((tmp_path / hardware.FILE).read_text().splitlines()) == 2:
                twice.set()

    assert hardware.INTERVAL == 5.0
    sampler = Counting(tmp_path, Journal(tmp_path / "log"), gpus="", interval=0.01)
    sampler.start()
    assert twice.wait(30)
    sampler.close()
    written = (tmp_path / hardware.FILE).read_bytes()
    assert not any(one.name == "hardware" and one.is_alive() for one in threading.enumerate())
    assert (tmp_path / hardware.FILE).read_bytes() == written


SMI = "0, GPU-aa, 97, 40000\n1, GPU-bb, [N/A], 1000\n"


def test_gpus_of_the_job_only():
    both = GpuSampler(None, lambda: SMI).sample()
    assert both == {
        "system/gpu0_percent": 97.0,
        "system/gpu0_memory_gb": pytest.approx(41.94304),
        "system/gpu1_memory_gb": pytest.approx(1.048576),
    }
    assert set(GpuSampler("1", lambda: SMI).sample()) == {"system/gpu1_memory_gb"}
    assert "system/gpu0_percent" in GpuSampler("GPU-aa", lambda: SMI).sample()
    assert GpuSampler("", lambda: SMI).sample() == {}


def test_a_tool_that_fails_is_asked_three_times():
    asked = []
    sampler = GpuSampler(None, lambda: asked.append(1))
    assert [sampler.sample() for _ in range(5)] == [{}] * 5
    assert len(asked) == 3


def test_json_is_replaced_whole(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, {"名": 1})
    with pytest.raises(TypeError):
        write_json(path, {"a": object()})
    assert read_json(path) == {"名": 1}
    path.write_text("{")
    assert read_json(path) is None


def test_status_takes_over_progress(tmp_path):
    status = Status(tmp_path, Journal(tmp_path / "log"))
    assert status.state("running")
    write_json(tmp_path / layout.PROGRESS, {"step": 3, "total": 10, "time": 1.0})
    status.refresh()
    assert read_json(tmp_path / layout.STATUS)["progress"] == {"step": 3, "total": 10}
    (tmp_path / layout.PROGRESS).write_text('{"step": NaN, "total": "x"}')
    status.refresh()
    assert status.current()["progress"] == {"step": None, "total": None}
    ending = Ending("failed", "exit_code", texts.exit_code("trainer-0", 137, "boom"), 137)
    status.state("failed", ending)
    final = read_json(tmp_path / layout.STATUS)
    assert (final["state"], final["reason"], final["exit_code"]) == ("failed", "exit_code", 137)
    assert "memory" in final["message"] and "boom" in final["message"]
    assert "内存" in final["message_zh"]
    assert final["ended_at"] >= final["started_at"]


def test_a_status_that_cannot_be_written_is_said_once(tmp_path):
    status = Status(tmp_path / "none", Journal(tmp_path / "log"))
    assert not status.state("running")
    assert not status.state("running")
    assert (tmp_path / "log").read_text().count("status.json could not be written") == 1


def test_journal_lines_wait_for_room(tmp_path):
    journal = Journal(tmp_path / "none" / "log")
    journal.say("one")
    (tmp_path / "none").mkdir()
    journal.say("two")
    assert [line.split(" ", 1)[1] for line in (tmp_path / "none/log").read_text().splitlines()] == [
        "one", "two",
    ]  # fmt: skip


def test_half_written_appends_are_taken_back(tmp_path, monkeypatch):
    path = tmp_path / "a"
    append(path, b"one\n")
    whole_write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: whole_write(fd, data[:2]))
    with pytest.raises(OSError, match="only 2 of 4"):
        append(path, b"two\n")
    assert path.read_bytes() == b"one\n"


def test_wake_from_another_thread():
    wake = Wake()
    assert not wake.wait(0)
    threading.Timer(0.02, wake.set).start()
    assert wake.wait(10)
    assert not wake.wait(0)
    for _ in range(100_000):  # never blocks, however often
        wake.set()
    assert wake.wait(0) and not wake.wait(0)
    wake.close()


def test_last_lines(tmp_path):
    path = tmp_path / "log"
    assert last_lines(path) == ""
    path.write_bytes(b"x" * 10_000 + b"\n\n1\n2\r3\n\xff4\n5\n\n6\n")
    assert last_lines(path) == "2\n3\n\ufffd4\n5\n6"


def test_a_progress_bar_is_one_of_the_last_lines(tmp_path):
    path = tmp_path / "trainer-0.log"
    states = b"".join(b"\rstep:  %d%%|##  | %d/20 [00:01<00:02]" % (n, n) for n in range(20))
    path.write_bytes(b"Loading\n" + states + b"\nTraceback:\nValueError: no\n")
    assert last_lines(path).splitlines() == [
        "Loading", "step:  19%|##  | 19/20 [00:01<00:02]", "Traceback:", "ValueError: no"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "No such file"),
        ("{", "Expecting"),
        ('{"job": "j", "attempt": 0}', "processes"),
        ('{"job": "j", "attempt": 0, "processes": []}', "no process"),
        (
            '{"job": "j", "attempt": "x", "processes": [{"role": "r", "argv": ["a"]}]}',
            "invalid literal",
        ),
        ("[]", "launch.json"),
    ],
)
def test_a_bad_launch_file_is_explained(tmp_path, content, says):
    if content is not None:
        (tmp_path / layout.LAUNCH).write_text(content)
    with pytest.raises(LaunchError) as caught:
        read_launch(tmp_path)
    assert says in caught.value.said.en
    assert "launch.json" in caught.value.said.zh


def test_a_launch_file_has_defaults(tmp_path):
    raw = {"job": "j", "attempt": 1, "processes": [{"role": "r", "argv": ["a"], "env": None}]}
    (tmp_path / layout.LAUNCH).write_text(json.dumps(raw))
    launch = read_launch(tmp_path)
    assert launch.tag == "j/1"
    assert launch.policies.stop_grace == 30 and launch.policies.nan_loss
    assert launch.server is None and launch.ship_timeout == 60


def test_last_lines_hold_no_codes_for_terminals(tmp_path):
    log = tmp_path / "trainer-0.log"
    log.write_bytes(
        b"\x1b[1;31mRed\x1b[0m and \x1b[38;5;9mmore\x1b[K\n"
        b"\x1b]0;a title\x07after \x1b]8;;http://x\x1b\\a link\x1b]8;;\x1b\\\n"
        b"10%\r20%\r100%\n\x1b(Bbell\x07\x08\ttab \xe4\xbd\xa0\xe5\xa5\xbd\x1b[3"
    )
    assert last_lines(log).splitlines() == [
        "after a link",
        "10%",
        "20%",
        "100%",
        "bell\ttab 你好",
    ]
    log.write_bytes(b"\x1b[1;31mRed\x1b[0m and \x1b[38;5;9mmore\x1b[K\n")
    assert last_lines(log) == "Red and more"

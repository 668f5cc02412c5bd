"""Background tasks."""

import threading
import time

import pytest

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.bus import Bus
from starforge.server.services.tasks import Tasks, shape


def ended(tasks, task):
    deadline = time.monotonic() + 5
    while task.state == "running" and time.monotonic() < deadline:
        time.sleep(0.005)
    return tasks.get(task.id)


def test_one_task_a_target_with_progress():
    tasks, go = Tasks(Bus()), threading.Event()

    def work(progress):
        progress("half", 1, 2)
        go.wait(5)

    task = tasks.start("runtime", "trl/cpu", work)
    assert tasks.start("runtime", "trl/cpu", work) is task
    go.set()
    done = ended(tasks, task)
    assert (done.state, done.done, done.total) == ("succeeded", 1, 2)
    assert tasks.start("runtime", "trl/cpu", lambda progress: None) is not task
    assert shape(done, "en").state == "succeeded"


def test_failures_say_why_in_the_readers_language():
    tasks = Tasks(Bus())

    def work(progress):
        raise StarForgeError("x", Text("no", "不行"), Text("do", "做"))

    done = ended(tasks, tasks.start("runtime", "a", work))
    assert (done.state, shape(done, "zh").message, shape(done, "zh").hint) == (
        "failed",
        "不行",
        "做",
    )

    def broken(progress):
        raise RuntimeError("defect")

    assert ended(tasks, tasks.start("runtime", "b", broken)).state == "failed"
    with pytest.raises(StarForgeError):
        tasks.get("none")

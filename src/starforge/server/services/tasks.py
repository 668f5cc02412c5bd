"""Work in the background of the server, with progress anybody can follow."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

import msgspec
import structlog

from starforge.errors import StarForgeError
from starforge.i18n import Lang, Text
from starforge.server.bus import Bus
from starforge.server.errors import not_found
from starforge.wire.base import from_unix
from starforge.wire.runtimes import Task as TaskShape

log = structlog.get_logger("starforge.tasks")

KEPT = 100


class Task(msgspec.Struct, kw_only=True):
    """One piece of work; changed only by its own thread."""

    id: str
    kind: str
    target: str
    state: str = "running"
    done: int | None = None
    total: int | None = None
    message: Text | None = None
    hint: Text | None = None
    started_at: float
    ended_at: float | None = None


Work = Callable[[Callable[[str, int | None, int | None], None]], None]


class Tasks:
    """Runs one task for each ``(kind, target)`` at a time and remembers the last ones."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._lock = threading.Lock()
        self._tasks: OrderedDict[str, Task] = OrderedDict()

    def start(self, kind: str, target: str, work: Work) -> Task:
        """Start ``work`` in a thread; the running task of the same target if there is one."""
        with self._lock:
            for task in self._tasks.values():
                if (task.kind, task.target, task.state) == (kind, target, "running"):
                    return task
            task = Task(id=secrets.token_hex(5), kind=kind, target=target, started_at=time.time())
            self._tasks[task.id] = task
            while len(self._tasks) > KEPT:
                self._tasks.popitem(last=False)
        threading.Thread(
            target=self._run, args=(task, work), name=f"task-{task.id}", daemon=True
        ).start()
        return task

    def get(self, task_id: str) -> Task:
        """Return a task."""
        with self._lock:
            task = self._tasks.get(task_id)
        if task is None:
            raise not_found(
                Text(f"there is no task `{task_id}`", f"没有编号为 `{task_id}` 的后台任务"),
                code="task/not-found",
            )
        return task

    def all(self) -> list[Task]:
        """Return all remembered tasks, newest first."""
        with self._lock:
            return list(reversed(self._tasks.values()))

    def _run(self, task: Task, work: Work) -> None:
        def progress(message: str, done: int | None, total: int | None) -> None:
            task.message, task.done, task.total = Text(message, message), done, total
            self._bus.publish("task", data=task.id)

        ended = "succeeded"
        try:
            work(progress)
        except StarForgeError as error:
            task.message, task.hint, ended = error.message, error.hint, "failed"
        except Exception as error:
            log.exception("task failed", task=task.id, kind=task.kind, target=task.target)
            task.message, ended = Text(str(error), str(error)), "failed"
        task.ended_at = time.time()
        task.state = ended  # last: whoever sees it finds the rest in place
        self._bus.publish("task", data=task.id)


def shape(task: Task, lang: Lang) -> TaskShape:
    """Return a task as the API shows it."""
    return TaskShape.model_validate(
        {
            "id": task.id,
            "kind": task.kind,
            "target": task.target,
            "state": task.state,
            "done": task.done,
            "total": task.total,
            "message": task.message.pick(lang) if task.message else None,
            "hint": task.hint.pick(lang) if task.hint else None,
            "started_at": from_unix(task.started_at),
            "ended_at": from_unix(task.ended_at),
        }
    )

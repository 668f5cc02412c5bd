"""Leave no process behind: adopt orphans, find what belongs to a job, end it.

A process belongs to a job when any of these holds: its environment carries the job's tag;
it is in a session or group of a process the runner started; it descends from such a
process or, while the runner lives, from the runner (which adopts orphans).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from starforge import layout
from starforge.runner import folders, procs, shm
from starforge.runner.procs import Proc

_PR_SET_CHILD_SUBREAPER = 36
_POLL = 0.1
_KILL_PATIENCE = 10.0

Finder = Callable[[], list[Proc]]


def become_subreaper() -> bool:
    """Make orphaned descendants children of this process (Linux). Say whether it is so."""
    if not sys.platform.startswith("linux"):
        return False
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        return int(libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) == 0
    return False


def collect_orphans(own: Iterable[int]) -> None:
    """Take the exit status of adopted processes so that none stays a zombie.

    Call it after the ``own`` children were polled; theirs are left for their `Popen`.
    """
    own = set(own)
    with contextlib.suppress(ChildProcessError):
        while True:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None or ended.si_pid in own:
                break
            os.waitpid(ended.si_pid, os.WNOHANG)


def below_runner(tag: str, roots: Iterable[tuple[int, int]] = ()) -> list[Proc]:
    """Return the live processes of a job, seen from its runner (this process)."""
    table = procs.snapshot()
    found = procs.descendants(table, [os.getpid()]) | _tagged(table, tag)
    found |= _of_roots(table, roots)
    return _alive(table, found | procs.descendants(table, found))


def of_tag(tag: str, roots: Iterable[tuple[int, int]] = ()) -> list[Proc]:
    """Return the live processes of a job, seen from anywhere.

    ``roots`` are ``(pid, started)`` of processes its runner started.
    """
    table = procs.snapshot()
    found = _tagged(table, tag) | _of_roots(table, roots)
    return _alive(table, found | procs.descendants(table, found))


def kill_tagged(tag: str, *, grace: float = 0.0, attempt_dir: Path | None = None) -> int:
    """End every process of the attempt ``tag`` (``<job>/<attempt>``); return how many.

    Works from any process of the same user. With ``grace`` (seconds) they first get SIGTERM.
    ``attempt_dir`` lets its ``processes.json`` help to find those without the tag; what the
    attempt kept outside of that folder then goes, too.
    """
    roots = read_roots(attempt_dir) if attempt_dir else []
    seen: set[tuple[int, int]] = set()

    def find() -> list[Proc]:
        # What was seen once stays ours, even if its parent has ended meanwhile.
        found = of_tag(tag, [*roots, *seen])
        seen.update((proc.pid, proc.started) for proc in found)
        return found

    if end_all(find, grace=grace) and attempt_dir:
        folders.remove(attempt_dir)
    return len(seen)


def end_all(find: Finder, *, grace: float, tick: Callable[[], None] | None = None) -> bool:
    """SIGTERM what ``find`` gives, wait ``grace`` seconds, SIGKILL until nothing is left.

    ``tick`` runs between looks (a runner collects orphans there). Returns whether all went;
    a process stuck inside the kernel may not. Shared memory that only they had goes, too.
    """
    segments = shm.mapped(proc.pid for proc in find())
    gone = _end_all(find, grace, tick)
    if gone:
        shm.remove(segments)
    return gone


def _end_all(find: Finder, grace: float, tick: Callable[[], None] | None) -> bool:
    if grace > 0:
        send(find(), signal.SIGTERM)
        if _wait_gone(find, grace, tick):
            return True
    deadline = time.monotonic() + _KILL_PATIENCE
    while time.monotonic() < deadline:
        send(find(), signal.SIGKILL)
        if _wait_gone(find, _POLL, tick):
            return True
    return not find()


def send(targets: Iterable[Proc], number: signal.Signals) -> None:
    """Send a signal to processes that are still the ones they were."""
    for proc in targets:
        now = procs.lookup(proc.pid)
        if now is not None and now.started == proc.started:
            with contextlib.suppress(OSError):
                os.kill(proc.pid, number)


def read_roots(attempt_dir: Path) -> list[tuple[int, int]]:
    """Return ``(pid, started)`` of the processes a runner wrote down; empty if it didn't."""
    try:
        entries = json.loads((attempt_dir / layout.PROCESSES).read_text("utf-8"))
        return [(int(entry["pid"]), int(entry["start_ticks"])) for entry in entries]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _wait_gone(find: Finder, seconds: float, tick: Callable[[], None] | None) -> bool:
    deadline = time.monotonic() + seconds
    while True:
        gone = not find()
        if tick is not None:
            tick()  # after the look: those it found gone must not stay as zombies
        if gone:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL)


def _tagged(table: dict[int, Proc], tag: str) -> set[int]:
    variable = f"{layout.ENV_TAG}={tag}".encode()
    return {pid for pid in table if procs.has_variable(pid, variable)}


def _of_roots(table: dict[int, Proc], roots: Iterable[tuple[int, int]]) -> set[int]:
    """Return the processes in the sessions that the roots lead.

    A root that has ended still names its session: the kernel gives its number to no other
    process while anyone is in it. A process that has the number but started at another
    time is a stranger, and so is its session.
    """
    leaders = dict(roots)
    found: set[int] = set()
    for proc in table.values():
        for number in (proc.pid, proc.session, proc.group):
            started = leaders.get(number)
            if started is None:
                continue
            leader = table.get(number)
            if leader is None or leader.started == started:
                found.add(proc.pid)
    return found


def _alive(table: dict[int, Proc], pids: Iterable[int]) -> list[Proc]:
    """Return live processes other than this one and those above it."""
    above = {os.getpid()}
    proc = table.get(os.getpid())
    while proc is not None and proc.parent not in above:
        above.add(proc.parent)
        proc = table.get(proc.parent)
    return [table[pid] for pid in pids if pid not in above and not table[pid].zombie]

"""The processes of this machine as ``/proc`` shows them (Linux; empty elsewhere)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True, slots=True)
class Proc:
    """One process. ``started`` (clock ticks since boot) with ``pid`` names it for good."""

    pid: int
    parent: int
    group: int
    session: int
    started: int
    memory: int
    zombie: bool


def snapshot() -> dict[int, Proc]:
    """Return every process by pid."""
    found: dict[int, Proc] = {}
    try:
        names = os.listdir(_PROC)  # noqa: PTH208 - called often, and Path objects cost
    except OSError:
        return found
    for name in names:
        if name.isdigit():
            proc = lookup(int(name))
            if proc is not None:
                found[proc.pid] = proc
    return found


def lookup(pid: int) -> Proc | None:
    """Return one process, or ``None`` when there is none of that pid."""
    try:
        text = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    # The command name is in parentheses and may itself hold spaces and parentheses.
    fields = text[text.rfind(b")") + 2 :].split()
    if len(fields) < 22:
        return None
    return Proc(
        pid=pid,
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        started=int(fields[19]),
        memory=int(fields[21]) * _PAGE,
        zombie=fields[0] in (b"Z", b"X"),
    )


def has_variable(pid: int, variable: bytes) -> bool:
    """Say whether ``NAME=value`` stands in the environment the process was started with."""
    try:
        environ = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return variable in environ.split(b"\0")


def descendants(table: dict[int, Proc], roots: Iterable[int]) -> set[int]:
    """Return the pids below ``roots`` (without the roots themselves)."""
    children: dict[int, list[int]] = {}
    for proc in table.values():
        children.setdefault(proc.parent, []).append(proc.pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found

"""Kill servers, runners and trainers at random moments, and remember who was hit."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

from world import World

KINDS = ("server", "runner", "trainer", "both", "everything")
WEIGHTS = (5, 3, 3, 2, 1)
ROLES = {
    "runner": ("runner",), "trainer": ("trainer",),
    "both": ("runner", "trainer"), "everything": ("runner", "trainer"),
}  # fmt: skip
LONGEST_AWAY = 4.0  # seconds the server stays away
LONGEST_SPARED = 10.0  # seconds after a start without another kill of the server

Target = tuple[str, int]  # job, attempt


class Killer(threading.Thread):
    """A thread that kills until it is told to stop; the server lives in the end."""

    def __init__(self, world: World, rng: random.Random, pause: float) -> None:
        super().__init__(name="killer", daemon=True)
        self.kills: Counter[str] = Counter()
        self.hits: defaultdict[Target, set[str]] = defaultdict(set)
        self.error: Exception | None = None
        self._world = world
        self._rng = rng
        self._pause = pause
        self._quit = threading.Event()
        self._spared_until = 0.0
        self._back_at: float | None = None  # when a server that was killed is started again

    def run(self) -> None:
        """Kill at random moments, ``pause`` seconds apart on average."""
        strike_at = time.monotonic() + self._pause
        try:
            while not self._quit.wait(0.02):
                now = time.monotonic()
                if self._back_at is not None and now >= self._back_at:
                    self._back_at = None
                    self._world.start()
                    # Sometimes killed while it starts, but not so often that nothing goes on.
                    self._spared_until = now + self._rng.uniform(0, LONGEST_SPARED)
                if now >= strike_at:
                    strike_at = now + self._rng.expovariate(1 / self._pause)
                    self._strike(self._rng.choices(KINDS, WEIGHTS)[0])
            if self._back_at is not None:
                self._world.start()
        except Exception as error:
            self.error = error

    def stop(self) -> None:
        """Kill no more; a server that is away comes back."""
        self._quit.set()
        self.join()

    def _strike(self, kind: str) -> None:
        found = processes(self._world.home)
        if kind != "server":
            if not found:
                return
            if kind != "everything":
                target = self._rng.choice(sorted(found))
                found = {target: found[target]}
        elif self._back_at is not None or time.monotonic() < self._spared_until:
            return  # it is away already, or has hardly begun
        if kind in ("server", "everything"):
            self._world.kill_server()
            away = self._rng.uniform(0, LONGEST_AWAY) if self._rng.random() < 0.7 else 0
            self._back_at = self._back_at or time.monotonic() + away
        if kind == "server" or self._kill(found, ROLES[kind]):
            self.kills[kind] += 1

    def _kill(self, found: dict[Target, list[tuple[str, int]]], roles: tuple[str, ...]) -> int:
        """Kill who has one of the roles; return how many there were."""
        victims = [(t, role, pid) for t, all_ in found.items() for role, pid in all_]
        victims = [victim for victim in victims if victim[1] in roles]
        self._rng.shuffle(victims)
        for target, role, pid in victims:
            self.hits[target].add(role)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(victims)


def processes(home: Path) -> dict[Target, list[tuple[str, int]]]:
    """Return ``(role, pid)`` of the live runners and trainers of a home, by attempt."""
    found: dict[Target, list[tuple[str, int]]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError):
            words = (entry / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            role, folder = _role(words, entry)
            attempt = Path(folder)
            if role and attempt.is_relative_to(home):
                target = attempt.parent.name, int(attempt.name.removeprefix("attempt-"))
                found.setdefault(target, []).append((role, int(entry.name)))
    return found


def _role(words: list[str], entry: Path) -> tuple[str, str]:
    if "starforge.runner" in words:
        return "runner", next(word for word in reversed(words) if word)
    for pair in (entry / "environ").read_bytes().decode("utf-8", "replace").split("\0"):
        if pair.startswith("STARFORGE_ATTEMPT_DIR="):
            return "trainer", pair.partition("=")[2]
    return "", ""

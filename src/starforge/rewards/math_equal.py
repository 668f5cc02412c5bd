"""Equality of mathematical expressions, by math-verify."""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from starforge.rewards.answers import final_answer

WORKER = Path(__file__).with_name("math_worker.py")
START = 120.0  # seconds until the worker has loaded SymPy


def math_equal(
    completions: Sequence[str], answer: Sequence[Any], *, seconds: float = 5.0
) -> list[float]:
    """Return 1.0 where a completion's answer equals the row's mathematically, else 0.0.

    Both may be LaTeX or plain expressions: ``\\frac{1}{2}``, ``0.5`` and ``1/2`` are equal.
    A row's answer that is no expression (a name) is compared as text.
    ``seconds`` is how long one comparison may take; longer ones count as not equal. Needs
    ``math-verify``, which the runtimes of the frameworks have.
    """
    if importlib.util.find_spec("math_verify") is None:
        raise ModuleNotFoundError(
            "math_equal needs the package math-verify (module `math_verify`)", name="math_verify"
        )
    pairs = [
        (final_answer(str(wanted)), final_answer(text))
        for text, wanted in zip(completions, answer, strict=True)
    ]
    with _lock:
        return [float(_compare(*pair, seconds)) for pair in pairs]


class _Worker:
    """A process that compares: math-verify stops runaway comparisons by signals.

    Those work in the main thread of a process only, and frameworks call rewards from others.
    """

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, encoding="utf-8",
        )  # fmt: skip
        self.owner = os.getpid()
        atexit.register(self.end)
        self._answers: Queue[str] = Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._next(START)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _next(self, seconds: float) -> Any:
        line = self._answers.get(timeout=seconds)
        if not line:
            raise RuntimeError(f"the process that compares ended ({self.process.wait()})")
        return json.loads(line)

    def compare(self, gold: str, text: str, seconds: float) -> bool:
        assert self.process.stdin is not None
        job = {"gold": gold, "text": text, "seconds": seconds}
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        return bool(self._next(3 * seconds + 5)["equal"])  # its own limits come first

    def end(self) -> None:
        if self.owner == os.getpid():
            atexit.unregister(self.end)
            self.process.kill()
            self.process.wait()


_lock = threading.Lock()
_workers: list[_Worker] = []


def _compare(gold: str, text: str, seconds: float) -> bool:
    if _workers and _workers[0].owner != os.getpid():
        _workers.clear()  # this process was forked; the worker answers its parent
    if not _workers:
        _workers.append(_Worker())
    try:
        return _workers[0].compare(gold, text, seconds)
    except Empty:
        _workers.pop().end()  # stuck where no signal reaches it; the next one gets a new process
        return False
    except (RuntimeError, OSError):
        _workers.pop().end()
        raise

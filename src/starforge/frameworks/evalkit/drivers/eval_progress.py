"""Follow the harness's own progress and tell the runner how far the job is."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Any

from job_files import say, write_progress

from starforge.lang import t

PARTS = 1000  # each benchmark counts a thousand parts, whatever its size
EVERY = 0.5  # seconds between two writes of progress.json
LINE_EVERY = 15.0  # seconds between two lines in the log


class Progress:
    """Counts requests answered; ``progress.json`` holds thousandths of benchmarks."""

    def __init__(self, benchmarks: int) -> None:
        self.total = benchmarks * PARTS
        self.started = -1
        self.name = ""
        self.written = 0.0
        self.said = time.monotonic()
        write_progress(0, self.total)

    def begin(self, name: str) -> None:
        """Start with the next benchmark."""
        self.started += 1
        self.name = name
        self.said = time.monotonic()
        write_progress(self.started * PARTS, self.total)

    def finish(self) -> None:
        """Say that all is done."""
        write_progress(self.total, self.total)

    def moved(self, done: int, total: int | None) -> None:
        """Take how many of the benchmark's requests are answered."""
        now = time.monotonic()
        if now - self.written >= EVERY:
            self.written = now
            share = min(1.0, done / total) if total else 0.0
            write_progress(int((self.started + share) * PARTS), self.total)
        if now - self.said >= LINE_EVERY:
            self.said = now
            say("{name}: {done} of {total} requests", "{name}：已完成 {done}/{total} 个请求",
                name=self.name, done=done, total=total or t("?", "未知"))  # fmt: skip


def follow_lm_eval(progress: Progress) -> None:
    """Put a silent bar in place of lm-eval's, which would fill the log."""
    from lm_eval.api import model
    from lm_eval.models import huggingface
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[type-arg]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs["disable"] = True
            super().__init__(*args, **kwargs)
            iterable = args[0] if args else kwargs.get("iterable")
            known = kwargs.get("total")
            self.length = known if known is not None else _length(iterable)
            self.done = 0

        def __iter__(self) -> Any:
            for item in self.iterable:
                yield item
                self.update(1)

        def update(self, n: float | None = 1) -> bool | None:
            self.done += int(n or 0)
            progress.moved(self.done, self.length)
            return None

    class Silent(tqdm):  # type: ignore[type-arg]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs | {"disable": True})

    huggingface.tqdm = Bar
    model.tqdm = Silent  # tokenizing: over in a moment, and no progress of the benchmark


def follow_evalscope(progress: Progress) -> None:
    """Count the items that evalscope has asked and scored."""
    from evalscope.evaluator import evaluator

    inner = evaluator.run_in_threads_with_progress

    def counted(items: Any, worker: Any, *, on_result: Any, **options: Any) -> Any:
        work = list(items)
        done = 0

        def seen(item: Any, result: Any) -> None:
            nonlocal done
            on_result(item, result)
            done += 1
            progress.moved(done, len(work))

        return inner(work, worker, on_result=seen, **options)

    evaluator.run_in_threads_with_progress = counted
    _silence_evalscope_bar()


def _silence_evalscope_bar() -> None:
    """Write evalscope's bars nowhere.

    They break when TQDM_DISABLE is set, and put a console handler of their own on its log.
    """
    from evalscope.utils.tqdm_utils import tqdm_logging

    inner = tqdm_logging.TqdmLogging.__init__
    nowhere = Path(os.devnull).open("w")  # noqa: SIM115 - open for as long as the process

    def silent(self: Any, *args: Any, **kwargs: Any) -> None:
        inner(self, *args, **kwargs | {"disable": False, "file": nowhere})

    tqdm_logging.TqdmLogging.__init__ = silent
    tqdm_logging.logging_redirect_tqdm = lambda loggers=None: contextlib.nullcontext()


def _length(iterable: Any) -> int | None:
    try:
        return len(iterable)
    except TypeError:
        return None

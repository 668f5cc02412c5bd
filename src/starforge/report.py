"""Report metrics, samples, scores and artifacts from any Python or shell script.

    from starforge import report

    with report.init(total_steps=100):
        for step in range(1, 101):
            report.log({"loss": loss, "reward": {"mean": mean}}, step=step)

    python -m starforge.report log loss=0.5 --step 3        # from a shell script

Everything goes to files in the attempt folder (``STARFORGE_ATTEMPT_DIR``); outside of a job
a folder of the same shape is made, ``./starforge-runs/<time>-<pid>``, which ``sf job import``
takes later. No server is needed, and no call raises into training. What a call was given
is with the operating system when it returns: a process that is killed then loses nothing.
On a full disk it waits in memory; what can't be written at all is dropped, counted, and said
once on stderr.

Standard library only: this file and the others of `layout.LIB_FILES` are copied into foreign
environments.
"""

from __future__ import annotations

import atexit
import itertools
import os
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from starforge import layout, stacks
from starforge.report_writer import Writer


class Run:
    """What one process reports. Made by `init`; a context manager that ends with `finish`."""

    def __init__(
        self,
        directory: Path,
        *,
        name: str | None = None,
        config: Mapping[str, Any] | None = None,
        total_steps: int | None = None,
        alone: bool = False,
    ) -> None:
        self.dir = directory
        self.name = name
        self.total_steps = total_steps
        self._alone = alone
        self._step = 0
        self._finished = False
        self._began = time.time()
        self._writer = Writer(directory, total_steps)
        if not alone:
            stacks.enable()
        about = {
            "name": name,
            "config": dict(config or {}),
            "total_steps": total_steps,
            "started_at": self._began,
        }
        if alone:
            self._writer.replace(layout.RUN, about)
            self._status("running")
        elif name or config:
            self._writer.replace(layout.RUN, about)

    def log(self, values: Mapping[str, Any], step: int | None = None) -> None:
        """Report numbers at a step. Nested mappings become ``outer/inner``.

        Without ``step`` it is one more than the last one (the first is 1). Numbers are
        anything `float` takes, so scalars of NumPy and PyTorch too; others are dropped.
        """
        try:
            now = time.time()
            numbers: dict[str, float] = {}
            self._flatten(values, "", numbers)
            at = self._next(step)
            if numbers:
                self._writer.add(layout.METRICS, {"t": now, "s": at, "v": numbers})
            self._writer.step = at
        except Exception as error:
            self._writer.drop(error)

    def log_samples(self, rows: Iterable[Mapping[str, Any]], step: int | None = None) -> None:
        """Report samples: rows of ``prompt``, ``completion`` and what else is known of them
        (``reward``, ``rewards``, ``group``, ``length``, ``truncated``, ``reference``).
        """
        try:
            at = self._step if step is None else int(step)
            for row in rows:
                record = {"t": time.time(), "s": at, **row}
                if "prompt" not in record or "completion" not in record:
                    raise ValueError("a sample needs 'prompt' and 'completion'")
                self._writer.add(layout.SAMPLES, record)
        except Exception as error:
            self._writer.drop(error)

    def log_score(
        self,
        benchmark: str,
        metric: str,
        value: float,
        *,
        stderr: float | None = None,
        items: int | None = None,
        higher_is_better: bool = True,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Report a score of the model on a benchmark; only equal ``settings`` are compared."""
        try:
            record = {
                "benchmark": str(benchmark),
                "metric": str(metric),
                "value": float(value),
                "stderr": None if stderr is None else float(stderr),
                "items": None if items is None else int(items),
                "higher_is_better": bool(higher_is_better),
                "settings": dict(settings or {}),
                "t": time.time(),
            }
            self._writer.add(layout.SCORES, record)
        except Exception as error:
            self._writer.drop(error)

    def log_artifact(
        self, path: str | os.PathLike[str], kind: str = "file", name: str | None = None
    ) -> None:
        """Declare a file or folder as an output; it is not copied. ``kind``: ``file``,
        ``checkpoint``, ``model``, ...
        """
        try:
            where = Path(os.path.abspath(path))  # noqa: PTH100 - links stay as they are
            record = {
                "t": time.time(),
                "kind": str(kind),
                "path": str(where),
                "name": name or where.name,
            }
            self._writer.add(layout.ARTIFACTS, record)
        except Exception as error:
            self._writer.drop(error)

    def flush(self) -> None:
        """Write now what waited for room, and the progress."""
        self._writer.flush()

    def finish(self, status: str = "succeeded") -> None:
        """Write what is left and, outside of a job, how the run ended; later calls do nothing.

        ``status`` is ``succeeded``, ``failed`` or ``stopped``. In a job the exit code of
        the process decides.
        """
        if self._finished:
            return
        self._finished = True
        self._writer.close()
        if self._alone:
            self._status(status)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.finish("succeeded" if kind is None else "failed")

    def _next(self, step: int | None) -> int:
        self._step = self._step + 1 if step is None else int(step)
        return self._step

    def _flatten(self, values: Mapping[str, Any], prefix: str, into: dict[str, float]) -> None:
        for name, value in values.items():
            if type(value) is float:
                into[f"{prefix}{name}"] = value
            elif isinstance(value, Mapping):
                self._flatten(value, f"{prefix}{name}/", into)
            else:
                try:
                    number = value.item() if hasattr(value, "item") else value
                    into[f"{prefix}{name}"] = float(number)
                except Exception as error:
                    self._writer.drop(f"{prefix}{name}: {error}")

    def _status(self, state: str) -> None:
        ended = state != "running"
        reasons = {"succeeded": "completed", "failed": "exit_code", "stopped": "stopped_by_user"}
        now = time.time()
        status = {
            "state": state,
            "reason": reasons.get(state),
            "message": None,
            "started_at": self._began,
            "ended_at": now if ended else None,
            "updated_at": now,
            "exit_code": None if state != "succeeded" else 0,
            "pid": os.getpid(),
            "progress": {"step": self._writer.step or None, "total": self.total_steps},
        }
        self._writer.replace(layout.STATUS, status)


_current: Run | None = None
_made: tuple[int, str] | None = None  # the folder this process named in its environment


def _after_fork() -> None:
    if _current is not None:
        _current._alone = False  # the parent says how the run ended


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@atexit.register
def _at_exit() -> None:
    if _current is not None:
        crashed = getattr(sys, "last_type", None) is not None
        _current.finish("failed" if crashed else "succeeded")


def init(
    name: str | None = None,
    config: Mapping[str, Any] | None = None,
    total_steps: int | None = None,
    dir: str | os.PathLike[str] | None = None,
) -> Run:
    """Begin to report, and make this the run the functions of this module act on.

    ``total_steps`` turns on ``progress.json``. ``dir`` overrides where files go. A run that
    was current before is finished.
    """
    global _current, _made  # noqa: PLW0603 - one current run a process
    if _current is not None:
        _current.finish()
    given = os.environ.get(layout.ENV_ATTEMPT_DIR)
    if given is not None and (os.getpid(), given) == _made:
        given = None  # left by an earlier run of this process, which has ended
    where = Path(dir or given or _new_folder()).absolute()
    with suppress(OSError):  # the writer says it when it can't write there
        where.mkdir(parents=True, exist_ok=True)
    alone = layout.ENV_TAG not in os.environ and (dir is not None or given is None)
    if alone:
        _made = (os.getpid(), str(where))
        os.environ[layout.ENV_ATTEMPT_DIR] = str(where)  # processes it starts join the run
    _current = Run(where, name=name, config=config, total_steps=total_steps, alone=alone)
    return _current


def _new_folder() -> Path:
    stem = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    names = (stem if n == 1 else f"{stem}-{n}" for n in itertools.count(1))
    return next(path for name in names if not (path := Path("starforge-runs", name)).exists())


def run() -> Run:
    """Return the current run; begin one if there is none."""
    return _current or init()


def log(values: Mapping[str, Any], step: int | None = None) -> None:
    """Report numbers; see `Run.log`."""
    run().log(values, step)


def log_samples(rows: Iterable[Mapping[str, Any]], step: int | None = None) -> None:
    """Report samples; see `Run.log_samples`."""
    run().log_samples(rows, step)


def log_score(benchmark: str, metric: str, value: float, **more: Any) -> None:
    """Report a score; see `Run.log_score`."""
    run().log_score(benchmark, metric, value, **more)


def log_artifact(path: str | os.PathLike[str], kind: str = "file", name: str | None = None) -> None:
    """Declare an output; see `Run.log_artifact`."""
    run().log_artifact(path, kind, name)


def finish(status: str = "succeeded") -> None:
    """End the current run; see `Run.finish`."""
    global _current  # noqa: PLW0603
    if _current is not None:
        _current.finish(status)
        _current = None


if __name__ == "__main__":
    from starforge.report_shell import main

    sys.exit(main(sys.argv[1:]))

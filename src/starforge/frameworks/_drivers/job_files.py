"""What drivers read and write in a job's folder, and how they end on a user's mistake.

Runs inside a runtime, with ``${LIB}`` on ``PYTHONPATH`` for ``starforge.layout``,
``starforge.lang`` and ``starforge.stacks``.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from starforge import layout, stacks
from starforge.lang import t

STOPPED = 128 + signal.SIGTERM
TRACEBACK = "driver-traceback.txt"


class JobError(Exception):
    """A failure that a user can mend: shown as one line, without a traceback.

    The line is what the job is said to have ended for.
    """


class SeeAboveError(JobError):
    """A failure whose reason upstream has written into the log: the line alone is too little."""


def attempt_dir() -> Path:
    """Return the folder of this attempt (the current folder when started by hand)."""
    return Path(os.environ.get(layout.ENV_ATTEMPT_DIR, "."))


def output_dir() -> Path:
    """Return the job's output folder."""
    return Path(os.environ.get(layout.ENV_OUTPUT_DIR, "output"))


def resuming() -> bool:
    """Say whether this attempt continues an earlier one."""
    return os.environ.get(layout.ENV_RESUME) == "1"


def say(en: str, zh: str, **args: object) -> None:
    """Write one line of ours into the job's log."""
    print(f"starforge: {t(en, zh, **args)}", file=sys.stderr, flush=True)


def fill(value: Any, places: dict[str, str]) -> Any:
    """Replace ``${NAME}`` in every text inside ``value``."""
    if isinstance(value, str):
        for name, place in places.items():
            value = value.replace("${" + name + "}", place)
        return value
    if isinstance(value, dict):
        return {key: fill(item, places) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, places) for item in value]
    return value


def append_row(path: Path, row: dict[str, Any]) -> None:
    """Append one JSON line in a single write, so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps(row, ensure_ascii=False) + "\n"
    with path.open("ab") as stream:
        stream.write(line.encode("utf-8", "replace"))


def sample(
    step: int,
    prompt: Any,
    completion: str,
    *,
    at: float | None = None,
    reward: Any = None,
    rewards: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return a row of the ``samples`` format, in the one shape that all frameworks share.

    ``at`` are Unix seconds (now). ``rewards`` are the named parts of ``reward``; numbers have
    the seven digits that single precision holds. ``more`` may have ``group`` (answers to one
    prompt of one step share it), ``length`` (of the answer, in tokens), ``truncated`` (it was
    cut at the limit), ``reference``. What is ``None`` is not known and left out.
    """
    row: dict[str, Any] = {
        "t": time.time() if at is None else at,
        "s": step,
        "prompt": prompt,
        "completion": completion,
    }
    if _is_number(reward):
        row["reward"] = _single(reward)
    parts = {name: _single(part) for name, part in (rewards or {}).items() if _is_number(part)}
    if parts:
        row["rewards"] = parts
    return row | {name: value for name, value in more.items() if value is not None}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _single(value: float) -> float:
    return float(f"{value:.7g}")


def write_progress(step: int, total: int | None) -> None:
    """Tell the runner how far the job is. A full disk must not end a training run."""
    path = attempt_dir() / layout.PROGRESS
    text = json.dumps({"step": step, "total": total, "time": time.time()})
    try:
        fresh = path.with_suffix(".tmp")
        fresh.write_text(text, "utf-8")
        fresh.replace(path)
    except OSError as error:
        say("progress can't be written: {error}", "无法写入进度：{error}", error=error)


def private_folder(kind: str) -> Path:
    """Return a new folder ``/tmp/sf-KIND-...`` for sockets, whose paths may have 107 bytes only.

    The caller removes it; behind a job that was killed, whoever ends the attempt does.
    """
    folder = Path("/tmp") / f"{layout.FOLDER_PREFIX}{kind}-{secrets.token_hex(4)}"  # noqa: S108
    will_leave(folder)
    folder.mkdir(mode=0o700)  # fails where somebody else's is
    return folder


def will_leave(path: Path) -> None:
    """Have what the job makes outside of its folder removed at its end, whatever ends it.

    Its name must begin with ``layout.FOLDER_PREFIX`` or have that after a hyphen; ``*`` stands
    for anything.
    """
    with (attempt_dir() / layout.FOLDERS).open("a", encoding="utf-8") as stream:
        stream.write(f"{path}\n")


def declare_artifact(path: Path, kind: str, name: str) -> None:
    """Declare an output; ``path`` lies in the job folder and is kept relative to it."""
    job = output_dir().parent
    row = {"kind": kind, "path": path.relative_to(job).as_posix(), "name": name}
    append_row(attempt_dir() / layout.ARTIFACTS, row)


def stop_on_sigterm() -> None:
    """End at once on SIGTERM with 143: what must survive lies in checkpoints already."""

    def leave(_signal: int, _frame: object) -> None:
        say("stopped by SIGTERM", "收到 SIGTERM，已停止")
        sys.stdout.flush()
        os._exit(STOPPED)

    signal.signal(signal.SIGTERM, leave)


def one_line(error: BaseException) -> str:
    """Return an exception's message on one line."""
    text = " ".join(str(error).split())
    return text or type(error).__name__


def keep_traceback(error: BaseException) -> None:
    """Write the traceback beside the logs, for the case that the one line isn't enough."""
    path = attempt_dir() / layout.LOGS / TRACEBACK
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(error)), "utf-8")
    except OSError as problem:
        say(
            "{name} can't be written: {problem}",
            "无法写入 {name}：{problem}",
            name=TRACEBACK,
            problem=problem,
        )


def run(main: Callable[[], None]) -> NoReturn:
    """Run a driver's ``main``: a :class:`JobError` is one line and exit code 1."""
    stop_on_sigterm()
    stacks.enable()
    try:
        main()
    except JobError as error:
        _end(error, error)
    except Exception as error:
        # Each library wraps a full disk in an exception of its own.
        if "No space left on device" not in str(error):
            raise
        full = t("no space left on device: {error}", "磁盘空间不足：{error}", error=error)
        _end(JobError(full), error)
    sys.exit(0)


def _end(shown: JobError, cause: Exception) -> NoReturn:
    line = one_line(shown)
    if not isinstance(shown, SeeAboveError):
        with contextlib.suppress(OSError):  # a full disk; the log has it, too
            attempt_dir().mkdir(parents=True, exist_ok=True)
            (attempt_dir() / layout.FAILURE).write_text(line + "\n", "utf-8")
    print(t("error: ", "错误：") + line, file=sys.stderr, flush=True)
    if cause is not shown or cause.__cause__ is not None:
        keep_traceback(cause)
    sys.exit(1)

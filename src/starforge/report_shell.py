"""``python -m starforge.report``: report from shell scripts; see `starforge.report`.

Each call appends whole lines to one file, taking turns with others that do the same.
Standard library only: this file is copied into foreign environments.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from starforge import layout
from starforge.report_writer import Writer, encode, warn


def _append_locked(path: Path, make: Any) -> None:
    """Append the line that ``make(last line)`` gives, one process at a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        size = handle.seek(0, 2)
        handle.seek(max(0, size - 65536))
        lines = handle.read().splitlines()
        handle.write(make(lines[-1] if lines else b"{}"))


def _pairs(words: list[str]) -> Iterator[tuple[str, float]]:
    for word in words:
        name, _, value = word.partition("=")
        try:
            yield name, float(value)
        except ValueError:
            warn(f"`{word}` is not NAME=NUMBER", f"`{word}` 不是“名称=数值”的形式")


def main(argv: list[str]) -> int:
    """Run ``python -m starforge.report``; 0 unless the command line itself is wrong."""
    parser = argparse.ArgumentParser(prog="python -m starforge.report")
    parser.add_argument("--dir", default=os.environ.get(layout.ENV_ATTEMPT_DIR))
    commands = parser.add_subparsers(dest="command", required=True)
    for command in ("log", "sample", "score", "artifact"):
        sub = commands.add_parser(command)
        sub.add_argument("words", nargs="+", metavar=_SHELL_WORDS[command])
        sub.add_argument("--step", type=int)
        sub.add_argument("--total", type=int, help="steps of the whole job")
        sub.add_argument("--kind", default="file")
    args = parser.parse_args(argv)
    where = Path(args.dir or f"starforge-runs/shell-{os.getppid()}").absolute()
    try:
        where.mkdir(parents=True, exist_ok=True)
        _SHELL[args.command](where, args)
    except (OSError, ValueError) as error:
        warn(f"not reported: {error}", f"未能上报：{error}")
    return 0


def _shell_log(where: Path, args: Any) -> None:
    values = dict(_pairs(args.words))
    step = args.step

    def line(last: bytes) -> bytes:
        nonlocal step
        if step is None:
            with suppress(ValueError):
                step = int(json.loads(last).get("s", 0)) + 1
        step = step or 0
        return encode({"t": time.time(), "s": step, "v": values})

    if values:
        _append_locked(where / layout.METRICS / "report-shell.jsonl", line)
        writer = Writer(where, args.total)
        writer.step = step
        writer.flush()


def _shell_sample(where: Path, args: Any) -> None:
    fields: dict[str, Any] = dict(word.partition("=")[::2] for word in args.words)
    if "reward" in fields:
        fields["reward"] = float(fields["reward"])
    record = {"t": time.time(), "s": args.step or 0, "prompt": "", "completion": "", **fields}
    _append_locked(where / layout.SAMPLES / "report-shell.jsonl", lambda _: encode(record))


def _shell_score(where: Path, args: Any) -> None:
    benchmark, *pairs = args.words
    for metric, value in _pairs(pairs):
        record = {"benchmark": benchmark, "metric": metric, "value": value, "t": time.time()}
        line = encode(record)
        _append_locked(where / layout.SCORES / "report-shell.jsonl", lambda _, line=line: line)


def _shell_artifact(where: Path, args: Any) -> None:
    for word in args.words:
        path = Path(word).absolute()
        record = {"t": time.time(), "kind": args.kind, "path": str(path), "name": path.name}
        line = encode(record)
        _append_locked(where / layout.ARTIFACTS, lambda _, line=line: line)


_SHELL = {
    "log": _shell_log,
    "sample": _shell_sample,
    "score": _shell_score,
    "artifact": _shell_artifact,
}
_SHELL_WORDS = {
    "log": "NAME=NUMBER",
    "sample": "FIELD=TEXT",
    "score": "BENCHMARK METRIC=NUMBER",
    "artifact": "PATH",
}

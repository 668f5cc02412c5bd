"""Follow what verl writes while it trains: progress, samples of its rollouts, checkpoints."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verl_checkpoints
import verl_columns as more
from job_files import append_row, sample, say, write_progress

METRICS_FILE = "verl-metrics.jsonl"  # VERL_FILE_LOGGER_PATH of the plan
DUMPS = {"rollouts": "rollout", "validation-rollouts": "validation"}  # folder: stream
SAMPLES_A_STEP = 64
INTERVAL = 1.0  # seconds
_KNOWN = frozenset({"input", "output", "gts", "score", "step", "uid", "reward", "request_id",
                    more.LENGTH, more.TRUNCATED, more.PARTS})  # fmt: skip


class Follower:
    """Reads verl's files in a thread of its own until :meth:`finish`."""

    def __init__(
        self, attempt: Path, total_steps: int | None, checkpoints: Path, keep: int | None
    ) -> None:
        self.attempt = attempt
        self.total = total_steps
        self.checkpoints = checkpoints
        self.keep = keep  # how many checkpoints stay; None: all
        self._offset = 0
        self._sizes: dict[Path, int] = {}
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._loop, name="verl-follow", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def finish(self) -> None:
        """Take what is left, once; safe to call again, and from a signal handler."""
        if self._over.is_set():
            return
        self._over.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(10 * INTERVAL)
        self.look(last=True)

    def _loop(self) -> None:
        while not self._over.wait(INTERVAL):
            self.look()

    def look(self, *, last: bool = False) -> None:
        """Take over what is new. A problem here is told and must not end the training."""
        if not self._lock.acquire(timeout=10 * INTERVAL):
            return
        try:
            self._progress()
            for folder, stream in DUMPS.items():
                self._samples(self.attempt / folder, stream, last=last)
            verl_checkpoints.tidy(self.checkpoints, self.keep)
        except (OSError, ValueError, KeyError) as error:
            say("verl's files: {error}", "读取 verl 的文件时出错：{error}", error=error)
        finally:
            self._lock.release()

    def _progress(self) -> None:
        path = self.attempt / METRICS_FILE
        if not path.exists():
            return
        with path.open("rb") as stream:
            stream.seek(self._offset)
            data = stream.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        steps = [json.loads(line)["step"] for line in whole.splitlines() if line.strip()]
        if steps:
            write_progress(int(steps[-1]), self.total)

    def _samples(self, folder: Path, stream: str, *, last: bool) -> None:
        for path in sorted(folder.glob("*.jsonl"), key=_step) if folder.is_dir() else ():
            size = path.stat().st_size
            # verl writes a step in one go; a file that still grows is taken next time.
            if not last and self._sizes.get(path) != size:
                self._sizes[path] = size
                continue
            for row in samples(path):
                append_row(self.attempt / "samples" / f"{stream}.jsonl", row)
            path.unlink()  # taken over; all rollouts of a long training would fill the disk


def _step(path: Path) -> int:
    return int(path.stem) if path.stem.isdigit() else 0


def samples(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the first rows of one dump in the ``samples`` format; a cut line is left out."""
    groups: dict[str, int] = {}
    with path.open(encoding="utf-8", errors="replace") as stream:
        for _, line in zip(range(SAMPLES_A_STEP), stream, strict=False):
            try:
                row = json.loads(line)
            except ValueError:
                return
            yield _sample(row, groups)


def _sample(row: dict[str, Any], groups: dict[str, int]) -> dict[str, Any]:
    group = None
    if row.get("uid"):
        # verl's key is prompt_sample_turn: completions of one prompt are one group.
        prompt = str(row["uid"]).rsplit("_", 2)[0]
        group = groups.setdefault(prompt, len(groups))
    parts = row.get(more.PARTS) or row
    return sample(
        int(row.get("step", 0)),
        str(row.get("input", "")),
        str(row.get("output", "")),
        reward=row.get("score"),
        rewards={name: value for name, value in parts.items() if name not in _KNOWN},
        group=group,
        length=row.get(more.LENGTH),
        truncated=row.get(more.TRUNCATED),
        reference=str(row["gts"]) if row.get("gts") else None,
    )

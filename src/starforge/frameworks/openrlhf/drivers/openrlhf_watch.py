"""Follow what OpenRLHF writes: progress, the samples of a reward model, checkpoints."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from job_files import append_row, attempt_dir, sample, say, write_progress
from openrlhf_samples import Rollouts

from starforge import layout

EVERY = 1.0  # seconds
TEXT_TAG = "train/generated_samples/text_summary"
# Upstream writes these words with a backslash and an n, not with line breaks.
BEFORE, BETWEEN = "Sample:\\n", "\\n\\nReward: "
SPLITS = {"train": "train", "eval": "validation"}  # by how the names of metrics begin


class Watch(threading.Thread):
    """Reads ``folder`` once a second until :meth:`finish`; a failure here ends no training.

    ``samples`` says whether the texts in the event files become samples of the job. A
    reward file writes fuller ones itself. ``tidy`` deletes old checkpoints.
    """

    def __init__(
        self, folder: Path, total: int | None, *, samples: bool, tidy: Callable[[], None]
    ) -> None:
        super().__init__(daemon=True)
        self._tidy = tidy
        self._folder = folder
        self._total = total
        self._samples = samples
        self._rollouts = Rollouts(attempt_dir())
        self._loaders: dict[Path, Any] = {}
        self._step = 0
        self._done = threading.Event()

    def run(self) -> None:
        """Read until finished."""
        while not self._done.wait(EVERY):
            if not self._read_safely():
                return

    def finish(self) -> None:
        """Stop, after reading what was written last; safe to call again."""
        if self._done.is_set():
            return
        self._done.set()
        if self.is_alive() and threading.current_thread() is not self:
            self.join(10 * EVERY)
        if self._read_safely():
            self._rollouts.finish()

    def _read_safely(self) -> bool:
        try:
            self._read()
        except Exception as error:  # whatever the reader of event files may raise
            say("progress can't be read: {error}", "无法读取进度：{error}", error=error)
            return False
        return True

    def _read(self) -> None:
        # Its import takes a second or more: at the first look, long before the first step is
        # logged. Later it would keep samples of the first steps from being taken.
        from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

        before = self._step
        for path in sorted(self._folder.glob("**/events.out.tfevents.*")):
            if path not in self._loaders:
                self._loaders[path] = EventFileLoader(str(path))
            for event in self._loaders[path].Load():
                self._take(event)
        if self._step > before:
            write_progress(self._step, self._total)
        try:
            self._tidy()
        except OSError as error:  # tried again in a second
            say("checkpoints: {error}", "检查点：{error}", error=error)

    def _take(self, event: Any) -> None:
        for value in event.summary.value:
            if value.tag.startswith("train/"):
                self._step = max(self._step, event.step)
            split = SPLITS.get(value.tag.partition("/")[0])
            if split:
                self._rollouts.logged(split, event.step, event.wall_time)
            if self._samples and value.tag == TEXT_TAG:
                text = value.tensor.string_val[0].decode("utf-8", "replace")
                row = sample_of(text, event.step)
                append_row(attempt_dir() / layout.SAMPLES / "rollout.jsonl", row)


def sample_of(text: str, step: int) -> dict[str, Any]:
    """Return the sample that upstream logs of a step; prompt and answer are one text there."""
    body = text.removeprefix(BEFORE)
    answer, between, reward = body.rpartition(BETWEEN)
    try:
        return sample(step, "", answer if between else body, reward=float(reward))
    except ValueError:
        return sample(step, "", body)

"""Samples of OpenRLHF's rollouts.

Upstream's rollout workers know of every answer its tokens and whether it was cut; there they
are written down (:func:`install`). They do not know the step: what came before the metrics of
a step were logged was sampled for it, so the driver adds it (:class:`Rollouts`). With
asynchronous training that is off by the steps that sampling is ahead.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from typing import Any

from job_files import append_row, attempt_dir, sample

from starforge import layout

FOLDER = "rollouts"  # below the attempt: a file for each worker
SAMPLES_A_STEP = 16
WRITTEN = 4 * SAMPLES_A_STEP  # a worker learns late that a step has ended
STREAMS = {"train": "rollout", "validation": "validation"}
Row = dict[str, Any]

_written: dict[tuple[str, int], int] = {}


def install(executor: Any) -> None:
    """Let upstream's class that samples and scores one answer write it down as well."""
    execute: Callable[..., Awaitable[Row]] = executor.execute

    @wraps(execute)
    async def and_write(  # noqa: PLR0917 - upstream's interface
        self: Any, prompt: str, label: str, sampling_params: Any, max_length: int,
        hf_tokenizer: Any, llm_engine: Any, images: Any = None,
    ) -> Row:  # fmt: skip
        made = await execute(self, prompt, label, sampling_params, max_length, hf_tokenizer,
                             llm_engine, images)  # fmt: skip
        if made["reward"] is not None:
            write(made, hf_tokenizer)
        return made

    executor.execute = and_write


def write(made: Row, tokenizer: Any) -> None:
    """Write one answer down, as upstream's executor returns it."""
    label = json.loads(made["label"])
    split = label.get("split", "train")
    place = (split, _step())
    _written[place] = _written.get(place, 0) + 1
    if _written[place] > WRITTEN:
        return
    row = sample_of(made, label, tokenizer) | {"split": split}
    append_row(attempt_dir() / FOLDER / f"{os.getpid()}.jsonl", row)


def sample_of(made: Row, label: Row, tokenizer: Any) -> Row:
    """Return the sample of one answer, of a step that is not known yet."""
    start, end = made["action_ranges"][0]
    answer = list(made["observation_tokens"][start:end])
    logs = (made["extra_logs"] or {}).items()
    return sample(
        0,
        made["prompt"],
        tokenizer.decode(answer, skip_special_tokens=True),
        reward=made["reward"],
        rewards={
            name.removeprefix("rewards/"): value
            for name, value in logs
            if name.startswith("rewards/")
        },
        group=label.get("row"),
        length=len(answer),
        truncated=bool(made["truncated"]),
    )


def _step() -> int:
    try:
        return int(json.loads((attempt_dir() / layout.PROGRESS).read_text("utf-8"))["step"])
    except (OSError, ValueError, KeyError):
        return 0


class Rollouts:
    """Takes what the workers of ``attempt`` wrote, and gives every answer its step."""

    def __init__(self, attempt: Path) -> None:
        self._attempt = attempt
        self._offsets: dict[Path, int] = {}
        self._rows: list[Row] = []
        self._steps = {"train": 0, "validation": 0}

    def logged(self, split: str, step: int, at: float) -> None:
        """Metrics of ``step`` were logged ``at`` that time: what came before belongs to it."""
        if step <= self._steps[split]:
            return
        self._steps[split] = step
        self._look()
        mine = [row for row in self._rows if row["split"] == split and row["t"] <= at]
        self._rows = [row for row in self._rows if row["split"] != split or row["t"] > at]
        self._append(mine, step)

    def finish(self) -> None:
        """Take what is left: the training ended within a step."""
        self._look()
        last = self._steps["train"]
        for split, step in (("train", last + 1), ("validation", last)):
            self._append([row for row in self._rows if row["split"] == split], step)
        self._rows = []

    def _look(self) -> None:
        for path in sorted((self._attempt / FOLDER).glob("*.jsonl")):
            with path.open("rb") as stream:
                stream.seek(self._offsets.get(path, 0))
                data = stream.read()
            whole = data[: data.rfind(b"\n") + 1]
            self._offsets[path] = self._offsets.get(path, 0) + len(whole)
            self._rows += [json.loads(line) for line in whole.splitlines()]

    def _append(self, rows: list[Row], step: int) -> None:
        for row in sorted(rows, key=lambda one: float(one["t"]))[:SAMPLES_A_STEP]:
            kept = {name: value for name, value in row.items() if name != "split"}
            path = self._attempt / layout.SAMPLES / f"{STREAMS[row['split']]}.jsonl"
            append_row(path, kept | {"s": step})

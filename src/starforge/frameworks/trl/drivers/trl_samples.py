"""Samples of what a model writes while it trains on its own completions."""

from __future__ import annotations

import time
from typing import Any

from job_files import append_row, attempt_dir
from trl_answers import render

from starforge import layout

SAMPLES = 16  # rows written at a time


class RolloutLog:
    """Writes the first completions of a batch, as often as metrics are logged."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._count = 0

    def add(self, trainer: Any, rows: list[dict[str, Any]]) -> None:
        """Write some of ``rows``, what one process sampled; call it on the main process."""
        training = trainer.model.training
        split = "train" if training else "validation"
        # Sampled for the step that comes; metrics carry its number once it is done.
        step = trainer.state.global_step + (1 if training else 0)
        last = self._last.get(split)
        if last != step:
            every = max(1, int(trainer.state.logging_steps or 1))
            if training and last is not None and step - last < every:
                return
            self._last[split], self._count = step, 0
        rows = rows[: SAMPLES - self._count]
        self._count += len(rows)
        for row in rows:
            file = attempt_dir() / layout.SAMPLES / f"{split}.jsonl"
            append_row(file, {"t": time.time(), "s": step, **row})


def row_of(trainer: Any, prompt: Any, completion: str, ids: list[int]) -> dict[str, Any]:
    """Return one completion in the ``samples`` format; ``ids`` are its tokens."""
    tokenizer = trainer.processing_class
    ends = {tokenizer.eos_token_id, tokenizer.pad_token_id}
    return {
        "prompt": render(tokenizer, prompt),
        "completion": completion,
        "length": len(ids),
        "truncated": bool(ids) and ids[-1] not in ends,
    }

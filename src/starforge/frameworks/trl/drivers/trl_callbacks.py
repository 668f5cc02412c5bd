"""What the job tells while it trains: progress, and samples of what the model writes."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from job_files import append_row, attempt_dir, say, write_progress
from transformers import TrainerCallback
from trl_answers import prompt_of, render
from trl_data import read

from starforge import layout

SAMPLES = 4
NEW_TOKENS = 64
PROGRESS_EVERY = 0.5  # seconds


class Progress(TrainerCallback):
    """Writes ``progress.json`` at most twice a second, and at every log."""

    def __init__(self) -> None:
        self._written = 0.0

    def _write(self, state: Any) -> None:
        if state.is_world_process_zero:
            self._written = time.monotonic()
            write_progress(state.global_step, state.max_steps)

    def on_train_begin(self, args, state, control, **kwargs):
        self._write(state)

    def on_step_end(self, args, state, control, **kwargs):
        if time.monotonic() - self._written >= PROGRESS_EVERY:
            self._write(state)

    def on_log(self, args, state, control, **kwargs):
        self._write(state)

    def on_train_end(self, args, state, control, **kwargs):
        self._write(state)


class Samples(TrainerCallback):
    """Writes what the model answers to a few prompts, after each evaluation and at the end."""

    def __init__(self, source: Path) -> None:
        self._prompts = [prompt_of(row) for row in islice(read(source), SAMPLES)]
        self._file = attempt_dir() / layout.SAMPLES / f"{source.stem}.jsonl"
        self._last_step = -1

    def on_evaluate(self, args, state, control, **kwargs):
        self._generate(args, state, kwargs)

    def on_train_end(self, args, state, control, **kwargs):
        self._generate(args, state, kwargs)

    def _generate(self, args: Any, state: Any, given: dict[str, Any]) -> None:
        # A sharded model can only generate with all processes at once: not worth the stop.
        sharded = bool(args.fsdp or args.deepspeed)
        if not state.is_world_process_zero or sharded or state.global_step == self._last_step:
            return
        self._last_step = state.global_step
        try:
            rows = answers(given["model"], given["processing_class"], self._prompts)
        except (RuntimeError, ValueError) as error:
            say("no samples: {error}", "无法生成样例：{error}", error=error)
            return
        for row in rows:
            append_row(self._file, {"t": time.time(), "s": state.global_step, **row})


def answers(model: Any, tokenizer: Any, prompts: list[tuple[Any, str]]) -> list[dict[str, Any]]:
    """Generate greedily, all prompts in one batch; rows in the ``samples`` format."""
    texts = [render(tokenizer, prompt) for prompt, _ in prompts]
    texts_kept = [
        (text, reference) for text, (_, reference) in zip(texts, prompts, strict=True) if text
    ]
    if not texts_kept:
        return []
    side, tokenizer.padding_side = tokenizer.padding_side, "left"
    training = model.training
    model.eval()
    try:
        batch = tokenizer(
            [text for text, _ in texts_kept],
            return_tensors="pt",
            padding=True,
            add_special_tokens=False,
            return_token_type_ids=False,
        ).to(model.device)
        with torch.no_grad():
            produced = model.generate(
                **batch,
                max_new_tokens=NEW_TOKENS,
                do_sample=False,
                use_cache=True,
                pad_token_id=tokenizer.pad_token_id,
            )
    finally:
        tokenizer.padding_side = side
        model.train(training)
    width = batch["input_ids"].shape[1]
    return [
        _row(tokenizer, text, reference, ids[width:])
        for (text, reference), ids in zip(texts_kept, produced, strict=True)
    ]


def _row(tokenizer: Any, prompt: str, reference: str, ids: Any) -> dict[str, Any]:
    length = int((ids != tokenizer.pad_token_id).sum())
    return {
        "prompt": prompt,
        "completion": tokenizer.decode(ids, skip_special_tokens=True),
        "reference": reference,
        "length": length,
        "truncated": length >= NEW_TOKENS,
    }

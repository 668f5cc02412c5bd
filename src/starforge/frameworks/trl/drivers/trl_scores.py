"""Samples of a reward model: what it gives the two answers of some pairs."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from job_files import append_row, attempt_dir, say
from transformers import TrainerCallback
from trl_answers import pair_of, render, text_of
from trl_callbacks import SAMPLES
from trl_data import read

from starforge import layout


class Scores(TrainerCallback):
    """Writes the scores of a few pairs, after each evaluation and at the end."""

    def __init__(self, source: Path) -> None:
        self._pairs = [pair_of(row) for row in islice(read(source), SAMPLES)]
        self._file = attempt_dir() / layout.SAMPLES / f"{source.stem}.jsonl"
        self._last_step = -1

    def on_evaluate(self, args, state, control, **kwargs):
        self._score(args, state, kwargs)

    def on_train_end(self, args, state, control, **kwargs):
        self._score(args, state, kwargs)

    def _score(self, args: Any, state: Any, given: dict[str, Any]) -> None:
        sharded = bool(args.fsdp or args.deepspeed)
        if not state.is_world_process_zero or sharded or state.global_step == self._last_step:
            return
        self._last_step = state.global_step
        tokenizer = given["processing_class"]
        try:
            rewards = scores(given["model"], tokenizer, self._pairs)
        except (RuntimeError, ValueError) as error:
            say("no samples: {error}", "无法生成样例：{error}", error=error)
            return
        for group, ((prompt, *answers), pair) in enumerate(zip(self._pairs, rewards, strict=True)):
            for kind, answer, reward in zip(("chosen", "rejected"), answers, pair, strict=True):
                append_row(self._file, {
                    "t": time.time(), "s": state.global_step, "prompt": render(tokenizer, prompt),
                    "completion": text_of(answer), "reward": reward, "group": group, "kind": kind,
                })  # fmt: skip


def scores(model: Any, tokenizer: Any, pairs: list[tuple[Any, Any, Any]]) -> list[list[float]]:
    """Return ``[score of chosen, score of rejected]`` of each pair, all in one batch."""
    texts = [_whole(tokenizer, prompt, answer) for prompt, *two in pairs for answer in two]
    training = model.training
    model.eval()
    try:
        batch = tokenizer(
            texts,
            return_tensors="pt",
            padding=True,
            padding_side="right",
            add_special_tokens=False,
            return_token_type_ids=False,
        ).to(model.device)
        with torch.no_grad():
            values = model(**batch).logits[:, 0].float().tolist()
    finally:
        model.train(training)
    return [values[at : at + 2] for at in range(0, len(values), 2)]


def _whole(tokenizer: Any, prompt: Any, answer: Any) -> str:
    if isinstance(answer, list):
        return tokenizer.apply_chat_template(list(prompt) + answer, tokenize=False)
    return f"{prompt}{answer}{tokenizer.eos_token}"

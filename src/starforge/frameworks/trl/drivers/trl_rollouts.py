"""Trainers that sample completions: their reward, its parts, and samples of what they write."""

from __future__ import annotations

import math
import time
from typing import Any

import trl_callbacks
import trl_rewards
import trl_setup
from accelerate.utils import gather_object
from job_files import append_row, attempt_dir
from trl_job import Job

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
        "prompt": trl_callbacks.render(tokenizer, prompt),
        "completion": completion,
        "length": len(ids),
        "truncated": bool(ids) and ids[-1] not in ends,
    }


def rewarded_trainer(job: Job, config_class: type, trainer_class: type) -> Any:
    """Return a ready trainer of GRPO's kind."""
    setup = trl_setup.prepare(job, config_class)
    rows = trl_rewards.Rows(job.files)
    reward = trl_rewards.arguments(job, rows, setup.training, setup.model_config)
    return trl_setup.construct(
        with_rewards(trainer_class),
        model=job.model,
        train_dataset=rows.dataset("train"),
        eval_dataset=rows.dataset("validation") if "validation" in job.files else None,
        callbacks=[trl_callbacks.Progress()],
        **reward,
        **setup.arguments,
    )


def with_rewards(trainer_class: type) -> type:
    """Return GRPO's or RLOO's trainer, logging samples and the parts of rewards as well."""

    class Rewarded(trainer_class):
        rollout_log = RolloutLog()

        def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list):
            rewards = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
            parts = list(getattr(self.reward_funcs[0], "parts", []))
            log_parts(self, parts)
            if self.accelerator.is_main_process:
                # The rewards are those of all processes, the main one's first.
                totals = [float(f"{x:.7g}") for x in rewards[: len(prompts), 0].tolist()]
                self.rollout_log.add(self, [
                    {
                        **row_of(self, prompt, trl_callbacks.text_of(completion), ids),
                        "reward": total,
                        **({"rewards": named} if named else {}),
                        "group": given[trl_rewards.ROW],
                    }
                    for given, prompt, completion, ids, total, named in zip(
                        inputs, prompts, completions, completion_ids_list, totals,
                        parts or [{}] * len(prompts), strict=True,
                    )
                ])  # fmt: skip
            return rewards

    return Rewarded


def log_parts(trainer: Any, parts: list[dict[str, float]]) -> None:
    """Log the mean of each named part of the rewards as ``rewards/<name>``."""
    names = sorted({name for named in parts for name in named})
    # All processes must log the same names, and a part may be missing in one of them.
    for name in sorted(set(gather_object(names))):
        values = [named[name] for named in parts if name in named]
        mean = sum(values) / len(values) if values else math.nan
        trainer._log_metric(f"rewards/{name}", mean)


def with_samples(trainer_class: type) -> type:
    """Return the distillation trainer, logging samples of what it writes."""

    class Sampled(trainer_class):
        rollout_log = RolloutLog()

        def _generate_and_score_completions(self, inputs):
            output = super()._generate_and_score_completions(inputs)
            if self.accelerator.is_main_process:
                masks = output["completion_mask"][:SAMPLES].bool()
                kept = [
                    ids[mask].tolist()
                    for ids, mask in zip(output["completion_ids"][:SAMPLES], masks, strict=True)
                ]
                texts = self.processing_class.batch_decode(kept, skip_special_tokens=True)
                self.rollout_log.add(self, [
                    row_of(self, row["prompt"], text, ids)
                    for row, text, ids in zip(inputs, texts, kept, strict=False)
                ])  # fmt: skip
            return output

    return Sampled

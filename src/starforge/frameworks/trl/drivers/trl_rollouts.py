"""Trainers that sample completions: their reward, its parts, and samples of what they write."""

from __future__ import annotations

import math
from typing import Any

import torch
import trl_callbacks
import trl_rewards
import trl_setup
from accelerate.utils import gather_object
from trl_answers import text_of
from trl_job import Job
from trl_samples import SAMPLES, RolloutLog, row_of


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

        def _get_train_sampler(self, dataset=None):
            return same_order_after_resume(super()._get_train_sampler(dataset))

        def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list):
            rewards = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
            parts = list(getattr(self.reward_funcs[0], "parts", []))
            log_parts(self, parts)
            if self.accelerator.is_main_process:
                # The rewards are those of all processes, the main one's first.
                totals = [float(f"{x:.7g}") for x in rewards[: len(prompts), 0].tolist()]
                self.rollout_log.add(self, [
                    {
                        **row_of(self, prompt, text_of(completion), ids),
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


def same_order_after_resume(sampler: Any) -> Any:
    """Let ``sampler`` shuffle each epoch as it would without an interruption.

    TRL's own sampler draws one permutation an epoch from one generator, so a run that resumes
    in a later epoch would meet the prompts of the first one again. Accelerate calls
    ``set_epoch`` of a sampler that has one.
    """

    def set_epoch(epoch: int) -> None:
        sampler.generator.manual_seed(sampler.seed)
        for _ in range(epoch):
            torch.randperm(sampler.num_samples, generator=sampler.generator)

    if sampler.shuffle and sampler.seed is not None:
        sampler.set_epoch = set_epoch
    return sampler


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

        def _get_train_sampler(self, dataset=None):
            return same_order_after_resume(super()._get_train_sampler(dataset))

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

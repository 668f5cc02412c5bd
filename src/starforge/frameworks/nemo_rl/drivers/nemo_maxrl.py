"""MaxRL on NeMo-RL: GRPO's advantage divided by the group's mean reward.

After "Maximum Likelihood Reinforcement Learning" (arXiv 2602.02710): for the answers to one
prompt with rewards r and mean m, the advantage is (r - m) / m, and 0 when m is 0, since a
group without a success says nothing of how to succeed. With rewards 0 and 1 a success weighs
(1 - m) / m: much where successes are rare, little where they are common.

What has run: this arithmetic, on CPU. No training on GPUs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import nemo_hooks

NAME = "maxrl"
EPSILON = 1e-6


def group_means(prompts: Sequence[Any], rewards: Sequence[float]) -> list[float]:
    """Return for each sample the mean reward of the samples with the same prompt."""
    sums: dict[Any, list[float]] = {}
    for prompt, reward in zip(prompts, rewards, strict=True):
        sums.setdefault(prompt, []).append(float(reward))
    means = {prompt: sum(values) / len(values) for prompt, values in sums.items()}
    return [means[prompt] for prompt in prompts]


def advantages(prompts: Sequence[Any], rewards: Sequence[float]) -> list[float]:
    """Return the MaxRL advantage of each sample; ``prompts`` says which belong together."""
    means = group_means(prompts, rewards)
    return [
        (float(reward) - mean) / mean if mean > EPSILON else 0.0
        for reward, mean in zip(rewards, means, strict=True)
    ]


class MaxRLAdvantageEstimator:
    """Upstream's interface of an advantage estimator."""

    def compute_advantage(self, prompt_ids, rewards, mask, **_more):
        """Return advantages of shape [batch, sequence] from ``prompt_ids`` [batch, prompt]."""
        import torch

        prompts = [tuple(row) for row in prompt_ids.tolist()]
        made = torch.tensor(advantages(prompts, rewards.tolist()), dtype=torch.float32)
        return made.to(rewards.device).unsqueeze(-1).expand(mask.shape)


def install() -> None:
    """Make upstream's trainers, synchronous, asynchronous and data-plane, use it."""
    from nemo_rl.algorithms import grpo, grpo_sync

    def create(_config: Any) -> MaxRLAdvantageEstimator:
        return MaxRLAdvantageEstimator()

    for module in (grpo, grpo_sync):
        nemo_hooks.patch(module, "_create_advantage_estimator", create)

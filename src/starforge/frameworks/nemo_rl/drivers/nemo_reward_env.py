"""NeMo-RL's environment that judges answers by the user's reward file.

One turn: the answer is scored and the conversation ends. Without a file every answer gets 0,
which is what distillation needs when nothing measures its validation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nemo_parts
import ray
import torch
from job_files import attempt_dir
from nemo_rl.environments.interfaces import EnvironmentInterface, EnvironmentReturn
from reward_file import ERROR_FILE, RewardError, RewardFile, Score


def answers(conversations: list[list[dict[str, Any]]]) -> list[str]:
    """Return what the assistant said in each conversation."""
    return [
        "".join(str(turn["content"]) for turn in turns if turn["role"] == "assistant")
        for turns in conversations
    ]


def columns_of(metadata: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the further columns of the rows, by name; ``None`` where a row lacks one."""
    names = {name: None for row in metadata for name in row["columns"]}
    return {name: [row["columns"].get(name) for row in metadata] for name in names}


def score(
    reward: RewardFile | None, completions: list[str], metadata: list[dict[str, Any]]
) -> list[Score]:
    """Return one reward a completion."""
    if reward is None:
        return [Score(0.0, {})] * len(completions)
    prompts = [row["prompt"] for row in metadata]
    try:
        return reward(prompts, completions, columns_of(metadata))
    except RewardError as error:
        # Upstream tells it among the tracebacks of several processes; the driver shows this one.
        (attempt_dir() / ERROR_FILE).write_text(str(error), "utf-8")
        raise


@ray.remote
class RewardEnvironment(EnvironmentInterface):
    """A Ray actor that holds the reward function. ``config`` is the section ``env.starforge``."""

    def __init__(self, config: dict[str, Any]) -> None:
        file = config.get("reward_file")
        self.reward = RewardFile(Path(file)) if file else None

    def step(self, message_log_batch, metadata) -> Any:
        """Judge a batch of conversations; every one of them is over."""
        completions = answers(message_log_batch)
        scores = score(self.reward, completions, metadata)
        asked = [str(turns[0]["content"]) for turns in message_log_batch]
        nemo_parts.write(asked, completions, [one.parts for one in scores])
        rewards = torch.tensor([one.total for one in scores], dtype=torch.float32)
        count = len(completions)
        return EnvironmentReturn(
            observations=[{"role": "environment", "content": ""}] * count,
            metadata=metadata,
            next_stop_strings=[None] * count,
            rewards=rewards,
            terminateds=torch.ones(count),
            answers=None,
        )

    def global_post_process_and_metrics(self, batch) -> tuple[Any, dict[str, float]]:
        """Return the batch as it is, and the mean reward."""
        return batch, {"mean_reward": float(batch["rewards"].float().mean())}

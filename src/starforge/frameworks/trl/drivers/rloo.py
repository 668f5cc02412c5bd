"""REINFORCE leave-one-out with TRL, as a StarForge job."""

from __future__ import annotations

from typing import Any

import trl_job


def build(job: trl_job.Job) -> Any:
    """Return a ready ``RLOOTrainer`` with the job's reward."""
    import trl_rollouts
    from trl import RLOOConfig, RLOOTrainer

    return trl_rollouts.rewarded_trainer(job, RLOOConfig, RLOOTrainer)


if __name__ == "__main__":
    trl_job.run(build)

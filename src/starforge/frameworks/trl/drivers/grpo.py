"""Group relative policy optimization with TRL, as a StarForge job."""

from __future__ import annotations

from typing import Any

import trl_job


def build(job: trl_job.Job) -> Any:
    """Return a ready ``GRPOTrainer`` with the job's reward."""
    import trl_rollouts
    from trl import GRPOConfig, GRPOTrainer

    return trl_rollouts.rewarded_trainer(job, GRPOConfig, GRPOTrainer)


if __name__ == "__main__":
    trl_job.run(build)

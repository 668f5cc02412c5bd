"""Training of a reward model with TRL, as a StarForge job.

The result is a model of sequence classification with one label, whose logit is the reward.
"""

from __future__ import annotations

from typing import Any

import trl_job


def build(job: trl_job.Job) -> Any:
    """Return a ready ``RewardTrainer``; it puts a head of one number on the model."""
    import trl_callbacks
    import trl_data
    import trl_scores
    import trl_setup
    from trl import RewardConfig, RewardTrainer

    setup = trl_setup.prepare(job, RewardConfig)
    source = job.files.get("validation", job.files["train"])
    return trl_setup.construct(
        RewardTrainer,
        model=job.model,
        callbacks=[trl_callbacks.Progress(), trl_scores.Scores(source)],
        **trl_setup.datasets(job, setup, trl_data.PREFERENCE),
        **setup.arguments,
    )


if __name__ == "__main__":
    trl_job.run(build)

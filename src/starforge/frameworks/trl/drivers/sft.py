"""Supervised fine-tuning with TRL, as a StarForge job."""

from __future__ import annotations

from typing import Any

import trl_job


def build(job: trl_job.Job) -> Any:
    """Return a ready ``SFTTrainer``."""
    import trl_data
    import trl_setup
    from trl import SFTConfig, SFTTrainer

    return trl_setup.train_on_rows(job, SFTConfig, SFTTrainer, trl_data.INSTRUCTION)


if __name__ == "__main__":
    trl_job.run(build)

"""Direct preference optimization with TRL, as a StarForge job."""

from __future__ import annotations

from typing import Any

import trl_job


def build(job: trl_job.Job) -> Any:
    """Return a ready ``DPOTrainer``; it copies the model as its reference."""
    import trl_data
    import trl_setup
    from trl import DPOConfig, DPOTrainer

    return trl_setup.train_on_rows(job, DPOConfig, DPOTrainer, trl_data.PREFERENCE)


if __name__ == "__main__":
    trl_job.run(build)

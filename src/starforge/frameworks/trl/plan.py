"""The launch plan of TRL methods."""

from __future__ import annotations

from starforge import layout
from starforge.findings import Finding
from starforge.frameworks.planfiles import assemble, config_file, driver_files, training_streams
from starforge.frameworks.trl import choice
from starforge.frameworks.trl.checks import check
from starforge.frameworks.trl.steps import total_steps
from starforge.i18n import Text
from starforge.lab.context import PrepareContext
from starforge.plan import LaunchPlan, PlanFile, Process

SHARED_DRIVERS = ("checkpoint_folders.py", "job_files.py", "tiny_model.py")
TRL_DRIVERS = (
    "trl_answers.py", "trl_callbacks.py", "trl_checkpoints.py", "trl_data.py", "trl_job.py",
    "trl_model.py", "trl_setup.py",
)  # fmt: skip
# What only some drivers import; `reward_file.py` is shared with other frameworks.
ONLINE = ("trl_rewards.py", "trl_rollouts.py", "trl_samples.py")
MORE_DRIVERS = {
    "grpo.py": ONLINE,
    "rloo.py": ONLINE,
    "opsd.py": ONLINE,
    "rm.py": ("trl_scores.py",),
}


class Trl:
    """Plans TRL jobs: one ``trainer`` process, or ``torchrun`` over the GPUs asked for."""

    name = "trl"

    def checks(self, context: PrepareContext) -> list[Finding]:
        """Return what only this version of TRL and its runtime refuse."""
        return check(context)

    def why_not(self, context: PrepareContext, which: str) -> Text | None:
        """Return why no checkpoint will be ``best`` or ``step-N``; ``None`` when one may be."""
        return choice.why_not(context, which)

    def plan(self, context: PrepareContext) -> LaunchPlan:
        """Return the plan of one TRL job."""
        return assemble(
            context,
            processes=[_trainer(context)],
            files=_files(context),
            streams=training_streams(context.recipe),
            total_steps=total_steps(context),
        )


def _trainer(context: PrepareContext) -> Process:
    driver = [
        f"${{RECORD}}/driver/{context.recipe.entry.driver}",
        "--config", "${RECORD}/config.json",
        "--model", "${MODEL}",
        "--data", "${DATA}",
        "--output", "${OUTPUT}",
    ]  # fmt: skip
    if context.teacher is not None:
        driver += ["--teacher", "${TEACHER}"]
    if context.reward is not None and context.reward.file is not None:
        driver += ["--reward", f"${{CODE}}/{context.reward.file}"]
    elif context.reward is not None:
        driver += ["--reward-model", "${REWARD}"]
    gpus = context.resources.gpus
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(gpus)]
    argv = ["${PYTHON}", *(launcher if gpus > 1 else []), *driver]
    # The experiment's folder is the working directory, so that native keys may name files in it.
    return Process(role="trainer", argv=argv, env=_environment(context), cwd="${CODE}")


def _environment(context: PrepareContext) -> dict[str, str]:
    # torchrun divides the machine among its processes; one process may use all of its CPUs.
    threads = max(1, context.resources.cpus // max(1, context.resources.gpus))
    return {
        "PYTHONPATH": "${LIB}",
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": str(threads),
        "TOKENIZERS_PARALLELISM": "false",
        "TENSORBOARD_LOGGING_DIR": f"${{ATTEMPT}}/{layout.TENSORBOARD}",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }


def _files(context: PrepareContext) -> list[PlanFile]:
    config = context.config
    job = {
        "config": {d.path: d.value for d in config.differs},
        "data": {split: f"{split}.jsonl" for split in sorted(context.data)},
    }
    driver = context.recipe.entry.driver or ""
    more = MORE_DRIVERS.get(driver, ())
    shared = SHARED_DRIVERS + (("reward_file.py",) if more == ONLINE else ())
    return [
        config_file(job),
        *driver_files("trl/drivers", driver, *TRL_DRIVERS, *more),
        *driver_files("_drivers", *shared),
    ]

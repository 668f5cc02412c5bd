"""The launch plan of NeMo-RL methods."""

from __future__ import annotations

from starforge.findings import Finding
from starforge.frameworks.nemo_rl.checks import check
from starforge.frameworks.nemo_rl.config_yaml import PATH, VARIABLES, config_yaml
from starforge.frameworks.nemo_rl.settle import settle
from starforge.frameworks.nemo_rl.steps import total_steps
from starforge.frameworks.planfiles import (
    assemble,
    config_file,
    driver_files,
    text_file,
    training_streams,
)
from starforge.lab.context import PrepareContext
from starforge.lab.interpolation import effective
from starforge.plan import LaunchPlan, PlanFile, Process

SHARED_DRIVERS = ("job_files.py", "private_ray.py", "reward_file.py", "tiny_model.py",
                  "upstream.py")  # fmt: skip
DRIVERS = (
    "nemo_data.py", "nemo_export.py", "nemo_home.py", "nemo_hooks.py", "nemo_launch.py",
    "nemo_parts.py", "nemo_prompts.py", "nemo_reward_env.py", "nemo_rl_run.py", "nemo_samples.py",
)  # fmt: skip
# Methods that upstream does not ship: the driver that adds them to upstream's own entry point.
OWN_METHODS = {"maxrl": "nemo_maxrl.py", "opsd": "nemo_opsd.py"}
ANSWER_TOKENS = "policy.generation.max_new_tokens"
LOGS = "nemo"  # upstream's log folder below the attempt: exp_NNN/...


class NemoRl:
    """Plans NeMo-RL jobs: one process, which starts a Ray of its own and upstream's script."""

    name = "nemo-rl"

    def checks(self, context: PrepareContext) -> list[Finding]:
        """Return what this version of NeMo-RL refuses, or would ignore."""
        return check(settle(context))

    def plan(self, context: PrepareContext) -> LaunchPlan:
        """Return the plan of one NeMo-RL job."""
        settled = settle(context)
        return assemble(
            settled,
            processes=[_process(settled)],
            files=_files(settled),
            streams=training_streams(settled.recipe, f"{LOGS}/exp_*/tensorboard"),
            total_steps=total_steps(settled),
        )


def _process(context: PrepareContext) -> Process:
    recipe = context.recipe
    own = ["--version", recipe.version, "--data", "${DATA}"]
    if recipe.algorithm in OWN_METHODS:
        own += ["--method", recipe.algorithm]
    if context.reward is not None and context.reward.file is not None:
        own += ["--reward", f"${{CODE}}/{context.reward.file}"]
    upstream = [str(recipe.entry.module), "--config", f"${{RECORD}}/{PATH.split('/')[1]}"]
    argv = ["${PYTHON}", f"${{RECORD}}/driver/{recipe.entry.driver}", *own, "--", *upstream]
    # The experiment's folder is the working directory, so that native keys may name files in it.
    return Process(role="trainer", argv=argv, env=_environment(context), cwd="${CODE}")


def _environment(context: PrepareContext) -> dict[str, str]:
    env = {
        "PYTHONPATH": "${LIB}",
        "PYTHONUNBUFFERED": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        VARIABLES["MODEL"]: "${MODEL}",
        VARIABLES["CODE"]: "${CODE}",
    }
    if context.teacher is not None:
        env[VARIABLES["TEACHER"]] = "${TEACHER}"
    return env


def _files(context: PrepareContext) -> list[PlanFile]:
    recipe = context.recipe
    job = {
        "data": {split: f"{split}.jsonl" for split in sorted(context.data)},
        "kind": recipe.data.kind,
        "export": "export" in recipe.stages,
        "total_steps": total_steps(context),
        "answer_tokens": _answer_tokens(context),
    }
    drivers: tuple[str, ...] = DRIVERS
    if recipe.algorithm in OWN_METHODS:
        drivers = (*DRIVERS, OWN_METHODS[recipe.algorithm])
    return [
        config_file(job),
        text_file(PATH, config_yaml(context)),
        *driver_files("nemo_rl/drivers", *drivers),
        *driver_files("_drivers", *SHARED_DRIVERS),
    ]


def _answer_tokens(context: PrepareContext) -> int | None:
    """Return how many tokens an answer may have, where the method samples any."""
    longest = effective(context.config.values, ANSWER_TOKENS)
    return longest if isinstance(longest, int) else None

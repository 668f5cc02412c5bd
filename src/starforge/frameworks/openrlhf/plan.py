"""The launch plan of OpenRLHF methods: our driver, then upstream's official command."""

from __future__ import annotations

from importlib import resources

from starforge import layout as names
from starforge.findings import Finding
from starforge.frameworks.openrlhf import cpu
from starforge.frameworks.openrlhf.argv import MODULES, words
from starforge.frameworks.openrlhf.checks import check
from starforge.frameworks.openrlhf.settle import REWARD_DRIVER, settle
from starforge.frameworks.openrlhf.steps import total_steps
from starforge.frameworks.planfiles import (
    assemble,
    config_file,
    driver_files,
    text_file,
    training_streams,
)
from starforge.lab.context import PrepareContext
from starforge.plan import LaunchPlan, PlanFile, Process

DRIVERS = ("openrlhf_run.py", "openrlhf_data.py", "openrlhf_rows.py", "openrlhf_samples.py",
           "openrlhf_watch.py", "openrlhf_checkpoints.py", "openrlhf_export.py",
           "openrlhf_models.py")  # fmt: skip
RL_DRIVERS = ("openrlhf_ray.py", REWARD_DRIVER)
SHARED_DRIVERS = ("checkpoint_folders.py", "job_files.py", "model_folder.py", "private_ray.py",
                  "tiny_model.py", "upstream.py")  # fmt: skip


class OpenRlhf:
    """Plans OpenRLHF jobs: one process a GPU for given answers, Ray for reinforcement."""

    name = "openrlhf"

    def checks(self, context: PrepareContext) -> list[Finding]:
        """Return what only this version of OpenRLHF refuses."""
        return check(context)

    def plan(self, context: PrepareContext) -> LaunchPlan:
        """Return the plan of one job."""
        settled = settle(context)
        return assemble(
            settled,
            processes=[_process(settled)],
            files=_files(settled),
            streams=training_streams(settled.recipe, f"{names.TENSORBOARD}/run"),
            total_steps=total_steps(settled),
        )


def _process(context: PrepareContext) -> Process:
    config = context.contract_config
    own = [
        "${PYTHON}", f"${{RECORD}}/driver/{context.recipe.entry.driver}",
        "--config", "${RECORD}/config.json", "--model", "${MODEL}", "--data", "${DATA}",
    ]  # fmt: skip
    if context.resources.gpus == 0:
        own += ["--cpu", "${RECORD}/driver/cpu"]
    upstream = [*_launcher(context), "-m", MODULES[context.recipe.config]]
    argv = [*own, "--", *upstream, *words(context.config.differs, config)]
    # The experiment's folder is the working directory, so that native keys may name files in it.
    return Process(role="trainer", argv=argv, env=_environment(context), cwd="${CODE}")


def _launcher(context: PrepareContext) -> list[str]:
    gpus = context.resources.gpus
    if context.recipe.config == "ppo" or gpus <= 1:
        return []
    return ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(gpus)]


def _environment(context: PrepareContext) -> dict[str, str]:
    gpus, cpus = context.resources.gpus, context.resources.cpus
    env = {
        "PYTHONPATH": "${LIB}",
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": str(max(1, cpus // max(1, gpus))),
        "TOKENIZERS_PARALLELISM": "false",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "TQDM_DISABLE": "1",  # bars that upstream doesn't ask for by name
    }
    if context.recipe.config == "ppo":
        env |= {
            # Ray stays on this machine, by itself and unobserved.
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_DEDUP_LOGS": "0",
            "VLLM_NO_USAGE_STATS": "1",
        }
        if context.reward is not None and context.reward.file is not None:
            env["STARFORGE_REWARD_FILE"] = f"${{CODE}}/{context.reward.file}"
    if gpus == 0:
        env |= cpu.ENVIRONMENT
    return env


def _files(context: PrepareContext) -> list[PlanFile]:
    config = context.config
    job = {
        "kind": context.recipe.config,
        "data": {split: f"{split}.jsonl" for split in sorted(context.data)},
        "chat": bool(config.get("data.apply_chat_template")),
        "pretrain": bool(config.get("model.pretrain_mode_enable")),
        "template": config.get("data.tokenizer_chat_template") is not None,
        "lora": (config.get("ds.lora.rank") or 0) > 0,
        "precision": config.get("ds.param_dtype"),
        "batch": config.get("train.micro_batch_size") * max(1, context.resources.gpus),
        "total_steps": total_steps(context),
        "keep": int(config.get("ckpt.max_num")),
        "cpus": context.resources.cpus,
        "gpus": context.resources.gpus,
    }
    files = [config_file(job), *driver_files("_drivers", *SHARED_DRIVERS),
             *driver_files("openrlhf/drivers", *DRIVERS)]  # fmt: skip
    if context.recipe.config == "ppo":
        files += driver_files("openrlhf/drivers", *RL_DRIVERS)
        files += driver_files("_drivers", "reward_file.py")
    return files + (_cpu_files() if context.resources.gpus == 0 else [])


def _cpu_files() -> list[PlanFile]:
    """Return the stand-ins for GPU calls, in a folder of their own for ``PYTHONPATH``."""
    root = resources.files("starforge.frameworks").joinpath("openrlhf", "drivers", "cpu")
    return [
        text_file(f"{cpu.FOLDER}/{name}", (root / name).read_text("utf-8"), "driver")
        for name in cpu.DRIVERS
    ]

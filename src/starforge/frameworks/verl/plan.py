"""The launch plan of verl methods: upstream's own command behind a driver of ours."""

from __future__ import annotations

from starforge import layout
from starforge.catalog.models import Recipe
from starforge.findings import Finding
from starforge.frameworks.planfiles import assemble, config_file, driver_files, training_streams
from starforge.frameworks.verl import cpu
from starforge.frameworks.verl.checks import check
from starforge.frameworks.verl.hydra_args import overrides
from starforge.frameworks.verl.settings import is_sft, on_cpu, settled, trainer_gpus
from starforge.frameworks.verl.steps import total_steps
from starforge.lab.context import PrepareContext
from starforge.plan import LaunchPlan, PlanFile, Process

CHECKPOINTS = "starforge_verl_checkpoints"  # makes checkpoints safe to interrupt
GUARD = "starforge_verl_guard"  # keeps the sockets of two jobs apart
SAMPLES = "starforge_verl_samples"  # gives verl's dumps of rollouts what they lack
DRIVERS = ("starforge_verl_checkpoints.py", "starforge_verl_guard.py", "starforge_verl_samples.py",
           "verl_checkpoints.py", "verl_columns.py", "verl_data.py", "verl_export.py",
           "verl_follow.py", "verl_models.py", "verl_reward.py", "verl_run.py", "verl_vllm_name.py",
           "verl_words.py")  # fmt: skip
CPU_DRIVERS = ("starforge_verl_cpu.py", "starforge_verl_vllm_cpu.py")
SHARED_DRIVERS = ("checkpoint_folders.py", "job_files.py", "model_folder.py", "private_ray.py",
                  "reward_file.py", "tiny_model.py", "upstream.py")  # fmt: skip
SFT_KEEP, RL_KEEP = "trainer.max_ckpt_to_keep", "trainer.max_actor_ckpt_to_keep"
METRICS_FILE = "verl-metrics.jsonl"


class Verl:
    """Plans verl jobs: one driver process, which starts upstream's entry point."""

    name = "verl"

    def checks(self, context: PrepareContext) -> list[Finding]:
        """Return what only this version of verl refuses or leaves undone."""
        return check(context)

    def proof_profile(self, recipe: Recipe) -> str:
        """Return the profile to prove plans on: two GPUs to train, and one for a teacher."""
        return "gpu:3" if recipe.teacher == "required" else "gpu:2"

    def plan(self, context: PrepareContext) -> LaunchPlan:
        """Return the plan of one verl job."""
        settled_context = settled(context)
        return assemble(
            settled_context,
            processes=[_driver(settled_context)],
            files=_files(settled_context),
            streams=training_streams(settled_context.recipe),
            total_steps=total_steps(settled_context),
        )


def upstream_argv(context: PrepareContext) -> list[str]:
    """Return the official command without its interpreter, as the driver runs it."""
    module = context.recipe.entry.module or ""
    arguments = overrides(context.config.differs, context.contract_config)
    launcher = []
    if is_sft(context):
        launcher = ["-m", "torch.distributed.run", "--standalone", "--nnodes=1",
                    f"--nproc_per_node={trainer_gpus(context)}"]  # fmt: skip
    # Hydra would leave a folder of its own among the experiment's files.
    own = ["hydra.run.dir='${ATTEMPT}/hydra'", "hydra.output_subdir=null"]
    return [*launcher, "-m", module, *arguments, *own]


def _driver(context: PrepareContext) -> Process:
    argv = [
        "${PYTHON}", f"${{RECORD}}/driver/{context.recipe.entry.driver}",
        "--config", "${RECORD}/config.json",
        "--model", "${MODEL}",
        "--data", "${DATA}",
        "--output", "${OUTPUT}",
    ]  # fmt: skip
    if context.teacher is not None:
        argv += ["--teacher", "${TEACHER}"]
    argv += ["--", *upstream_argv(context)]
    return Process(role="trainer", argv=argv, env=_environment(context), cwd="${CODE}")


def _environment(context: PrepareContext) -> dict[str, str]:
    processes = max(context.resources.gpus, trainer_gpus(context))
    threads = max(1, context.resources.cpus // processes)
    made = {
        "PYTHONPATH": "${LIB}:${RECORD}/driver",
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": str(threads),
        "TOKENIZERS_PARALLELISM": "false",
        "TENSORBOARD_DIR": f"${{ATTEMPT}}/{layout.TENSORBOARD}",
        "VERL_FILE_LOGGER_PATH": f"${{ATTEMPT}}/{METRICS_FILE}",
        "HYDRA_FULL_ERROR": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_DEDUP_LOGS": "0",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    modules = [cpu.MODULE] if on_cpu(context) else []
    modules.append(CHECKPOINTS)
    if not is_sft(context):
        modules += [GUARD, SAMPLES]
    made["VERL_USE_EXTERNAL_MODULES"] = ",".join(modules)
    return made | (cpu.ENVIRONMENT if on_cpu(context) else {})


def _files(context: PrepareContext) -> list[PlanFile]:
    config = context.config
    model = "model" if is_sft(context) else "actor_rollout_ref.model"
    job = {
        "kind": context.recipe.data.kind,
        "data": {split: f"{split}.jsonl" for split in sorted(context.data)},
        "total_steps": total_steps(context),
        "actor": "" if is_sft(context) else "actor",
        "lora": {
            "rank": config.get(f"{model}.lora_rank"),
            "alpha": config.get(f"{model}.lora_alpha"),
        },
        "model": {
            "trust": bool(config.get(f"{model}.trust_remote_code")),
            "tokenizer": bool(config.get(f"{model}.tokenizer_path")),
            "template": bool(config.get(f"{model}.custom_chat_template")),
        },
        "keep": config.get(SFT_KEEP if is_sft(context) else RL_KEEP),
        "cpu": on_cpu(context),
    }
    return [
        config_file(job),
        *driver_files("verl/drivers", *DRIVERS),
        *(driver_files("verl/drivers/cpu", *CPU_DRIVERS) if on_cpu(context) else []),
        *driver_files("_drivers", *SHARED_DRIVERS),
    ]

"""The launch plan of a benchmark job, for either harness."""

from __future__ import annotations

from importlib import resources
from typing import Any

import msgspec

from starforge import layout
from starforge.checks.benchmarks import EVALSCOPE, chosen_packs, harness_of, rows_of
from starforge.checks.evaluation import check_evaluation
from starforge.evals.generators import as_lines, generate
from starforge.evals.pack import Generated, Pack
from starforge.findings import Finding
from starforge.frameworks.evalkit.harness import check_harness
from starforge.frameworks.planfiles import (
    DRIVER_DIR,
    assemble,
    config_file,
    driver_files,
    text_file,
)
from starforge.lab.context import PrepareContext
from starforge.plan import LaunchPlan, PlanFile, Process, Stream

SHARED = ("eval_job.py", "eval_metrics.py", "eval_model.py", "eval_progress.py", "eval_tasks.py")
DRIVERS = {
    "lm-eval": ("lm_eval_run.py", "lm_eval_config.py", "eval_results.py", *SHARED),
    EVALSCOPE: ("evalscope_run.py", "evalscope_config.py", "evalscope_model.py",
                "evalscope_pack.py", "evalscope_results.py", *SHARED),
}  # fmt: skip
SHARED_DRIVERS = ("job_files.py", "tiny_model.py")
PACKS = f"{layout.RECORD}/packs"


class Evalkit:
    """Plans benchmark jobs: one ``evaluator`` process."""

    name = "evalkit"

    def checks(self, context: PrepareContext) -> list[Finding]:
        """Return what is wrong with the benchmarks chosen, and for the harness chosen."""
        return [*check_evaluation(context), *check_harness(context)]

    def plan(self, context: PrepareContext) -> LaunchPlan:
        """Return the plan of one benchmark job."""
        packs = chosen_packs(context)
        files = [_items_file(pack) for pack in packs if _brings_items(pack)]
        job = {
            "config": {d.path: d.value for d in context.config.differs},
            "benchmarks": [_benchmark(context, pack, files) for pack in packs],
        }
        return assemble(
            context,
            processes=[_evaluator(context)],
            files=[config_file(job), *files, *_drivers(harness_of(context))],
            streams=[
                Stream(format="scores", path=f"{layout.SCORES}/*.jsonl"),
                Stream(format="samples", path=f"{layout.SAMPLES}/*.jsonl"),
            ],
        )


def _drivers(harness: str) -> list[PlanFile]:
    settings = resources.files("starforge.evals").joinpath("settings.py").read_text("utf-8")
    return [
        *driver_files("evalkit/drivers", *DRIVERS[harness]),
        text_file(f"{DRIVER_DIR}/eval_settings.py", settings, "driver"),
        *driver_files("_drivers", *SHARED_DRIVERS),
    ]


def _brings_items(pack: Pack) -> bool:
    """Say whether the plan itself must carry a pack's items.

    Those of a lab's pack are files of the experiment, unless a generator makes them.
    """
    if pack.data is None:
        return False
    return pack.source == "bundled" or isinstance(pack.data.test, Generated)


def _items_file(pack: Pack) -> PlanFile:
    assert pack.data is not None
    if isinstance(pack.data.test, Generated):
        content = as_lines(generate(pack.data.test))
    else:
        assert pack.data_file is not None
        content = pack.data_file.read_text("utf-8")
    return text_file(f"{PACKS}/{pack.name}.jsonl", content)


def _benchmark(context: PrepareContext, pack: Pack, files: list[PlanFile]) -> dict[str, Any]:
    """Return what the driver must know of one benchmark."""
    harness = harness_of(context)
    rows, digest = rows_of(context, pack)
    if _brings_items(pack):
        file = next(f for f in files if f.path == f"{PACKS}/{pack.name}.jsonl")
        rows, digest = f"${{RECORD}}/packs/{pack.name}.jsonl", file.sha256
    version = {"version": pack.version, "digest": pack.digest_for(harness), "data": digest}
    found = {
        "name": pack.name,
        "hub": msgspec.to_builtins(pack.hub) if pack.hub and not rows else None,
        "task": pack.task,
        "rows": rows,
        "primary": msgspec.to_builtins(pack.primary),
        "seed": context.config.get("torch_random_seed"),
        "few_shot_seed": context.config.get("fewshot_random_seed"),
        "settings": version,
    }
    if harness == EVALSCOPE:
        theirs = msgspec.to_builtins(pack.evalscope) if pack.evalscope else None
        found |= {"hub": None, "evalscope": theirs, "languages": pack.languages}
    return found


def _evaluator(context: PrepareContext) -> Process:
    argv = [
        "${PYTHON}", f"${{RECORD}}/driver/{DRIVERS[harness_of(context)][0]}",
        "--config", "${RECORD}/config.json",
        "--model", "${MODEL}",
        "--data", "${DATA}",
        "--output", "${OUTPUT}",
        "--record", "${RECORD}",
        "--code", "${CODE}",
    ]  # fmt: skip
    return Process(role="evaluator", argv=argv, env=_environment(context), cwd="${CODE}")


def _environment(context: PrepareContext) -> dict[str, str]:
    return {
        "PYTHONPATH": "${LIB}",
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": str(max(1, context.resources.cpus)),
        "TOKENIZERS_PARALLELISM": "false",
        "HF_ALLOW_CODE_EVAL": "1" if context.config.get("confirm_run_unsafe_code") else "0",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        # A hub that is out of reach is to be told soon, not after minutes of retries.
        "HF_HUB_ETAG_TIMEOUT": "10",
        "HF_HUB_DOWNLOAD_TIMEOUT": "30",
        "HF_HUB_VERBOSITY": "error",
        "LMEVAL_LOG_LEVEL": "ERROR",
        "TQDM_DISABLE": "1",
    }

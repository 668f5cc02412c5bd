"""Run benchmarks on a model with evalscope: scores, samples and the raw results.

Started by the runner inside the runtime, with the same ``record/config.json`` as the driver
for lm-eval (see ``frameworks/evalkit/plan.py``). Packs with items of their own become
benchmarks of evalscope's registry (``evalscope_pack.py``); the others are evalscope's own.
The model is loaded once, and benchmarks run one after another.
"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import Any

import evalscope_results
import job_files
from eval_job import Job, read_job, run_each
from eval_progress import Progress, follow_evalscope
from eval_tasks import hub_problem
from evalscope.api.model import GenerateConfig, Model
from evalscope.api.registry import BENCHMARK_REGISTRY
from evalscope.config import DEFAULT_TEXT_GEN_CHECKPOINT_CONFIG, TaskConfig
from evalscope.constants import EvalType
from evalscope.run import run_task
from evalscope_config import Settings, translate
from evalscope_model import LocalModel
from evalscope_pack import PackTask, register
from evalscope_results import Run
from job_files import JobError

from starforge.lang import t


def quiet() -> None:
    """Keep the harness's lines out of the job's log; they are in its own file in the output."""
    for name in ("", "evalscope"):
        logger = logging.getLogger(name)
        for handler in list(logger.handlers):
            if not isinstance(handler, logging.FileHandler):
                logger.removeHandler(handler)
        logger.addHandler(logging.NullHandler())
    import transformers

    transformers.logging.set_verbosity_error()


def own_settings(
    benchmark: dict[str, Any], settings: Settings
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return the name, ``dataset_args`` and generation of one of evalscope's own benchmarks."""
    name = benchmark["evalscope"]["dataset"]
    meta, asking = BENCHMARK_REGISTRY.lookup(name), settings.asking
    args = dict(settings.dataset_args.get(name) or {})
    # A benchmark defined without examples keeps none, as with lm-eval.
    takes_shots = meta.few_shot_mode != "disabled" and meta.train_split is not None
    if asking["few_shot"] is not None and takes_shots:
        args.setdefault("few_shot_num", asking["few_shot"])
    if asking["system_prompt"] is not None:
        args.setdefault("system_prompt", asking["system_prompt"])
    return name, args, DEFAULT_TEXT_GEN_CHECKPOINT_CONFIG | settings.generation


def run_one(benchmark: dict[str, Any], model: LocalModel, settings: Settings, work: Path) -> Run:
    """Run one benchmark."""
    pack = None
    if benchmark.get("rows"):
        pack = PackTask(benchmark, settings.asking, settings.task.get("limit"))
        name, args, generation = register(pack), {}, pack.generation | settings.generation
    else:
        name, args, generation = own_settings(benchmark, settings)
    model.prepare(generation["max_tokens"])
    config = GenerateConfig(**generation)
    task = TaskConfig(
        **settings.task, model=Model(model, config), model_id="model", datasets=[name],
        dataset_args={name: args}, generation_config=config, eval_type=EvalType.CHECKPOINT,
        work_dir=str(work), no_timestamp=True,
    )  # fmt: skip
    reports = run_task(task)
    return Run(task, reports[name], pack)


def run_safely(benchmark: dict[str, Any], model: LocalModel, settings: Settings, work: Path) -> Any:
    """Like :func:`run_one`; what a user can mend is a :class:`JobError`."""
    shutil.rmtree(work, ignore_errors=True)  # what an earlier attempt left of this benchmark
    try:
        return run_one(benchmark, model, settings, work)
    except Exception as error:
        problem = hub_problem(benchmark, error)
        if problem is not None:
            raise problem from error
        if "out of memory" in str(error).lower():
            raise JobError(
                t("out of memory: use a smaller batch_size or max_new_tokens",
                  "内存或显存不足：请减小 batch_size 或 max_new_tokens")
            ) from error  # fmt: skip
        raise


def main() -> None:
    """Run every benchmark of the job."""
    job: Job = read_job(__doc__)
    quiet()
    settings = translate(job.config)
    model = LocalModel(job.model, settings.model)
    progress = Progress(len(job.benchmarks))
    follow_evalscope(progress)

    def run(benchmark: dict[str, Any]) -> None:
        work = job.output / "results" / benchmark["name"]
        found = run_safely(benchmark, model, settings, work)
        evalscope_results.keep(benchmark, found, settings, model.template_text)

    run_each(job.benchmarks, progress, run)


if __name__ == "__main__":
    job_files.run(main)

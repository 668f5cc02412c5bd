"""Run benchmarks on a model with lm-eval: scores, samples and the raw results.

Started by the runner inside the runtime. ``--config`` is the job's ``record/config.json``:
``{"config": {native keys that differ}, "benchmarks": [...]}``; see
``frameworks/evalkit/plan.py``. Benchmarks run one after another on one loaded model, so that
the scores of one are there before the next begins, and one that can't be loaded does not
take the others with it.
"""

from __future__ import annotations

from typing import Any

import eval_results
import job_files
from eval_job import read_job, run_each
from eval_model import check_chat_template, load_model
from eval_progress import Progress, follow_lm_eval
from eval_tasks import hub_problem, task_spec
from lm_eval.utils import simple_parse_args_string


def split_config(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of ``simple_evaluate`` and those of the model."""
    config.pop("harness", None)
    gen = config.pop("gen_kwargs", None) or {}
    if isinstance(gen, str):  # lm-eval's own form: "top_p=0.9,temperature=0.7"
        gen = simple_parse_args_string(gen)
    gen = dict(gen)
    model: dict[str, Any] = {}
    for key in list(config):
        head, _, rest = key.partition(".")
        if rest and head in ("gen_kwargs", "model_args"):
            value = config.pop(key)
            (gen if head == "gen_kwargs" else model)[rest] = value
    if gen:
        # lm-eval's tasks say `do_sample: false`, which would win over a temperature.
        if gen.get("temperature") and "do_sample" not in gen:
            gen["do_sample"] = True
        config["gen_kwargs"] = gen
    for ours in ("tasks", "batch_size", "max_batch_size"):
        model_value = config.pop(ours, None)
        if ours != "tasks" and model_value is not None:
            model[ours] = model_value
    return config, model


def run_one(benchmark: dict[str, Any], lm: Any, config: dict[str, Any]) -> dict[str, Any]:
    """Run one benchmark and return lm-eval's results; a hub out of reach is a JobError."""
    from lm_eval import evaluator

    # lm-eval asks git for the commit of whatever folder the job runs in: noise in the log.
    evaluator.get_git_commit_hash = lambda: None
    try:
        results = evaluator.simple_evaluate(model=lm, tasks=[task_spec(benchmark)], **config)
    except Exception as error:
        problem = hub_problem(benchmark, error)
        if problem is None:
            raise
        raise problem from error
    assert results is not None
    return results


def main() -> None:
    """Run every benchmark of the job."""
    job = read_job(__doc__)
    config, model_args = split_config(job.config)
    lm = load_model(job.model, model_args)
    chat_template = check_chat_template(lm.tokenizer, config.get("apply_chat_template", False))
    progress = Progress(len(job.benchmarks))
    follow_lm_eval(progress)

    def run(benchmark: dict[str, Any]) -> None:
        results = run_one(benchmark, lm, dict(config))
        eval_results.keep(benchmark, results, config, chat_template, job.output)

    run_each(job.benchmarks, progress, run)


if __name__ == "__main__":
    job_files.run(main)

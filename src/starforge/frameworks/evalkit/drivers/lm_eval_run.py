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
from lm_eval_config import split_config


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

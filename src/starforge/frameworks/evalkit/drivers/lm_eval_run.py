"""Run benchmarks on a model with lm-eval: scores, samples and the raw results.

Started by the runner inside the runtime. ``--config`` is the job's ``record/config.json``:
``{"config": {native keys that differ}, "benchmarks": [...], "seed": ...}``; see
``frameworks/evalkit/plan.py``. Benchmarks run one after another on one loaded model, so that
the scores of one are there before the next begins, and one that can't be loaded does not
take the others with it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import eval_results
import job_files
import tiny_model
from eval_model import check_chat_template, load_model
from eval_progress import Progress
from eval_tasks import hub_problem, task_spec
from job_files import JobError, say
from lm_eval.utils import simple_parse_args_string


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("config", "model", "data", "output", "record", "code"):
        parser.add_argument(f"--{name}", required=name in ("config", "model"), default=".")
    return parser.parse_args()


def split_config(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of ``simple_evaluate`` and those of the model."""
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


def run_one(
    benchmark: dict[str, Any], lm: Any, config: dict[str, Any], progress: Progress
) -> dict[str, Any]:
    """Run one benchmark and return lm-eval's results; a hub out of reach is a JobError."""
    from lm_eval import evaluator

    # lm-eval asks git for the commit of whatever folder the job runs in: noise in the log.
    evaluator.get_git_commit_hash = lambda: None
    say("benchmark {name}", "评测包 {name}", name=benchmark["name"])
    progress.begin(benchmark["name"])
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
    arguments = parse_arguments()
    places = {
        name.upper(): str(Path(getattr(arguments, name)).absolute())
        for name in ("data", "record", "code")
    }
    job = job_files.fill(json.loads(Path(arguments.config).read_text("utf-8")), places)
    config, model_args = split_config(job["config"])
    output = Path(arguments.output)
    output.mkdir(parents=True, exist_ok=True)

    say("loading the model", "正在加载模型")
    lm = load_model(tiny_model.resolve(arguments.model, output), model_args)
    chat_template = check_chat_template(lm, config.get("apply_chat_template", False))
    progress = Progress(len(job["benchmarks"]))
    failures: list[JobError] = []
    for benchmark in job["benchmarks"]:
        try:
            results = run_one(benchmark, lm, dict(config), progress)
        except JobError as error:
            say("{name} failed: {error}", "{name} 失败：{error}",
                name=benchmark["name"], error=error)  # fmt: skip
            failures.append(error)
            continue
        eval_results.keep(benchmark, results, config, chat_template, output)
    progress.finish()
    if failures:
        raise JobError("; ".join(str(error) for error in failures)) from failures[0]


if __name__ == "__main__":
    job_files.run(main)

"""Prove plans: what the driver hands to lm-eval and evalscope is what they take.

Reads a JSON list of cases (see ``starforge.proofs.cases.Case``) and writes a JSON list of
outcomes on the last line. It runs inside the runtime and stands alone (no import of
starforge). The drivers' own files sort the keys: ``lm_eval_config.py``,
``evalscope_config.py``. A case for evalscope is judged with lm-eval too, as far as its keys
are lm-eval's: a published parameter must mean the same to both.
"""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import runpy
import sys
from pathlib import Path
from typing import Any

DRIVERS = Path(__file__).parent / "drivers"
CONFIG = "record/config.json"
EVALSCOPE = "evalscope"
PREFIX = "evalscope."
MISSING = object()


def judge_lm_eval(config: dict[str, Any]) -> dict[str, Any]:
    """Return the values by native path as lm-eval has them; raise for what it does not take."""
    evaluator = importlib.import_module("lm_eval.evaluator")
    model_class = importlib.import_module("lm_eval.models.huggingface").HFLM
    utils = importlib.import_module("lm_eval.models.utils")
    split = runpy.run_path(str(DRIVERS / "lm_eval_config.py"))["split_config"]
    task, model = split(dict(config))
    bound = inspect.signature(inspect.unwrap(evaluator.simple_evaluate)).bind("hf", **task)
    bound.apply_defaults()
    known = inspect.signature(model_class.__init__).parameters
    if unknown := sorted(set(model) - set(known)):
        raise TypeError(f"HFLM has no {', '.join(unknown)}")
    found = dict(bound.arguments)
    gen = utils.normalize_gen_kwargs({"do_sample": False, **(task.get("gen_kwargs") or {})}, 256)
    found |= {f"gen_kwargs.{key}": value for key, value in gen.items()}
    found |= {f"model_args.{key}": value for key, value in model.items()}
    if "dtype" in model:
        made = str(importlib.import_module("lm_eval.models.utils_hf").get_dtype(model["dtype"]))
        found["model_args.dtype"] = made.removeprefix("torch.")
    if config.get("gen_kwargs.temperature") and not gen.get("do_sample"):
        raise ValueError("a temperature is set, and answers are not sampled")
    return found | {"batch_size": model.get("batch_size")}


def judge_evalscope(config: dict[str, Any]) -> dict[str, Any]:
    """Return the values by native path as evalscope has them; raise for what it refuses."""
    settings = importlib.import_module("evalscope.config")
    generate = importlib.import_module("evalscope.api.model").GenerateConfig
    ours = runpy.run_path(str(DRIVERS / "evalscope_config.py"))
    made = ours["translate"](dict(config))
    fields = set(settings.TaskConfig.model_fields)
    if unknown := sorted(set(made.task) - fields):
        raise TypeError(f"TaskConfig has no {', '.join(unknown)}")
    task = settings.TaskConfig(
        **made.task, model="model", model_args=made.model, datasets=["general_qa"],
        dataset_args=made.dataset_args, generation_config=generate(**made.generation),
        eval_type="llm_ckpt",
    )  # fmt: skip
    sampled = bool(config.get("gen_kwargs.temperature"))
    if bool(task.generation_config.do_sample) is not sampled:
        raise ValueError("answers are sampled just when a temperature is set: they are not")
    found: dict[str, Any] = {"limit": task.limit}
    found |= {key: getattr(task, name) for key, name in ours["TASK"].items()}
    found |= {k: getattr(task.generation_config, n) for k, n in ours["GENERATION"].items()}
    found |= {key: task.model_args.get(name) for key, name in ours["MODEL"].items()}
    found |= {key: made.asking.get(name) for key, name in ours["ASKING"].items()}
    found["model_args.parallelize"] = task.model_args.get("device_map") == "auto"
    found |= {PREFIX + name: getattr(task, name) for name in fields}
    found |= {f"{PREFIX}generation_config.{name}": getattr(task.generation_config, name)
              for name in generate.model_fields}  # fmt: skip
    return found | {f"{PREFIX}model_args.{key}": v for key, v in task.model_args.items()}


def judge(case: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of one case."""
    outcome: dict[str, Any] = {"name": case["name"], "ok": False, "checked": 0, "problems": []}
    job = json.loads(case["files"][CONFIG])
    config = job["config"]
    harness = config.get("harness", "lm-eval")
    problems: list[str] = _drivers(case, harness)
    outcome["problems"] = problems
    named = [benchmark["name"] for benchmark in job["benchmarks"]]
    # What the plan itself reads of the configuration.
    planned = {"tasks": named, "harness": harness,
               "confirm_run_unsafe_code": config.get("confirm_run_unsafe_code", False)}  # fmt: skip
    own = {key: value for key, value in config.items() if not key.startswith(PREFIX)}
    parts = [("lm-eval", judge_lm_eval, own)]
    if harness == EVALSCOPE:
        parts.append((EVALSCOPE, judge_evalscope, config))
    for name, read, keys in parts:
        try:
            found = read(keys) | planned
        except Exception as error:
            problems.append(f"{name}: {type(error).__name__}: {error}")
            continue
        for path, expected in case["expect"].items():
            if name == "lm-eval" and path.startswith(PREFIX):
                continue
            value = found.get(path, MISSING)
            if value is MISSING:
                problems.append(f"{path}: {name} has no such key")
            elif value != expected or isinstance(value, bool) is not isinstance(expected, bool):
                problems.append(f"{path}: {expected!r} arrived at {name} as {value!r}")
            outcome["checked"] += 1
    outcome["ok"] = not problems
    return outcome


def _drivers(case: dict[str, Any], harness: str) -> list[str]:
    """Return what is wrong with the drivers that a case starts."""
    started = [Path(word).name for argv in case["processes"] for word in argv
               if word.startswith("${RECORD}/driver/")]  # fmt: skip
    wanted = [f"{harness.replace('-', '_')}_run.py"]
    if started != wanted or not (DRIVERS / wanted[0]).is_file():
        return [f"{', '.join(started) or 'no driver'} is started, not {wanted[0]}"]
    return []


def main() -> None:
    """Judge the cases of standard input."""
    logging.disable(logging.ERROR)
    outcomes = [judge(case) for case in json.load(sys.stdin)]
    sys.stdout.write("\n" + json.dumps(outcomes) + "\n")


if __name__ == "__main__":
    main()

"""Say in evalscope's words what the published parameters, native to lm-eval, ask for.

One parameter means the same with both harnesses, so a job for evalscope is given lm-eval's
keys too. Standard library only: ``proof.py`` shows with this file that the values arrive.
"""

from __future__ import annotations

import dataclasses
from typing import Any

PREFIX = "evalscope."
SEED = 1234  # lm-eval's default of every seed: what `seed` and `few_shot_seed` say they are

# Native keys of lm-eval that a job for evalscope understands: what they set there.
GENERATION = {"gen_kwargs.max_gen_toks": "max_tokens", "gen_kwargs.temperature": "temperature"}
TASK = {"batch_size": "eval_batch_size", "torch_random_seed": "seed"}
MODEL = {
    "model_args.dtype": "precision",
    "model_args.enable_thinking": "enable_thinking",
    "model_args.max_length": "max_length",
    "model_args.peft": "peft",
    "model_args.think_end_token": "think_end_token",
    "model_args.trust_remote_code": "trust_remote_code",
    "apply_chat_template": "apply_chat_template",
}
ASKING = {
    "num_fewshot": "few_shot",
    "fewshot_random_seed": "few_shot_seed",
    "fewshot_as_multiturn": "as_turns",
    "system_instruction": "system_prompt",
}
# The keys without that prefix that a job for evalscope understands. The first three are read
# by the plan, or allow what evalscope does anyway.
UNDERSTOOD = frozenset({
    "harness", "tasks", "confirm_run_unsafe_code", "limit", "model_args.parallelize",
    *GENERATION, *TASK, *MODEL, *ASKING,
})  # fmt: skip


@dataclasses.dataclass
class Settings:
    """A job's settings: of the task, of generation, of loading the model, of asking.

    ``asking`` holds ``few_shot`` (``None``: as the benchmark is defined), ``few_shot_seed``,
    ``as_turns``, ``system_prompt`` and ``templated``.
    """

    task: dict[str, Any]
    generation: dict[str, Any]
    model: dict[str, Any]
    asking: dict[str, Any]
    dataset_args: dict[str, Any]


def translate(config: dict[str, Any]) -> Settings:
    """Return the settings of a job from its native keys that differ, by dotted path."""
    made = Settings(
        task={"seed": SEED},
        generation={},
        model={"apply_chat_template": False},
        asking={"few_shot": None, "few_shot_seed": SEED, "as_turns": True, "system_prompt": None},
        dataset_args={},
    )
    tables = ((TASK, made.task), (GENERATION, made.generation), (MODEL, made.model),
              (ASKING, made.asking))  # fmt: skip
    for table, target in tables:
        target.update({name: config[key] for key, name in table.items() if key in config})
    if config.get("model_args.parallelize"):
        made.model["device_map"] = "auto"
    if config.get("limit") is not None:
        made.task["limit"] = as_limit(config["limit"])
    _native(config, made)
    # Greedy unless a temperature is asked for, as lm-eval reads it.
    sampled = bool(made.generation.get("temperature"))
    made.generation["do_sample"] = sampled
    if not sampled:
        made.generation.pop("temperature", None)
    made.asking["templated"] = made.model["apply_chat_template"] is not False
    return made


def as_limit(limit: float) -> int | float:
    """Return a limit as both read it: below 1 a share, otherwise a number of items.

    evalscope alone would take ``1.0`` for everything.
    """
    return limit if limit < 1 else int(limit)


def _native(config: dict[str, Any], made: Settings) -> None:
    for key, value in config.items():
        if not key.startswith(PREFIX):
            continue
        head, _, rest = key.removeprefix(PREFIX).partition(".")
        if head == "generation_config" and rest:
            made.generation[rest] = value
        elif head == "model_args" and rest:
            made.model[rest] = value
        elif head == "dataset_args":
            made.dataset_args = value or {}
        else:
            made.task[head] = value

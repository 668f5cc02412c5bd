"""Sort a job's native keys into what lm-eval's ``simple_evaluate`` and its model take.

Standard library only: ``proof.py`` shows with this file that the values arrive.
"""

from __future__ import annotations

from typing import Any


def split_config(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of ``simple_evaluate`` and those of the model.

    ``config`` holds native keys by dotted path, and is used up.
    """
    config.pop("harness", None)
    gen = config.pop("gen_kwargs", None) or {}
    if isinstance(gen, str):  # lm-eval's own form: "top_p=0.9,temperature=0.7"
        from lm_eval.utils import simple_parse_args_string

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

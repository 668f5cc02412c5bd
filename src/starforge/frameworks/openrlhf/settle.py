"""What a plan adds to the settings: data, reward and devices, and the estimator of Dr.GRPO."""

from __future__ import annotations

from typing import Any

import msgspec

from starforge.frameworks.openrlhf import cpu
from starforge.frameworks.openrlhf.devices import layout
from starforge.lab.context import PrepareContext
from starforge.lab.resolve import same
from starforge.lab.resolved import ResolvedConfig
from starforge.plan import Difference

VALIDATION = "${ATTEMPT}/data/validation.jsonl"
REWARD_DRIVER = "openrlhf_reward.py"


def settle(context: PrepareContext) -> PrepareContext:
    """Return the context with every setting as it reaches upstream."""
    added = _data(context)
    if context.recipe.config == "ppo":
        added |= _reward(context) | layout(context).settings() | _estimator(context)
        added |= _sleep(context)
    if context.resources.gpus == 0:
        added |= {
            path: value
            for path, value in cpu.SETTINGS.items()
            if path in context.config.values and not context.config.is_set_by_user(path)
        }
    config = with_values(context.config, added, context)
    return msgspec.structs.replace(context, config=config)


def with_values(
    config: ResolvedConfig, added: dict[str, Any], context: PrepareContext
) -> ResolvedConfig:
    """Return ``config`` with values that the plan decides, as pins."""
    keys = context.contract_config.keys
    names = {path: name for name, path in config.paths.items()}
    differs = {one.path: one for one in config.differs}
    values, parameters = dict(config.values), dict(config.parameters)
    for path, value in added.items():
        if path not in values or same(values[path], value):
            continue
        values[path] = value
        if path in names:
            parameters[names[path]] = value
        differs.pop(path, None)
        if not same(value, keys[path].default):
            differs[path] = Difference(path=path, value=value, default=keys[path].default,
                                       source="pin", parameter=names.get(path))  # fmt: skip
    ordered = [differs[path] for path in sorted(differs)]
    return msgspec.structs.replace(config, values=values, parameters=parameters, differs=ordered)


def _data(context: PrepareContext) -> dict[str, Any]:
    config, kind = context.config, context.recipe.config
    added: dict[str, Any] = {}
    # A reward model also needs rows to find the mean and deviation of its scores.
    if "validation" in context.data or kind == "rm":
        added["eval.dataset"] = VALIDATION
    whole = config.get("data.apply_chat_template") or config.get("model.pretrain_mode_enable")
    if kind == "sft" and not whole:
        added["data.output_key"] = "output"
    return added


def _reward(context: PrepareContext) -> dict[str, Any]:
    if context.reward is None:
        return {}
    if context.reward.model is not None:
        return {"reward.model_name_or_path": "${REWARD}"}
    return {"reward.remote_url": f"${{RECORD}}/driver/{REWARD_DRIVER}"}


def _sleep(context: PrepareContext) -> dict[str, Any]:
    """Nothing makes room for another when generation has GPUs of its own."""
    config = context.config
    if config.get("train.colocate_all") and not config.get("train.async_enable"):
        return {}
    paths = ("vllm.enable_sleep", "ds.enable_sleep")
    return {path: False for path in paths if not config.is_set_by_user(path)}


def _estimator(context: PrepareContext) -> dict[str, Any]:
    """Dr.GRPO: upstream reads ``no_std_norm`` only for estimators that whiten the batch."""
    config = context.config
    group_norm = config.get("algo.advantage.estimator") == "group_norm"
    if group_norm and config.get("algo.advantage.no_std_norm"):
        return {"algo.advantage.estimator": "dr_grpo"}
    return {}

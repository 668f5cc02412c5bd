"""Native keys whose values follow from resources, inputs and device, not from the user."""

from __future__ import annotations

import copy
from typing import Any

import msgspec

from starforge.catalog.models import ContractConfig
from starforge.frameworks.verl import cpu
from starforge.lab.context import PrepareContext
from starforge.lab.interpolation import effective
from starforge.lab.resolve import same
from starforge.lab.resolved import Origin, ResolvedConfig
from starforge.plan import Difference

TRAIN_FILE = "${ATTEMPT}/data/train.parquet"
VALIDATION_FILE = "${ATTEMPT}/data/validation.parquet"
PROCESSES = "trainer.n_gpus_per_node"
REWARD_TP = "reward.reward_model.rollout.tensor_model_parallel_size"


def is_sft(context: PrepareContext) -> bool:
    """Say whether the method is the supervised one, which needs neither Ray nor rollout."""
    return context.recipe.algorithm == "sft"


def on_cpu(context: PrepareContext) -> bool:
    """Say whether the job gets no GPU."""
    return context.resources.gpus == 0


def teacher_gpus(context: PrepareContext) -> int:
    """Return how many GPUs the teacher takes; 0 for methods without one."""
    if context.recipe.teacher == "none":
        return 0
    return 1 if on_cpu(context) else int(context.config.get("distillation.n_gpus_per_node") or 0)


def trainer_gpus(context: PrepareContext) -> int:
    """Return the number of trainer processes: one a GPU that the teacher leaves, at least 1.

    Supervised training on a CPU takes as many as are asked for.
    """
    if is_sft(context) and on_cpu(context):
        return max(1, int(context.config.get(PROCESSES) or 1))
    return max(1, context.resources.gpus - (0 if on_cpu(context) else teacher_gpus(context)))


def settled(context: PrepareContext) -> PrepareContext:
    """Return the context with everything decided that the user does not decide."""
    config = with_settings(context, plan_settings(context))
    return msgspec.structs.replace(context, config=config)


def plan_settings(context: PrepareContext) -> dict[str, Any]:
    """Return what the plan sets by itself: native path to value."""
    made: dict[str, Any] = {PROCESSES: trainer_gpus(context)}
    if is_sft(context):
        if "validation" in context.data:
            made["data.val_files"] = VALIDATION_FILE
    else:
        made |= _rl_settings(context)
    if on_cpu(context):
        made |= {one.path: one.value for one in cpu.settings_for(context.recipe.algorithm)}
    return made


def _rl_settings(context: PrepareContext) -> dict[str, Any]:
    made: dict[str, Any] = {
        "ray_kwargs.ray_init.num_gpus": trainer_gpus(context) + teacher_gpus(context)
    }
    if "validation" not in context.data:
        made["data.val_files"] = TRAIN_FILE  # verl wants a file even when it never validates
    if context.recipe.algorithm == "dapo":
        limit = context.config.get("data.max_response_length")
        made["reward.reward_kwargs.max_resp_len"] = limit
    return made | _reward_settings(context)


def _reward_settings(context: PrepareContext) -> dict[str, Any]:
    reward = context.reward
    if reward is None:
        return {}
    if reward.model is None:
        return {"reward.custom_reward_function.reward_kwargs": {"file": f"${{CODE}}/{reward.file}"}}
    made: dict[str, Any] = {
        "reward.custom_reward_function.path": None,
        "reward.reward_model.enable": True,
        "reward.reward_model.model_path": "${REWARD}",
        "reward.reward_model.rollout.name": context.config.get("actor_rollout_ref.rollout.name"),
    }
    if not context.config.is_set_by_user(REWARD_TP):
        made[REWARD_TP] = 1
    return made


def with_settings(context: PrepareContext, settings: dict[str, Any]) -> ResolvedConfig:
    """Return the resolved config with ``settings`` on top, marked as pins."""
    config, contract = context.config, context.contract_config
    values = copy.deepcopy(config.values)
    origins = dict(config.origins)
    differs = {one.path: one for one in config.differs}
    names = {parameter.path: parameter.name for parameter in context.recipe.parameters}
    for path, value in settings.items():
        key = _put(values, path, value, contract)
        origins[path] = Origin(layer="pin")
        default = contract.keys[key].default
        differs.pop(key, None)
        if not same(values[key], default):
            differs[key] = Difference(path=key, value=values[key], default=default, source="pin",
                                      parameter=names.get(key))  # fmt: skip
    return msgspec.structs.replace(
        config, values=values, origins=origins,
        differs=[differs[path] for path in sorted(differs)],
        parameters={p.name: effective(values, p.path) for p in context.recipe.parameters},
    )  # fmt: skip


def _put(values: dict[str, Any], path: str, value: Any, contract: ContractConfig) -> str:
    """Set a key, or an entry of the mapping that holds it; return the contract's key."""
    if path in contract.keys:
        values[path] = copy.deepcopy(value)
        return path
    key, dot, rest = path, "", ""
    while key not in contract.keys:
        key, dot, last = key.rpartition(".")
        rest = f"{last}.{rest}" if rest else last
        assert dot, f"{path} is not in the contract"
    node = values[key] = dict(values[key] or {})
    *parents, last = rest.split(".")
    for part in parents:
        node[part] = dict(node.get(part) or {})
        node = node[part]
    node[last] = value
    return key

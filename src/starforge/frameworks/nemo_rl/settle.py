"""What follows from the experiment as a whole and no single key can say.

The GPUs of the job, whether there is validation data, where the reward comes from: NeMo-RL
wants all of it as keys of its own. Here they are put into the resolved config, so that the
plan shows them and the checks see what upstream will see.
"""

from __future__ import annotations

from typing import Any

import msgspec

from starforge.lab.context import PrepareContext
from starforge.lab.interpolation import effective
from starforge.lab.resolve import same
from starforge.lab.resolved import Origin, ResolvedConfig
from starforge.plan import Difference

ENVIRONMENT = "starforge"  # our environment in upstream's registry
MATH = "math"  # upstream's own, which compares with the column `answer`
WITHOUT_VALIDATION: dict[str, Any] = {
    "val_period": 0, "val_at_start": False, "val_at_end": False,
}  # fmt: skip

LORA = "policy.dtensor_cfg.lora_cfg"
# A LoRA section is refused unless it is whole. Values of the default files that have one.
LORA_DEFAULTS: dict[str, Any] = {
    "enabled": False, "target_modules": [], "exclude_modules": [], "match_all_linear": True,
    "dim": 8, "alpha": 32, "dropout": 0.0, "dropout_position": "post",
    "lora_A_init": "xavier", "use_triton": True,
}  # fmt: skip


def settle(context: PrepareContext) -> PrepareContext:
    """Return the context with the keys that follow from the whole experiment.

    Values that the user chose are never replaced: where they can't be, a check says so.
    """
    config = context.config
    changes: dict[str, Any] = {"cluster.gpus_per_node": max(1, context.resources.gpus)}
    changes |= _whole_lora(config)
    changes |= _reward(context)
    changes |= _validation(context)
    if needs_second_worker(config) and not config.is_set_by_user("policy.dtensor_cfg._v2"):
        # Without it upstream picks its first DTensor worker, which has no LoRA.
        changes["policy.dtensor_cfg._v2"] = True
    return msgspec.structs.replace(context, config=_changed(context, changes))


def algorithm(context: PrepareContext) -> str:
    """Return the section of the method's own keys: ``grpo``, ``sft``, ..."""
    return context.recipe.config


def has_rollouts(context: PrepareContext) -> bool:
    """Say whether the method samples answers."""
    return algorithm(context) in ("grpo", "ppo", "distillation")


def needs_second_worker(config: ResolvedConfig) -> bool:
    """Say whether a setting works with the second DTensor worker only."""
    dtensor = bool(config.get("policy.dtensor_cfg.enabled"))
    return dtensor and config.get(f"{LORA}.enabled") is True


def validates(context: PrepareContext) -> bool:
    """Say whether there is anything to validate with."""
    if "validation" not in context.data:
        return False
    # What distillation validates is the reward of the student's answers.
    return algorithm(context) != "distillation" or context.reward is not None


def _whole_lora(config: ResolvedConfig) -> dict[str, Any]:
    paths = {f"{LORA}.{name}": value for name, value in LORA_DEFAULTS.items()}
    if all(config.get(path) is None for path in paths):
        return {}
    return {path: value for path, value in paths.items() if config.get(path) is None}


def _reward(context: PrepareContext) -> dict[str, Any]:
    if not has_rollouts(context):
        return {}
    file = context.reward.file if context.reward else None
    if file is None and algorithm(context) != "distillation":
        default = context.config.get("data.default") or {}
        return {"data.default": {**default, "env_name": MATH}}
    # Empty and not null: the section has to be there even when nothing is judged.
    place = f"${{CODE}}/{file}" if file else ""
    return {f"env.{ENVIRONMENT}.reward_file": place}


def _validation(context: PrepareContext) -> dict[str, Any]:
    if validates(context):
        return {}
    section, config = algorithm(context), context.config
    changes: dict[str, Any] = {"data.validation": None}
    for name, value in WITHOUT_VALIDATION.items():
        if not config.is_set_by_user(f"{section}.{name}"):
            changes[f"{section}.{name}"] = value
    metric = "checkpointing.metric_name"
    if not config.is_set_by_user(metric) and str(config.get(metric)).startswith("val:"):
        changes[metric] = None
    return changes


def _changed(context: PrepareContext, changes: dict[str, Any]) -> ResolvedConfig:
    config, keys = context.config, context.contract_config.keys
    # Keys that upstream's file lacks and nobody set say nothing; there are hundreds of them.
    values = {
        path: value
        for path, value in sorted((config.values | changes).items())
        if value is not None or path not in keys or not keys[path].added
    }
    names = {path: name for name, path in config.paths.items()}
    origins = dict(config.origins)
    for path in changes:
        layer = config.source(path)
        origins[path] = Origin(layer="recipe" if layer == "upstream" else layer)
    known = {one.path: one for one in config.differs}
    differs = []
    for path, value in values.items():
        default = keys[path].default if path in keys else None
        if same(value, default):
            continue
        old = known.get(path)
        if old is not None and path not in changes:
            differs.append(old)
            continue
        source = origins[path].layer if path in origins else "recipe"
        differs.append(
            Difference(path=path, value=value, default=default, source=source,
                       parameter=names.get(path))
        )  # fmt: skip
    return msgspec.structs.replace(
        config, values=values, differs=differs, origins=origins,
        parameters={name: effective(values, path) for name, path in config.paths.items()},
    )  # fmt: skip

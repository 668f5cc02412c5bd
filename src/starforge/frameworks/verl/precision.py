"""Whether verl's optimizer changes 16-bit weights in place."""

from __future__ import annotations

from starforge.checks.rounding import InPlace
from starforge.frameworks.verl.settings import is_sft
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

_FIX = Text(
    "set `{name}: fp32`: it still computes in bfloat16 (preset `precision`)",
    "请设 `{name}: fp32`：计算仍用 bfloat16（预设 `precision`）",
)


def in_place(context: PrepareContext) -> list[InPlace]:
    """Return the weights that are changed in place: the actor's, and the critic's of PPO.

    FSDP shards the weights in the type they are loaded in, and the optimizer is given the
    shards. Adapters take the type of the weights as well, but begin at zero and have far
    higher rates.
    """
    if is_sft(context):
        return _of(context, "engine.model_dtype", "optim", "model.lora_rank")
    actor = "actor_rollout_ref.actor"
    found = _of(context, f"{actor}.fsdp_config.model_dtype", f"{actor}.optim",
                "actor_rollout_ref.model.lora_rank")  # fmt: skip
    if context.recipe.algorithm == "ppo":
        found += _of(context, "critic.fsdp.model_dtype", "critic.optim", "critic.model.lora_rank")
    return found


def _of(context: PrepareContext, key: str, optim: str, rank: str) -> list[InPlace]:
    config = context.config
    more = config.get(f"{optim}.override_optimizer_config")
    rounds = isinstance(more, dict) and more.get("bf16_stochastic_round")
    if config.get(rank) or rounds:
        return []
    name = next((p.name for p in context.recipe.parameters if p.path == key), key)
    return [
        InPlace(
            dtype=str(config.get(key)), key=key, optimizer=str(config.get(f"{optim}.optimizer")),
            rate=config.get(f"{optim}.lr"), fix=_FIX.format(name=name),
        )
    ]  # fmt: skip

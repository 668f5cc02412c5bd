"""How the GPUs of a job are divided among training, generation and the other models."""

from __future__ import annotations

from typing import Any

import msgspec

from starforge.lab.context import PrepareContext

ROLES = ("actor", "ref", "critic", "reward")


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """GPUs of each model, and vLLM's engines. ``shared`` engines sit on the models' GPUs.

    ``groups`` are the sets of models with GPUs of their own; ``trainers`` is 0 when too few
    GPUs are left for all of them.
    """

    gpus: int
    trainers: int
    engines: int
    engine_size: int
    shared: bool
    groups: list[list[str]]

    @property
    def rollout_gpus(self) -> int:
        """GPUs that vLLM takes, shared or not."""
        return self.engines * self.engine_size

    def settings(self) -> dict[str, Any]:
        """Return upstream's own keys; every model of a group has the group's GPUs."""
        each = max(1, self.trainers)
        placed = {f"{role}.num_gpus_per_node": each for role in ROLES}
        return placed | {"vllm.num_engines": self.engines}


def models_of(context: PrepareContext) -> list[str]:
    """Return the models that a job holds besides vLLM's."""
    config = context.config
    held = ["actor"]
    if (config.get("algo.kl.init_coef") or 0) > 0:
        held.append("ref")
    if config.get("algo.advantage.estimator") == "gae":
        held.append("critic")
    if context.reward is not None and context.reward.model is not None:
        held.append("reward")
    return held


def groups_of(context: PrepareContext) -> list[list[str]]:
    """Return which models share GPUs with each other."""
    held, config = models_of(context), context.config
    if config.get("train.colocate_all"):
        return [held]
    pairs = []
    if config.get("train.colocate_actor_ref"):
        pairs.append(["actor", "ref"])
    if config.get("train.colocate_critic_reward"):
        pairs.append(["critic", "reward"])
    groups = [pair for pair in pairs if set(pair) <= set(held)]
    together = {name for pair in groups for name in pair}
    return groups + [[name] for name in held if name not in together]


def layout(context: PrepareContext) -> Layout:
    """Divide the job's GPUs.

    With ``train.colocate_all`` everything has all GPUs, unless generation runs at the same
    time (``train.async_enable``): then, and without it, vLLM has its own - as many engines
    as were asked for, else half of the GPUs - and the groups of models share the rest
    evenly. Without GPUs there is one of each, and the driver makes Ray count them.
    """
    config, gpus = context.config, context.resources.gpus
    size = int(config.get("vllm.tensor_parallel_size") or 1)
    asked = config.get("vllm.num_engines")
    shared = bool(config.get("train.colocate_all")) and not config.get("train.async_enable")
    groups = groups_of(context)
    if shared or gpus == 0:
        engines = asked or max(1, gpus // size)
        return Layout(gpus=gpus, trainers=max(1, gpus), engines=engines, engine_size=size,
                      shared=shared, groups=groups)  # fmt: skip
    engines = asked or max(1, gpus // 2 // size)
    trainers = max(0, gpus - engines * size) // len(groups)
    return Layout(gpus=gpus, trainers=trainers, engines=engines, engine_size=size,
                  shared=False, groups=groups)  # fmt: skip


def trainer_count(context: PrepareContext) -> int:
    """Return how many processes train the model."""
    if context.recipe.config == "ppo":
        return max(1, layout(context).trainers)
    return max(1, context.resources.gpus)


def data_parallel(context: PrepareContext) -> int:
    """Return over how many processes rows are divided."""
    sharing = (context.config.get("ds.ring_attn_size") or 1) * (
        context.config.get("ds.tensor_parallel_size") or 1
    )
    return max(1, trainer_count(context) // int(sharing))

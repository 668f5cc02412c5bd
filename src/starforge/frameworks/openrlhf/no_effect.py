"""Settings that upstream reads only together with another one."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from starforge.findings import Finding
from starforge.frameworks.openrlhf import cpu
from starforge.frameworks.openrlhf.rules import NO_EFFECT
from starforge.i18n import Text
from starforge.lab.context import PrepareContext


class Dependence(msgspec.Struct, frozen=True):
    """``path`` is read only when ``needs`` has a value that counts as on."""

    path: str
    needs: str
    shown: str


TABLE = [
    Dependence(path, needs, shown)
    for needs, shown, paths in (
        ("ds.lora.rank", "lora_rank",
         ("ds.lora.alpha", "ds.lora.dropout", "ds.lora.target_modules", "ds.load_in_4bit")),
        ("train.async_enable", "async_rollout", ("train.async_queue_size",)),
        ("train.enable_ema", "ema", ("train.ema_beta",)),
        ("train.dynamic_batch_enable", "dynamic_batch",
         ("train.max_tokens_per_gpu", "rollout.max_tokens_per_gpu")),
        ("algo.kl.target", "kl_target", ("algo.kl.horizon",)),
        ("algo.dynamic_filtering_enable", "dynamic_sampling", ("algo.dynamic_filtering_range",)),
        ("reward.overlong_buffer_len", "overlong_buffer", ("reward.overlong_penalty_factor",)),
        ("algo.advantage.is_correction_enable", "rollout_is",
         ("algo.advantage.is_correction_type", "algo.advantage.is_correction_threshold")),
        ("model.gradient_checkpointing_enable", "activation_checkpointing",
         ("model.gradient_checkpointing_reentrant",)),
        ("actor.gradient_checkpointing_enable", "activation_checkpointing",
         ("actor.gradient_checkpointing_reentrant",)),
    )
    for path in paths
]  # fmt: skip


def check_no_effect(context: PrepareContext) -> Iterator[Finding]:
    """Yield a warning for each setting of the user that nothing reads.

    What the device does not allow is no matter here: that has its own finding.
    """
    refused = cpu.refused(context)
    for path, without in _unread(context):
        if path not in refused:
            yield _no_effect(context, path, without)


def _unread(context: PrepareContext) -> Iterator[tuple[str, Text]]:
    """Yield what the user set and nothing reads, with what it is that it lacks."""
    config = context.config
    for one in TABLE:
        if config.is_set_by_user(one.path) and not config.get(one.needs):
            without = Text(f"without `{one.shown}`", f"未设置 `{one.shown}`")
            yield one.path, without
    for optim, paths in (("optim", ("muon.lr", "muon.momentum")),
                         ("actor.optim", ("actor.muon.lr", "actor.muon.momentum")),
                         ("critic.optim", ("critic.muon.lr", "critic.muon.momentum"))):  # fmt: skip
        if config.get(optim) != "muon":
            without = Text(f"without `{optim}: muon`", f"未使用 `{optim}: muon`")
            yield from ((path, without) for path in paths if config.is_set_by_user(path))
    gspo = config.get("actor.policy_loss_type") == "gspo"
    for path in ("algo.advantage.is_correction_type", "algo.advantage.is_correction_threshold"):
        if gspo and config.is_set_by_user(path):
            yield path, Text("with gspo", "使用 gspo ")
    dynamic = "train.dynamic_batch_enable"
    if (
        config.get(dynamic)
        and config.is_set_by_user("train.micro_batch_size")
        and dynamic not in cpu.refused(context)
    ):
        yield "train.micro_batch_size", Text("with `dynamic_batch`", "开启 `dynamic_batch` ")
    yield from _reward_model(context)


def _reward_model(context: PrepareContext) -> Iterator[tuple[str, Text]]:
    if context.reward is None or context.reward.model is not None:
        return
    without = Text("with a reward function", "使用奖励函数")
    for path in ("reward.normalize_enable", "reward.offload"):
        if context.config.is_set_by_user(path) and context.config.get(path):
            yield path, without


def _no_effect(context: PrepareContext, path: str, without: Text) -> Finding:
    names = {p: name for name, p in context.config.paths.items()}
    return NO_EFFECT.at(context.config.at(path), key=names.get(path, path), without=without)

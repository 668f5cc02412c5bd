"""What does not go together in the losses of verl's reinforcement methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from starforge.findings import Finding
from starforge.frameworks.verl import rules
from starforge.frameworks.verl.settings import on_cpu
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

ACTOR = "actor_rollout_ref.actor"
LOSS = f"{ACTOR}.policy_loss.loss_mode"
CORRECTION = "algorithm.rollout_correction"
READ_CLIP_RATIO = ("dppo_kl", "dppo_tv")
REJECTIONS = (
    "token_k1", "token_k2", "token_k3", "seq_sum_k1", "seq_sum_k2", "seq_sum_k3",
    "seq_mean_k1", "seq_mean_k2", "seq_mean_k3", "seq_max_k2", "seq_max_k3",
)  # fmt: skip
GROUPED = ("grpo", "dapo", "rloo", "reinforce-baseline")


def check_losses(context: PrepareContext) -> Iterator[Finding]:
    """Return the findings about the policy loss, its correction and distillation."""
    yield from _policy(context)
    yield from _correction(context)
    yield from _lengths(context)
    if context.recipe.algorithm == "distillation":
        yield from _distillation(context)


def _policy(context: PrepareContext) -> Iterator[Finding]:
    config, loss = context.config, context.config.get(LOSS)
    beta = config.get(f"{ACTOR}.policy_loss.dro_beta")
    if loss == "dro" and not (beta and beta > 0):
        yield rules.DRO_BETA.at(config.at(LOSS))
    ratio = f"{ACTOR}.clip_ratio"
    either = [config.get(f"{ACTOR}.clip_ratio_{side}") for side in ("low", "high")]
    if config.is_set_by_user(ratio) and loss not in READ_CLIP_RATIO and None not in either:
        readers = ", ".join(READ_CLIP_RATIO)
        yield rules.DEAD_CLIP.at(config.at(ratio), name=ratio, loss=loss, readers=readers,
                                 instead="`clip_low`, `clip_high`")  # fmt: skip
    for side in ("low", "high") if loss in READ_CLIP_RATIO else ():
        path = f"{ACTOR}.clip_ratio_{side}"
        if config.is_set_by_user(path):
            yield rules.DEAD_CLIP.at(config.at(path), name=f"clip_{side}", loss=loss,
                                     readers=", ".join(READ_CLIP_RATIO),
                                     instead=f"`{ratio}`")  # fmt: skip
    if context.recipe.algorithm in GROUPED and config.get("actor_rollout_ref.rollout.n") == 1:
        at = config.at("actor_rollout_ref.rollout.n")
        yield rules.LONE_GROUP.at(at, method=context.recipe.name)


def _correction(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    threshold = config.get(f"{CORRECTION}.rollout_is_threshold")
    if not _readable(threshold):
        at = config.at(f"{CORRECTION}.rollout_is_threshold")
        yield rules.IS_THRESHOLD.at(at, value=threshold)
    wanted = config.get(f"{CORRECTION}.rollout_rs")
    if not wanted:
        return
    at, known = config.at(f"{CORRECTION}.rollout_rs"), ", ".join(REJECTIONS)
    names = [word.strip() for word in str(wanted).split(",")]
    wrong = next((name for name in names if name not in REJECTIONS), None)
    if wrong is not None:
        problem = Text(f"`rollout_rs` names `{wrong}`", f"`rollout_rs` 中的 `{wrong}` 不存在")
        yield rules.REJECTION.at(at, problem=problem, known=known)
    elif config.get(f"{CORRECTION}.rollout_rs_threshold") is None:
        problem = Text("`rollout_rs` is set without `rollout_rs_threshold`",
                       "设置了 `rollout_rs`，但没有 `rollout_rs_threshold`")  # fmt: skip
        yield rules.REJECTION.at(at, problem=problem, known=known)


def _readable(threshold: Any) -> bool:
    """Say whether verl can read a threshold: a positive number, or ``low_high``."""
    if isinstance(threshold, str) and "${" in threshold:
        return True
    try:
        numbers = [float(part) for part in str(threshold).split("_", 1)]
    except ValueError:
        return False
    return all(number > 0 for number in numbers) and numbers == sorted(numbers)


def _lengths(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    limit = config.get("data.max_response_length")
    section = "reward.reward_kwargs.overlong_buffer_cfg"
    buffer = config.get(f"{section}.len")
    numbers = isinstance(limit, int) and isinstance(buffer, int)
    if config.get(f"{section}.enable") and numbers and buffer > limit:
        yield rules.OVERLONG.at(config.at(f"{section}.len"), buffer=buffer, limit=limit)
    size = config.get(f"{ACTOR}.ulysses_sequence_parallel_size")
    padding = "actor_rollout_ref.model.use_remove_padding"
    if isinstance(size, int) and size > 1 and not config.get(padding):
        at = config.at(f"{ACTOR}.ulysses_sequence_parallel_size")
        yield rules.PADDING.at(at, size=size, key=padding)


def _distillation(context: PrepareContext) -> Iterator[Finding]:
    config, section = context.config, "distillation.distillation_loss"
    loss = config.get(f"{section}.loss_mode")
    at = config.at(f"{section}.loss_mode")
    if loss == "k1" and not config.get(f"{section}.use_policy_gradient"):
        yield rules.K1_GRADIENT.at(at)
    strategy = "fsdp2" if on_cpu(context) else config.get(f"{ACTOR}.strategy")
    if loss == "forward_kl_topk" and strategy != "fsdp":
        yield rules.TOPK_STRATEGY.at(at, strategy=strategy)
    # A reward that is named and can't be found has its own finding.
    without = context.reward is None and context.experiment.reward is None
    if config.get(f"{section}.use_task_rewards") and without:
        yield rules.TASK_REWARD.at(config.at(f"{section}.use_task_rewards"))

"""Settings of verl's reinforcement learning that exclude each other, or go too far."""

from __future__ import annotations

from collections.abc import Iterator

from starforge.findings import Finding, rule
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

MICRO_TWICE = rule(
    "verl/micro-batch-twice", "error",
    title=Text("Micro-batch set twice", "微批次设置了两次"),
    message=Text("`{old}` and `{new}` are both set", "同时设置了 `{old}` 和 `{new}`"),
    hint=Text("remove `{old}`, which is deprecated", "请删除已弃用的 `{old}`"),
    why=Text("verl refuses to start; the first counts rows of all GPUs, the second of one.",
             "verl 会拒绝启动：前者按所有 GPU 计数，后者按单张 GPU 计数。"),
    bad="actor_rollout_ref: {actor: {ppo_micro_batch_size: 8}}\nparams: {batch_size: 8}",
    good="params: {batch_size: 8}",
)  # fmt: skip
KL_TWICE = rule(
    "verl/kl-twice", "warning",
    title=Text("KL penalty counted twice", "KL 惩罚计算了两次"),
    message=Text("`kl_in_loss` and `kl_in_reward` are both on",
                 "`kl_in_loss` 与 `kl_in_reward` 同时开启"),
    hint=Text("keep `kl_in_loss` for group methods, `kl_in_reward` for PPO",
              "组内比较的方法请保留 `kl_in_loss`，PPO 请保留 `kl_in_reward`"),
    why=Text("The policy is pulled to the reference model twice, by two coefficients.",
             "策略会被两个系数各拉向参考模型一次。"),
    bad="params: {kl_in_loss: true, kl_in_reward: true}", good="params: {kl_in_loss: true}",
)  # fmt: skip
LORA_RANK = rule(
    "verl/lora-rank", "error",
    title=Text("LoRA rank that vLLM can't take", "vLLM 不支持的 LoRA 秩"),
    message=Text("`lora_rank` is {rank}, and vLLM takes {limit} at most",
                 "`lora_rank` 为 {rank}，而 vLLM 最多支持 {limit}"),
    hint=Text("8 to 128 is usual", "常用 8 到 128"),
    why=Text("verl refuses to start.", "verl 会拒绝启动。"),
    bad="params: {lora_rank: 1024}", good="params: {lora_rank: 64}",
)  # fmt: skip
MAX_LORA_RANK = 512  # the largest of vLLM's MaxLoRARanks
_ACTOR = "actor_rollout_ref.actor"
_MICRO = (f"{_ACTOR}.ppo_micro_batch_size", "actor_rollout_ref.rollout.log_prob_micro_batch_size",
          "actor_rollout_ref.ref.log_prob_micro_batch_size")  # fmt: skip


def check_exclusive(context: PrepareContext) -> Iterator[Finding]:
    """Yield the findings about settings that exclude each other."""
    config = context.config
    if not config.get(f"{_ACTOR}.use_dynamic_bsz"):
        for old in _MICRO:
            new = f"{old}_per_gpu"
            if config.get(old) is not None and config.get(new) is not None:
                yield MICRO_TWICE.at(config.at(old), old=old, new=new)
    if config.get(f"{_ACTOR}.use_kl_loss") and config.get("algorithm.use_kl_in_reward"):
        yield KL_TWICE.at(config.at("algorithm.use_kl_in_reward"))
    rank = config.get("actor_rollout_ref.model.lora_rank") or 0
    if rank > MAX_LORA_RANK:
        at = config.at("actor_rollout_ref.model.lora_rank")
        yield LORA_RANK.at(at, rank=rank, limit=MAX_LORA_RANK)

"""Checks of methods that sample: GRPO, PPO, distillation."""

from __future__ import annotations

import json
from collections.abc import Iterator

from starforge.checks.parallel import fitting_sizes
from starforge.findings import Finding
from starforge.frameworks.nemo_rl import rules
from starforge.frameworks.nemo_rl.settle import algorithm
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

APART = "policy.generation.colocated.resources.gpus_per_node"
_LOOKED_AT = 1000  # rows


def check(context: PrepareContext) -> list[Finding]:
    """Return the findings about rollouts, rewards and the policy's loss."""
    found = [*_reward(context), *_rows(context), *_generation(context)]
    if algorithm(context) != "distillation":
        found += [*_sampling(context), *_loss(context), *_importance(context), *_async(context)]
    return found


def _reward(context: PrepareContext) -> Iterator[Finding]:
    if context.reward is not None and context.reward.model is not None:
        problem = Text(
            "`reward` is a reward model; NeMo-RL methods take a file with a reward function",
            "`reward` 是奖励模型；NeMo-RL 的方法只接受写有奖励函数的文件",
        )
        yield rules.REWARD.at(context.at("reward"), problem=problem)
    low = "grpo.reward_scaling.target_min"
    scaled = context.config.get("grpo.reward_scaling.enabled")
    if context.recipe.algorithm == "maxrl" and scaled and (context.config.get(low) or 0) < 0:
        problem = Text("MaxRL divides by the mean reward, so rewards can't be negative",
                       "MaxRL 以平均奖励为除数，奖励不能为负")  # fmt: skip
        yield rules.REWARD.at(context.config.at(low), problem=problem)


def _rows(context: PrepareContext) -> Iterator[Finding]:
    """Without a reward function upstream's math checker compares with ``answer``."""
    if algorithm(context) == "distillation" or context.reward is not None:
        return
    for split in sorted(context.data):
        for number, line in context.data[split].lines():
            if number > _LOOKED_AT:
                break
            try:
                row = json.loads(line)
            except ValueError:
                continue  # a check of the data itself says so
            if isinstance(row, dict) and not isinstance(row.get("answer"), str):
                problem = Text(
                    "without `reward`, answers are compared with the text column `answer`, "
                    "which this row lacks",
                    "没有设置 `reward` 时，回答会与文本列 `answer` 比较，而这一行没有该列",
                )
                at = context.data_location(split, number, key="answer")
                yield rules.REWARD.at(at, problem=problem)
                return


def _generation(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    gpus = int(config.get("cluster.gpus_per_node") or 1)
    shared = config.get("policy.generation.colocated.enabled") is not False
    apart = config.get(APART)
    if not shared and (not apart or apart >= gpus):
        problem = Text(
            f"without `colocate`, `rollout_gpus` must be set and less than the job's {gpus} GPUs",
            f"关闭 `colocate` 时必须设置 `rollout_gpus`，且要小于任务的 {gpus} 张 GPU",
        )
        yield rules.ROLLOUT.at(config.at(APART if apart else
                                         "policy.generation.colocated.enabled"),
                               problem=problem)  # fmt: skip
    if shared and apart is not None and config.is_set_by_user(APART):
        problem = Text("`rollout_gpus` does nothing while `colocate` is on",
                       "`colocate` 开启时 `rollout_gpus` 不起作用")  # fmt: skip
        yield rules.ROLLOUT.at(config.at(APART), problem=problem)
    backend = config.get("policy.generation.backend")
    refused = {"ppo": ("megatron",)}.get(algorithm(context), ())
    if backend in refused or (backend != "vllm" and not shared):
        problem = Text(f"`rollout_engine: {backend}` does not work here; use vllm",
                       f"此处不支持 `rollout_engine: {backend}`，请用 vllm")  # fmt: skip
        yield rules.ROLLOUT.at(config.at("policy.generation.backend"), problem=problem)
    size, path = 1, "policy.generation.vllm_cfg.tensor_parallel_size"
    size = int(config.get(path) or 1)
    room = gpus if shared else int(apart or gpus)
    if backend == "vllm" and room % size:
        problem = Text(f"the rollout engine takes {size} GPUs a copy, and {room} generate",
                       f"推理引擎每份需要 {size} 张 GPU，而用于生成的有 {room} 张")  # fmt: skip
        ways = fitting_sizes("rollout_tensor_parallel", room)
        yield rules.PARALLEL.at(config.at(path), hint=ways, problem=problem)


def _sampling(context: PrepareContext) -> Iterator[Finding]:
    config, section = context.config, algorithm(context)
    dynamic = config.get(f"{section}.use_dynamic_sampling")
    multiplier = f"{section}.batch_multiplier"
    if not dynamic and float(config.get(multiplier) or 1) != 1:
        problem = Text("`batch_multiplier` needs `dynamic_sampling: true`",
                       "`batch_multiplier` 需要 `dynamic_sampling: true`")  # fmt: skip
        yield rules.ROLLOUT.at(config.at(multiplier), problem=problem)
    skip = f"{section}.skip_reference_policy_logprobs_calculation"
    if config.get(skip) and config.get("loss_fn.reference_policy_kl_penalty"):
        problem = Text("`skip_reference` needs `kl_coef: 0`",
                       "`skip_reference` 要求 `kl_coef: 0`")  # fmt: skip
        at = skip if config.is_set_by_user(skip) else "loss_fn.reference_policy_kl_penalty"
        yield rules.LOSS.at(config.at(at), problem=problem)
    forced = "loss_fn.force_on_policy_ratio"
    prompts = int(config.get(f"{section}.num_prompts_per_step") or 1)
    group = int(config.get(f"{section}.num_generations_per_prompt") or 1)
    whole = config.get("policy.train_global_batch_size")
    if config.get(forced) and prompts * group != whole:
        problem = Text(
            f"`force_on_policy` needs `global_batch_size` {prompts} × {group} = {prompts * group}",
            f"`force_on_policy` 要求 `global_batch_size` 为 {prompts} × {group} = "
            f"{prompts * group}",
        )
        yield rules.LOSS.at(config.at(forced), problem=problem)


def _loss(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    by_sequence = "loss_fn.sequence_level_importance_ratios"
    by_token = config.get("loss_fn.token_level_loss")
    if config.get(by_sequence) and by_token:
        problem = Text("`sequence_ratios` needs `token_level_loss: false`",
                       "`sequence_ratios` 要求 `token_level_loss: false`")  # fmt: skip
        yield rules.LOSS.at(config.at(by_sequence), problem=problem)
    if not config.get("loss_fn.use_cispo"):
        return
    against = {"plain_reinforce": config.get("loss_fn.disable_ppo_ratio"),
               "force_on_policy": config.get("loss_fn.force_on_policy_ratio"),
               "sequence_ratios": config.get(by_sequence),
               "dual_clip": config.get("loss_fn.ratio_clip_c") is not None}  # fmt: skip
    for name, is_set in against.items():
        if is_set:
            problem = Text(f"`cispo` can't be combined with `{name}`",
                           f"`cispo` 不能与 `{name}` 同时使用")  # fmt: skip
            yield rules.LOSS.at(config.at("loss_fn.use_cispo"), problem=problem)
    if by_token is False:
        problem = Text("`cispo` needs `token_level_loss: true`",
                       "`cispo` 要求 `token_level_loss: true`")  # fmt: skip
        yield rules.LOSS.at(config.at("loss_fn.use_cispo"), problem=problem)


def _importance(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    path = "loss_fn.truncated_importance_sampling_type"
    kind = config.get(path)
    used = config.get("loss_fn.use_importance_sampling_correction")
    high = config.get("loss_fn.truncated_importance_sampling_ratio")
    low = config.get("loss_fn.truncated_importance_sampling_ratio_min")
    fp8 = "policy.generation.vllm_cfg.precision"
    if config.get(fp8) == "fp8" and not used:
        problem = Text("`rollout_dtype: fp8` needs `rollout_is: true`",
                       "`rollout_dtype: fp8` 需要 `rollout_is: true`")  # fmt: skip
        yield rules.LOSS.at(config.at(fp8), problem=problem)
    cache = "policy.generation.vllm_cfg.kv_cache_dtype"
    if str(config.get(cache)).startswith("fp8") and (
        config.get(fp8) != "fp8" or config.get("policy.dtensor_cfg.enabled")
    ):
        problem = Text("an fp8 cache needs `rollout_dtype: fp8` and Megatron training",
                       "fp8 缓存要求 `rollout_dtype: fp8` 且用 Megatron 训练")  # fmt: skip
        yield rules.ROLLOUT.at(config.at(cache), problem=problem)
    if kind is None:
        return
    lacks = None
    if not used:
        lacks = "`rollout_is: true`"
    elif not high or high <= 0:
        lacks = "`rollout_is_threshold`"
    elif kind in ("icepop", "seq-mask-tis") and low is None:
        lacks = "`rollout_is_floor`"
    elif low is not None and low > high:
        lacks = "`rollout_is_floor` <= `rollout_is_threshold`"
    elif kind == "seq-mask-tis" and config.get("loss_fn.sequence_level_importance_ratios"):
        lacks = "`sequence_ratios: false`"
    if lacks is not None:
        problem = Text(f"`rollout_is_type: {kind}` needs {lacks}",
                       f"`rollout_is_type: {kind}` 需要 {lacks}")  # fmt: skip
        yield rules.LOSS.at(config.at(path), problem=problem)


def _async(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    path = "grpo.async_grpo.enabled"
    if not config.get(path):
        return
    wanted = {
        "`async_engine: true`": config.get("policy.generation.vllm_cfg.async_engine")
        or config.get("policy.generation.backend") == "megatron",
        "`rollout_is: true`": config.get("loss_fn.use_importance_sampling_correction"),
        "`colocate: false`": config.get("policy.generation.colocated.enabled") is False,
        "`dynamic_sampling: false`": not config.get("grpo.use_dynamic_sampling"),
        "`reward_scaling: false`": not config.get("grpo.reward_scaling.enabled"),
        "`overlong_shaping: false`": not config.get("grpo.reward_shaping.enabled"),
    }
    lacks = [needed for needed, there in wanted.items() if not there]
    if lacks:
        listed = Text(", ".join(lacks), "、".join(lacks))
        problem = Text(f"`async_rollout` needs {listed.en}", f"`async_rollout` 需要 {listed.zh}")
        yield rules.ROLLOUT.at(config.at(path), problem=problem)

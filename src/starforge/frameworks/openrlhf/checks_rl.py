"""Checks of reinforcement learning: rewards, batches of completions, lengths, GPUs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from starforge.findings import Finding
from starforge.frameworks.openrlhf import rules_rl as rules
from starforge.frameworks.openrlhf.devices import data_parallel, layout
from starforge.i18n import Text
from starforge.lab.context import PrepareContext


def check_rl(context: PrepareContext) -> Iterator[Finding]:
    """Yield what only holds for reinforcement learning."""
    for one in (
        _reward,
        _scores,
        _validation,
        _filtering,
        _batches,
        _lengths,
        _async,
        _layout,
        _clip,
    ):
        yield from one(context)


def _agent(context: PrepareContext) -> bool:
    return bool(context.config.get("train.agent_func_path"))


def _reward(context: PrepareContext) -> Iterator[Finding]:
    at, agent = context.at("reward"), _agent(context)
    # A reward that was written but not found has its own finding.
    if context.reward is None and context.experiment.reward is None and not agent:
        yield rules.REWARD.at(at, problem=Text("the method has no reward", "没有设置奖励"))
    elif context.reward is not None and agent:
        yield rules.REWARD.at(at, problem=Text(
            "an agent (`train.agent_func_path`) gives its own rewards, so `reward` would not be "
            "used",
            "智能体（`train.agent_func_path`）自己给出奖励，不会用到 `reward`"))  # fmt: skip


def _scores(context: PrepareContext) -> Iterator[Finding]:
    """Look for the scoring layer where the reward model can be seen; the driver sees the rest."""
    ref = context.reward.model if context.reward is not None else None
    if ref is None:
        return
    if ref.kind == "builtin" or (ref.kind == "path" and not has_score(Path(ref.location))):
        yield rules.REWARD_MODEL.at(context.at("reward"), model=ref.location)


def has_score(folder: Path) -> bool:
    """Say whether a model folder names a scoring layer; one that can't be read is not judged."""
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return True
    kinds = " ".join(map(str, config.get("architectures") or []))
    return "value_head_prefix" in config or "Classification" in kinds or "Reward" in kinds


def _model_reward(context: PrepareContext) -> bool:
    reward = context.reward
    return reward is not None and reward.model is not None and not _agent(context)


def _validation(context: PrepareContext) -> Iterator[Finding]:
    if "validation" not in context.data:
        return
    steps = context.config.get("eval.steps")
    if _model_reward(context):
        what = Text("validation", "验证")
        yield rules.NEEDS_FUNCTION.at(context.at("data.validation"), what=what)
    elif steps == -1:
        yield rules.VALIDATION_UNUSED.at(context.at("data.validation"), steps=steps)


def _filtering(context: PrepareContext) -> Iterator[Finding]:
    config, path = context.config, "algo.dynamic_filtering_enable"
    if not config.get(path):
        return
    low, high = config.get("algo.dynamic_filtering_range")
    if _model_reward(context):
        what = Text("`dynamic_sampling`", " `dynamic_sampling` ")
        yield rules.NEEDS_FUNCTION.at(config.at(path), what=what)
    if low >= high:
        needs = Text("a `dynamic_sampling_range` that goes up", "递增的 `dynamic_sampling_range`")
        yield rules.FILTERING.at(config.at("algo.dynamic_filtering_range"), needs=needs)
    if config.get("rollout.n_samples_per_prompt") < 2:
        needs = Text("a `group_size` of 2 or more", "不小于 2 的 `group_size`")
        yield rules.FILTERING.at(config.at(path), needs=needs)


def _batches(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    prompts, group = config.get("rollout.batch_size"), config.get("rollout.n_samples_per_prompt")
    batch, micro = config.get("train.batch_size"), config.get("rollout.micro_batch_size")
    samples, processes = prompts * group, data_parallel(context)
    at = config.at("train.batch_size")
    if samples < batch:
        yield rules.ROLLOUT_BATCH.at(at, samples=samples, prompts=prompts, group=group, batch=batch)
        return  # how so few are split among the processes is the same mistake
    if samples % batch:
        yield rules.ROLLOUT_REST.at(at, samples=samples, batch=batch)
    if samples // micro < processes:
        yield _split(context, samples, Text("", ""))
        return
    train = context.data.get("train")
    rows = min(train.ref.rows or 0, config.get("data.max_samples")) if train else 0
    rest = rows % prompts * group
    # The last rollout of a pass over the prompts has what is left.
    if rest and -(-rest // micro) < processes and not config.get("train.dynamic_batch_enable"):
        yield _split(context, rest, Text(
            f" in the last rollout of a pass ({rows} rows, {prompts} at a time)",
            f"（每遍的最后一次采样：共 {rows} 行，每次 {prompts} 行）"))  # fmt: skip


def _split(context: PrepareContext, samples: int, where: Text) -> Finding:
    return rules.ROLLOUT_SPLIT.at(
        context.config.at("rollout.micro_batch_size"), samples=samples, where=where,
        micro=context.config.get("rollout.micro_batch_size"), processes=data_parallel(context),
    )  # fmt: skip


def _lengths(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    total, completion = config.get("data.max_len"), config.get("rollout.max_new_tokens")
    if completion is not None and completion >= total:
        at = config.at("rollout.max_new_tokens")
        yield rules.LENGTHS.at(at, completion=completion, total=total)
    buffer, limit = config.get("reward.overlong_buffer_len"), completion or total
    if buffer is not None and buffer > limit:
        at = config.at("reward.overlong_buffer_len")
        yield rules.OVERLONG.at(at, buffer=f"{buffer:g}", limit=limit)


def _async(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    needs = Text("needs `async_rollout: true`", "需要 `async_rollout: true`")
    if config.get("train.async_enable"):
        path = "vllm.enable_sleep"
        if config.is_set_by_user(path) and config.get(path):
            problem = Text("can't be on with `async_rollout`", "不能与 `async_rollout` 同时开启")
            yield rules.ASYNC.at(config.at(path), key="rollout_sleep", problem=problem)
        return
    if config.get("train.partial_rollout_enable"):
        at = config.at("train.partial_rollout_enable")
        yield rules.ASYNC.at(at, key="partial_rollout", problem=needs)
    generated = config.get("rollout.vllm_generate_batch_size")
    if generated and generated > config.get("rollout.batch_size"):
        at = config.at("rollout.vllm_generate_batch_size")
        more = Text("above `prompts_per_step` needs `async_rollout: true`",
                    "大于 `prompts_per_step` 时需要 `async_rollout: true`")  # fmt: skip
        yield rules.ASYNC.at(at, key="generation_batch_size", problem=more)


def _layout(context: PrepareContext) -> Iterator[Finding]:
    if not context.resources.gpus:
        return
    made = layout(context)
    gpus, engines, size = made.gpus, made.engines, made.engine_size
    key = (
        "vllm.num_engines"
        if context.config.get("vllm.num_engines")
        else ("vllm.tensor_parallel_size")
    )
    at = context.config.at(key)
    if made.shared and made.rollout_gpus != gpus:
        yield rules.LAYOUT.at(
            at,
            problem=Text(f"{engines} vLLM engine(s) of {size} GPU(s) don't fill the {gpus} GPUs "
                         "that everything shares",
                         f"{engines} 个 vLLM 引擎、每个 {size} 张 GPU，占不满共用的 {gpus} 张 GPU"),
            way=Text("leave `rollout_engines` out, and make `rollout_tensor_parallel` a divisor "
                     "of the GPUs",
                     "请去掉 `rollout_engines`，并让 `rollout_tensor_parallel` 能整除 GPU 数"),
        )  # fmt: skip
    elif not made.shared and made.trainers < 1:
        groups = len(made.groups)
        yield rules.LAYOUT.at(
            at,
            problem=Text(f"of {gpus} GPUs vLLM takes {made.rollout_gpus}, which leaves too few "
                         f"for {groups} group(s) of models",
                         f"{gpus} 张 GPU 中 vLLM 占 {made.rollout_gpus} 张，"
                         f"余下的不够 {groups} 组模型使用"),
            way=Text("ask for more GPUs, or set `colocate: true`",
                     "请申请更多 GPU，或设 `colocate: true`"),
        )  # fmt: skip


def _clip(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    both = config.get("actor.eps_clip_low_high") and config.is_set_by_user("actor.eps_clip")
    if both:
        yield rules.CLIP_TWICE.at(config.at("actor.eps_clip"))

"""What the pinned NeMo-RL refuses when a job starts, or would silently not do.

Each rule was read from an assertion of the pinned source; see ``rules`` for the reasons.
"""

from __future__ import annotations

from collections.abc import Iterator

from starforge.checks.parallel import fitting_sizes
from starforge.checks.schedule import check_schedule
from starforge.checks.sequences import check_fits
from starforge.findings import Finding
from starforge.frameworks.nemo_rl import checks_rollout, rules
from starforge.frameworks.nemo_rl.config_yaml import dropped, missing
from starforge.frameworks.nemo_rl.schedule import schedule
from starforge.frameworks.nemo_rl.settle import algorithm, has_rollouts, validates
from starforge.frameworks.nemo_rl.steps import rows_a_step
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

DTENSOR, MEGATRON = "dtensor_cfg", "megatron_cfg"
# Keys of a model that only its DTensor backend reads.
_DTENSOR_ONLY = ("optimizer", "scheduler", DTENSOR)
_VALIDATION_TIMES = ("val_period", "val_at_start", "val_at_end")
_VALIDATION_METRICS = {
    "sft": ("val_loss",),
    "dpo": ("validation-default_loss", "validation-default_accuracy",
            "validation-default_preference_loss", "validation-default_sft_loss"),
    "rm": ("validation-default_loss", "validation-default_accuracy"),
    "grpo": ("accuracy", "avg_length"),
    "ppo": ("accuracy", "avg_length"),
    "distillation": ("accuracy", "avg_length"),
}  # fmt: skip


def check(context: PrepareContext) -> list[Finding]:
    """Return the findings about a settled context (see ``settle``)."""
    lost = list(_missing_keys(context))
    if lost:
        return lost  # what is not there can't be compared
    found = [
        *_models(context), *_batches(context), *_few_rows(context), *_validation(context),
        *_save_metric(context), *_save_format(context), *_critic(context),
        *check_schedule(context, schedule(context)),
    ]  # fmt: skip
    longest = ("policy.max_total_sequence_length",)
    if has_rollouts(context):
        found += checks_rollout.check(context)
        found += check_fits(context, "policy.generation.vllm_cfg.max_model_len", longest)
    return found


def _missing_keys(context: PrepareContext) -> Iterator[Finding]:
    lost = missing(context)
    for section in sorted(dropped(context)):
        keys = [path for path in lost if path.partition(".")[0] == section]
        if keys:
            shown = ", ".join(f"`{key}`" for key in keys[:5]) + (" …" if len(keys) > 5 else "")
            at = context.config.at(section)
            yield rules.MISSING_KEY.at(at, section=section, keys=shown)


def _models(context: PrepareContext) -> Iterator[Finding]:
    for model in ("policy", "value", "teacher"):
        if f"{model}.{DTENSOR}.enabled" in context.config.values:
            yield from _backend(context, model)
            yield from _parallel(context, model)
            yield from _packing(context, model)


def _backend(context: PrepareContext, model: str) -> Iterator[Finding]:
    config = context.config
    first, second = f"{model}.{DTENSOR}.enabled", f"{model}.{MEGATRON}.enabled"
    dtensor, megatron = bool(config.get(first)), bool(config.get(second))
    if dtensor == megatron:
        both = Text("both backends are on", "两个后端都已开启")
        none = Text("no backend is on", "没有开启任何后端")
        at = config.at(second if config.is_set_by_user(second) else first)
        problem = both if dtensor else none
        yield rules.BACKEND.at(at, problem=problem, first=first, second=second)
        return
    off, name = (_DTENSOR_ONLY, "DTensor") if megatron else ((MEGATRON,), "Megatron")
    prefixes = tuple(f"{model}.{part}" for part in off)
    for path in sorted(config.origins):
        inside = any(path == one or path.startswith(one + ".") for one in prefixes)
        if inside and config.is_set_by_user(path) and path not in (first, second):
            yield rules.OTHER_BACKEND.at(config.at(path), key=path, backend=name)


def _parallel(context: PrepareContext, model: str) -> Iterator[Finding]:
    config = context.config
    sizes = _sizes(context, model)
    product = 1
    for size in sizes.values():
        product *= size
    gpus = training_gpus(context)
    if gpus % product:
        listed = " × ".join(f"{size}" for size in sizes.values())
        at = config.at(next((path for path, size in sizes.items() if size > 1), next(iter(sizes))))
        problem = Text(
            f"`{model}` takes {listed} = {product} GPUs a copy, and {gpus} train",
            f"`{model}` 每份需要 {listed} = {product} 张 GPU，而用于训练的有 {gpus} 张",
        )
        names = {p.path: p.name for p in context.recipe.parameters}
        large = [path for path, size in sizes.items() if size > 1]
        # What several sizes may be together can't be listed in a line.
        ways = fitting_sizes(names.get(large[0], large[0]), gpus) if len(large) == 1 else None
        yield rules.PARALLEL.at(at, hint=ways, problem=problem)
    tensor, micro = next(iter(sizes)), f"{model}.train_micro_batch_size"
    logprob = f"{model}.logprob_batch_size"
    on_policy = config.get("loss_fn.force_on_policy_ratio")
    differs = config.get(micro) != config.get(logprob, config.get(micro))
    if sizes[tensor] >= 4 and differs and model == "policy" and not on_policy:
        problem = Text(
            "with tensor_parallel of 4 or more, `batch_size` and `logprob_batch_size` must be "
            "equal",
            "tensor_parallel 为 4 及以上时，`batch_size` 与 `logprob_batch_size` 必须相等",
        )
        yield rules.MODEL.at(config.at(logprob), problem=problem)


def _sizes(context: PrepareContext, model: str) -> dict[str, int]:
    config = context.config
    if config.get(f"{model}.{MEGATRON}.enabled"):
        names = [f"{MEGATRON}.tensor_model_parallel_size", f"{MEGATRON}.context_parallel_size",
                 f"{MEGATRON}.pipeline_model_parallel_size"]  # fmt: skip
    else:
        names = [f"{DTENSOR}.tensor_parallel_size", f"{DTENSOR}.context_parallel_size"]
    return {f"{model}.{name}": int(config.get(f"{model}.{name}") or 1) for name in names}


def training_gpus(context: PrepareContext) -> int:
    """Return how many GPUs train: all, without those set aside for generation."""
    config = context.config
    gpus = int(config.get("cluster.gpus_per_node") or 1)
    apart = config.get("policy.generation.colocated.enabled") is False
    return max(1, gpus - int(config.get(checks_rollout.APART) or 0)) if apart else gpus


def _packing(context: PrepareContext, model: str) -> Iterator[Finding]:
    config = context.config
    dynamic, packing = f"{model}.dynamic_batching.enabled", f"{model}.sequence_packing.enabled"
    if config.get(dynamic) and config.get(packing):
        problem = Text(
            f"`{dynamic}` and `{packing}` can't both be on",
            f"`{dynamic}` 与 `{packing}` 不能同时开启",
        )
        yield rules.MODEL.at(config.at(dynamic), problem=problem)
    lora = f"{model}.{DTENSOR}.lora_cfg.enabled"
    if not config.get(lora):
        return
    if config.get(f"{model}.{DTENSOR}._v2") is not True:
        problem = Text("LoRA needs `policy.dtensor_cfg._v2: true`",
                       "LoRA 需要 `policy.dtensor_cfg._v2: true`")  # fmt: skip
        yield rules.MODEL.at(config.at(f"{model}.{DTENSOR}._v2"), problem=problem)
    kernels = f"{model}.{DTENSOR}.lora_cfg.use_triton"
    if config.get(kernels) and int(config.get(f"{model}.{DTENSOR}.tensor_parallel_size") or 1) > 1:
        problem = Text("with tensor_parallel above 1, `lora_kernels` must be off",
                       "tensor_parallel 大于 1 时必须关闭 `lora_kernels`")  # fmt: skip
        yield rules.MODEL.at(config.at(kernels), problem=problem)


def _batches(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    path = "policy.train_global_batch_size"
    whole = int(config.get(path) or 1)
    product = 1
    for size in _sizes(context, "policy").values():
        product *= size
    copies = max(1, training_gpus(context) // product)
    packed = any(config.get(f"policy.{kind}.enabled")
                 for kind in ("sequence_packing", "dynamic_batching"))  # fmt: skip
    micro = 1 if packed else int(config.get("policy.train_micro_batch_size") or 1)
    if whole % (copies * micro):
        passes = "" if micro == 1 else f" × batch_size {micro}"
        problem = Text(
            f"`global_batch_size` {whole} is not a multiple of {copies} copies{passes}",
            f"`global_batch_size` {whole} 不是 {copies} 份模型{passes} 的整数倍",
        )
        yield rules.BATCH.at(config.at(path), problem=problem)
    if not has_rollouts(context):
        return
    section = algorithm(context)
    prompts = int(config.get(f"{section}.num_prompts_per_step") or 1)
    group = int(config.get(f"{section}.num_generations_per_prompt") or 1)
    if prompts * group % whole:
        problem = Text(
            f"a step samples {prompts} prompts × {group} = {prompts * group} answers, which is "
            f"not a multiple of `global_batch_size` {whole}",
            f"每步采样 {prompts} 个提示 × {group} = {prompts * group} 个回答，"
            f"不是 `global_batch_size` {whole} 的整数倍",
        )
        yield rules.BATCH.at(config.at(path), problem=problem)


def _few_rows(context: PrepareContext) -> Iterator[Finding]:
    train, needed = context.data.get("train"), rows_a_step(context)
    if train is None or not train.ref.rows or train.ref.rows >= needed:
        return
    parameter = "prompts_per_step" if has_rollouts(context) else "global_batch_size"
    at = context.config.at_parameter(parameter)
    yield rules.FEW_ROWS.at(at, rows=train.ref.rows, needed=needed, parameter=parameter)


def _validation(context: PrepareContext) -> Iterator[Finding]:
    config, section = context.config, algorithm(context)
    if validates(context):
        times = [config.get(f"{section}.{name}") for name in _VALIDATION_TIMES]
        if not any(time and time != -1 for time in times):
            yield rules.VALIDATION_UNUSED.at(context.at("data.validation"))
        return
    lacks = "reward" if "validation" in context.data else "data.validation"
    for name in _VALIDATION_TIMES:
        path = f"{section}.{name}"
        value = config.get(path)
        if config.is_set_by_user(path) and value and value is not None and value != -1:
            problem = Text(f"`{path}` is set, but the experiment has no `{lacks}`",
                           f"设置了 `{path}`，但实验没有 `{lacks}`")  # fmt: skip
            yield rules.VALIDATION.at(config.at(path), problem=problem)


def _save_metric(context: PrepareContext) -> Iterator[Finding]:
    path = "checkpointing.metric_name"
    value = context.config.get(path)
    if value is None or not context.config.is_set_by_user(path):
        return
    prefix, colon, name = str(value).partition(":")
    known = _VALIDATION_METRICS[algorithm(context)]
    listed = ", ".join([f"val:{one}" for one in known] + ["train:loss", "null"])
    at = context.config.at(path)
    if not colon or prefix not in ("val", "train"):
        problem = Text(f"`{value}` begins with neither `val:` nor `train:`",
                       f"`{value}` 没有以 `val:` 或 `train:` 开头")  # fmt: skip
        yield rules.METRIC.at(at, problem=problem, known=listed)
    elif prefix == "val" and name not in known:
        problem = Text(f"there is no validation metric `{name}`",
                       f"没有名为 `{name}` 的验证指标")  # fmt: skip
        yield rules.METRIC.at(at, problem=problem, known=listed)
    elif prefix == "val" and not validates(context):
        problem = Text(f"`{value}` is measured in validation, and there is none",
                       f"`{value}` 是验证时才有的指标，而该任务没有验证")  # fmt: skip
        yield rules.METRIC.at(at, problem=problem, known="train:loss, null")


def _save_format(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    dtensor = config.get(f"policy.{DTENSOR}.enabled")
    path = "checkpointing.model_save_format"
    first_worker = dtensor and config.get(f"policy.{DTENSOR}._v2") is not True
    if first_worker and config.get(path) is not None:
        yield rules.SAVE_FORMAT.at(config.at(path), key=path)
    context_parallel = f"policy.{DTENSOR}.context_parallel_size"
    if algorithm(context) == "rm" and dtensor and int(config.get(context_parallel) or 1) > 1:
        problem = Text("a reward model can't be trained with context parallelism on DTensor",
                       "用 DTensor 训练奖励模型时不支持上下文并行")  # fmt: skip
        yield rules.MODEL.at(config.at(context_parallel), problem=problem)


def _critic(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    if algorithm(context) != "ppo" or config.get("value.megatron_cfg.enabled"):
        return
    wanted = {
        "value.sequence_packing.enabled": False,
        "value.dynamic_batching.enabled": False,
        "value.dtensor_cfg.context_parallel_size": 1,
        "value.dtensor_cfg._v2": True,
    }
    for path, only in wanted.items():
        value = config.get(path)
        if value != only:
            shown = str(value).lower() if isinstance(value, bool) else value
            yield rules.CRITIC.at(config.at(path), key=path, value=shown)

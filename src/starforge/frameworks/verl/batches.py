"""The arithmetic of batches and GPUs in verl, checked before the job starts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import msgspec

from starforge.checks.parallel import fitting_sizes
from starforge.findings import Finding
from starforge.frameworks.verl import rules
from starforge.frameworks.verl.settings import (
    PROCESSES,
    is_sft,
    on_cpu,
    teacher_gpus,
    trainer_gpus,
)
from starforge.frameworks.verl.steps import BATCH, rows_of, steps_of_epochs
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

ACTOR = "actor_rollout_ref.actor"
ROLLOUT = "actor_rollout_ref.rollout"

_WHOLE = Text("the batch", "批次")
_MINI = Text("the mini-batch times `group_size`", "小批次乘 `group_size`")
_SAMPLES = Text("prompts times `group_size`", "提示词数乘 `group_size`")
_SHARE = Text("the share of one device in the batch", "每张卡分到的批次")
_PROCESSES = Text("the data-parallel processes", "数据并行进程数")
_GPUS = Text("the trainer's GPUs", "训练用的 GPU 数")
_AT_ONCE = Text("rows a device takes at once", "每张卡一次处理的行数")


class _Rest(msgspec.Struct, frozen=True, kw_only=True):
    """``path`` is set so that ``number`` (of ``what``) leaves a rest by ``divisor``.

    ``fits`` are the nearest values of ``path`` that leave none.
    """

    path: str
    what: Text
    number: int
    by: Text
    divisor: int
    fits: list[int]


def check_batches(context: PrepareContext) -> Iterator[Finding]:
    """Return what does not divide, or leaves no step to take."""
    yield from _rows(context)
    yield from _steps(context)
    yield from _tokens(context)
    if not is_sft(context):
        yield from _mini_batches(context)
    yield from _uneven(context, _sft(context) if is_sft(context) else _rl(context))


def _number(context: PrepareContext, path: str) -> int:
    value = context.config.get(path)
    return value if isinstance(value, int) else 0


def _rows(context: PrepareContext) -> Iterator[Finding]:
    batch = _number(context, BATCH)
    name = "global_batch_size" if is_sft(context) else "prompts_per_step"
    # The supervised trainer drops a last validation batch that is not full, too.
    for split in ("train", "validation") if is_sft(context) else ("train",):
        rows = rows_of(context, split)
        if rows is not None and rows < batch:
            yield rules.FEW_ROWS.at(
                context.config.at(BATCH), split=split, rows=rows, batch=batch, name=name
            )


def _steps(context: PrepareContext) -> Iterator[Finding]:
    limit = _number(context, "trainer.total_training_steps")
    given = steps_of_epochs(context)
    if not limit or not given or given >= limit:
        return
    epochs = _number(context, "trainer.total_epochs")
    wanted = math.ceil(limit / (given / epochs))
    yield rules.EPOCHS_END.at(
        context.config.at("trainer.total_training_steps"), steps=limit, epochs=epochs,
        given=given, wanted=wanted,
    )  # fmt: skip


def _tokens(context: PrepareContext) -> Iterator[Finding]:
    """A micro-batch formed by tokens must hold the longest sequence."""
    if is_sft(context):
        switch, budget_at = "data.use_dynamic_bsz", "data.max_token_len_per_gpu"
        parallel = "engine.ulysses_sequence_parallel_size"
        lengths = ["data.max_length"]
    else:
        switch, budget_at = f"{ACTOR}.use_dynamic_bsz", f"{ACTOR}.ppo_max_token_len_per_gpu"
        parallel = f"{ACTOR}.ulysses_sequence_parallel_size"
        lengths = ["data.max_prompt_length", "data.max_response_length"]
    budget = _number(context, budget_at) * max(1, _number(context, parallel))
    longest = sum(_number(context, path) for path in lengths)
    if context.config.get(switch) and not on_cpu(context) and 0 < budget < longest:
        at = context.config.at(budget_at)
        yield rules.TOKEN_BUDGET.at(at, budget=budget, longest=longest)


def _sft(context: PrepareContext) -> Iterator[_Rest]:
    gpus, batch = trainer_gpus(context), _number(context, BATCH)
    processes = max(1, gpus // max(1, _number(context, "engine.ulysses_sequence_parallel_size")))
    if batch % processes:
        fits = _multiples(batch, processes)
        yield _rest(BATCH, (_WHOLE, batch), (_PROCESSES, processes), fits)
    elif not context.config.get("data.use_dynamic_bsz") or on_cpu(context):
        path, share = "data.micro_batch_size_per_gpu", batch // processes
        micro = _number(context, path)
        if micro and share % micro:
            yield _rest(path, (_SHARE, share), (_AT_ONCE, micro), _divisors(share, micro))


def _trained(context: PrepareContext) -> list[str]:
    """Return the sections of the models that are trained."""
    return [ACTOR, "critic"] if context.recipe.algorithm == "ppo" else [ACTOR]


def _rl(context: PrepareContext) -> Iterator[_Rest]:
    batch = _number(context, BATCH)
    for section in _trained(context):
        if _number(context, f"{section}.ppo_mini_batch_size") <= batch:
            yield from _mini_batch(context, section)
    dynamic = context.config.get(f"{ACTOR}.use_dynamic_bsz") and not on_cpu(context)
    n, gpus = _number(context, f"{ROLLOUT}.n"), trainer_gpus(context)
    whole = batch * n
    if not dynamic and whole % gpus:
        fits = _multiples(batch, gpus // math.gcd(n, gpus))
        yield _rest(BATCH, (_SAMPLES, whole), (_GPUS, gpus), fits)
    elif not dynamic:
        yield from _scoring(context, whole)


def _scoring(context: PrepareContext, whole: int) -> Iterator[_Rest]:
    """Log-probabilities and values are computed over the whole batch, in equal parts."""
    config, n = context.config, _number(context, f"{ROLLOUT}.n")
    processes = _processes(context)
    minis = [_number(context, f"{one}.ppo_mini_batch_size") * n for one in _trained(context)]
    # verl fills a batch up to whole mini-batches.
    multiple = math.lcm(processes, *(mini for mini in minis if mini))
    share = math.ceil(whole / multiple) * multiple // processes
    paths = [f"{ROLLOUT}.log_prob_micro_batch_size_per_gpu"]
    if config.get(f"{ACTOR}.use_kl_loss") or config.get("algorithm.use_kl_in_reward"):
        paths.append("actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu")
    if context.recipe.algorithm == "ppo":
        paths.append("critic.forward_micro_batch_size_per_gpu")
    for path in paths:
        micro = _number(context, path)
        if micro and share % micro:
            yield _rest(path, (_SHARE, share), (_AT_ONCE, micro), _divisors(share, micro))


def _processes(context: PrepareContext) -> int:
    sequence = max(1, _number(context, f"{ACTOR}.ulysses_sequence_parallel_size"))
    return max(1, trainer_gpus(context) // sequence)


def _mini_batches(context: PrepareContext) -> Iterator[Finding]:
    """All mini-batches above the batch in one finding: often the batch is what was set wrong."""
    batch = _number(context, BATCH)
    paths = [f"{section}.ppo_mini_batch_size" for section in _trained(context)]
    large = [path for path in paths if _number(context, path) > batch]
    if large:
        both = [(_name(context, path), _number(context, path)) for path in large]
        larger = Text(", ".join(f"`{name}` ({size})" for name, size in both),
                      "、".join(f"`{name}`（{size}）" for name, size in both))  # fmt: skip
        yield rules.MINI_BATCH.at(context.config.at(large[0]), larger=larger, batch=batch)


def _mini_batch(context: PrepareContext, section: str) -> Iterator[_Rest]:
    path, micro_path = f"{section}.ppo_mini_batch_size", f"{section}.ppo_micro_batch_size_per_gpu"
    mini, micro = _number(context, path), _number(context, micro_path)
    n, processes = _number(context, f"{ROLLOUT}.n"), _processes(context)
    samples = mini * n
    if samples % processes:
        fits = _multiples(mini, processes // math.gcd(n, processes))
        yield _rest(path, (_MINI, samples), (_PROCESSES, processes), fits)
    elif not context.config.get(f"{section}.use_dynamic_bsz") or on_cpu(context):
        share = samples // processes
        if micro and share % micro:
            yield _rest(micro_path, (_SHARE, share), (_AT_ONCE, micro), _divisors(share, micro))


def _multiples(value: int, unit: int) -> list[int]:
    """Return the multiples of ``unit`` beside ``value``."""
    below = value // unit * unit
    return [below, below + unit] if below else [unit]


def _divisors(number: int, value: int) -> list[int]:
    """Return the divisors of ``number`` beside ``value``."""
    every = [one for one in range(1, number + 1) if number % one == 0]
    return [*(one for one in every if one < value)][-1:] + [one for one in every if one > value][:1]


def _rest(path: str, whole: tuple[Text, int], part: tuple[Text, int], fits: list[int]) -> _Rest:
    (what, number), (by, divisor) = whole, part
    return _Rest(path=path, what=what, number=number, by=by, divisor=divisor, fits=fits)


def _uneven(context: PrepareContext, found: Iterable[_Rest]) -> Iterator[Finding]:
    """Return one finding for all settings that fail by the same numbers."""
    same: dict[tuple[str, int, str, int], list[_Rest]] = {}
    for one in found:
        same.setdefault((one.what.en, one.number, one.by.en, one.divisor), []).append(one)
    for together in same.values():
        first, names = together[0], [f"`{_name(context, one.path)}`" for one in together]
        yield rules.UNEVEN.at(
            context.config.at(first.path), what=first.what, number=first.number, by=first.by,
            divisor=first.divisor, names=Text(" and ".join(names), " 和 ".join(names)),
            fits=Text(" or ".join(map(str, first.fits)), " 或 ".join(map(str, first.fits))),
        )  # fmt: skip


def _name(context: PrepareContext, path: str) -> str:
    """Return the published name of a key, or the key."""
    return next((p.name for p in context.recipe.parameters if p.path == path), path)


def check_gpus(context: PrepareContext) -> Iterator[Finding]:
    """Return what asks for more, or for other, GPUs than the profile gives."""
    if on_cpu(context):
        return
    if is_sft(context) and context.config.is_set_by_user(PROCESSES):
        yield from _processes_are_gpus(context)
    gpus, teacher = context.resources.gpus, teacher_gpus(context)
    if teacher >= gpus:
        problem = Text(
            f"the teacher takes {teacher} of {gpus} GPUs and leaves none for training",
            f"教师模型占用 {teacher} 张 GPU，而一共只有 {gpus} 张，训练已无卡可用",
        )
        yield rules.GPUS.at(
            context.config.at("distillation.n_gpus_per_node"), problem=problem, name="teacher_gpus"
        )
        return
    sizes = [("sequence_parallel", trainer_gpus(context))]
    if not is_sft(context):
        sizes.append(("rollout_tensor_parallel", trainer_gpus(context)))
    if teacher:
        sizes.append(("teacher_tensor_parallel", teacher))
    for name, pool in sizes:
        whole = _engine(context, name)
        if whole is not None:
            yield from _several(context, name, whole, pool)
            continue
        size = context.parameter(name)
        if isinstance(size, int) and size > 0 and pool % size:
            problem = Text(f"{pool} GPUs can't be divided into groups of `{name}: {size}`",
                           f"{pool} 张 GPU 无法按 `{name}: {size}` 分组")  # fmt: skip
            at, ways = context.config.at_parameter(name), fitting_sizes(name, pool)
            yield rules.GPUS.at(at, hint=ways, problem=problem, name=name)


_ENGINES = {
    "rollout_tensor_parallel": ROLLOUT,
    "teacher_tensor_parallel": "distillation.teacher_models.teacher_model.inference",
}
_SIZES = ("tensor_model_parallel_size", "data_parallel_size", "pipeline_model_parallel_size")


def _engine(context: PrepareContext, name: str) -> dict[str, int] | None:
    """Return the parallel sizes of an engine, ``None`` where only the published one is above 1."""
    section = _ENGINES.get(name)
    sizes = {f"{section}.{one}": _number(context, f"{section}.{one}") or 1 for one in _SIZES}
    return sizes if max(list(sizes.values())[1:]) > 1 else None


def _several(
    context: PrepareContext, name: str, sizes: dict[str, int], pool: int
) -> Iterator[Finding]:
    product = math.prod(sizes.values())
    if pool % product:
        listed = " × ".join(str(size) for size in sizes.values())
        problem = Text(
            f"an engine takes {listed} = {product} GPUs (tensor × data × pipeline), and {pool} "
            "can't be divided by that",
            f"每个引擎占 {listed} = {product} 张 GPU（张量 × 数据 × 流水线），"
            f"{pool} 张无法按此分组",
        )
        large = next(path for path, size in list(sizes.items())[1:] if size > 1)
        yield rules.GPUS.at(context.config.at(large), problem=problem, name=name)


def _processes_are_gpus(context: PrepareContext) -> Iterator[Finding]:
    asked, gpus = _number(context, PROCESSES), context.resources.gpus
    if asked != gpus:
        problem = Text(
            f"`processes: {asked}` on {gpus} GPUs: each GPU takes exactly one",
            f"`processes: {asked}` 与 {gpus} 张 GPU 不符：每张 GPU 恰好对应一个进程",
        )
        yield rules.GPUS.at(context.config.at(PROCESSES), problem=problem, name="processes")

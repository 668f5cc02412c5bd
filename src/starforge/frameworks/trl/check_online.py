"""The batch arithmetic and the losses of GRPO and RLOO, as the pinned TRL has them."""

from __future__ import annotations

from collections.abc import Iterator

from starforge.checks import steps
from starforge.findings import Finding, rule
from starforge.frameworks.trl.steps import batches
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

GROUP_MISSING = rule(
    "trl/group-missing", "error",
    title=Text("No number of completions", "没有指定回答数"),
    message=Text("`group_size` is empty", "`group_size` 为空"),
    hint=Text("set it to 2 or more; upstream's default is 8", "请设为 2 或更大，上游默认为 8"),
    why=Text("Completions of a prompt are compared with each other, so there must be two.",
             "同一提示的回答要互相比较，至少要有两个。"),
    bad="params: {group_size: null}", good="params: {group_size: 8}",
)  # fmt: skip
GROUP_BATCH = rule(
    "trl/group-batch", "error",
    title=Text("Groups that are cut apart", "同组回答被拆开"),
    message=Text("{generated} completions are sampled at once ({how.en}), which is no multiple of "
                 "`group_size: {group}`",
                 "每次采样 {generated} 个回答（{how.zh}），不是 `group_size: {group}` 的整数倍"),
    hint=Text("set `group_size` to one of {sizes}, or `batch_size: {batch}`",
              "请把 `group_size` 设为 {sizes} 之一，或设 `batch_size: {batch}`"),
    why=Text("TRL refuses to start, since a batch must hold whole groups.",
             "TRL 会拒绝启动，因为每批必须包含完整的组。"),
    bad="params: {batch_size: 1, gradient_accumulation: 1, group_size: 4}",
    good="params: {batch_size: 4, gradient_accumulation: 1, group_size: 4}",
)  # fmt: skip
GENERATION_TWICE = rule(
    "trl/generation-twice", "error",
    title=Text("The generated batch is set twice", "采样批量设置了两次"),
    message=Text("`generation_batch_size` and `steps_per_generation` are both set",
                 "同时设置了 `generation_batch_size` 和 `steps_per_generation`"),
    hint=Text("remove one of them", "请删除其中一个"),
    why=Text("Each follows from the other, so TRL refuses both.",
             "两者可互相推出，TRL 不允许同时设置。"),
    bad="params: {generation_batch_size: 16, steps_per_generation: 2}",
    good="params: {steps_per_generation: 2}",
)  # fmt: skip
GENERATION_SPLIT = rule(
    "trl/generation-split", "error",
    title=Text("A generated batch that can't be split", "采样批量无法均分"),
    message=Text("`generation_batch_size: {value}` is no multiple of {a_pass}, the completions "
                 "of one forward pass (batch_size × devices)",
                 "`generation_batch_size: {value}` 不是 {a_pass} 的整数倍"
                 "（一次前向的回答数 = batch_size × 卡数）"),
    hint=Text("set it to {near}", "请设为 {near}"),
    why=Text("TRL refuses to start: the generated batch is spread over whole forward passes.",
             "TRL 会拒绝启动：采样的回答要均分到若干次前向计算中。"),
    bad="params: {batch_size: 8, generation_batch_size: 12}",
    good="params: {batch_size: 8, generation_batch_size: 16}",
)  # fmt: skip
VALIDATION_GROUP = rule(
    "trl/validation-group", "error",
    title=Text("Groups that are cut apart in validation", "验证时同组回答被拆开"),
    message=Text("one validation pass takes {rows} completions (validation_batch_size × devices), "
                 "which is no multiple of {group}, the completions per prompt",
                 "验证时一次处理 {rows} 个回答（validation_batch_size × 卡数），"
                 "不是每提示回答数 {group} 的整数倍"),
    hint=Text("set `validation_batch_size: {batch}`, or another `validation_samples`",
              "请设 `validation_batch_size: {batch}`，或改变 `validation_samples`"),
    why=Text("TRL refuses to start.", "TRL 会拒绝启动。"),
    bad="params: {validation_strategy: steps, validation_batch_size: 4, group_size: 8}",
    good="params: {validation_strategy: steps, validation_batch_size: 8, group_size: 8}",
)  # fmt: skip
FEW_PROMPTS = rule(
    "trl/few-prompts", "error",
    title=Text("Not enough prompts for one batch", "提示不足一批"),
    message=Text("a batch takes {needed} prompts, but the data has {rows}",
                 "一批需要 {needed} 个提示，而数据只有 {rows} 个"),
    hint=Text("add prompts, or lower `batch_size` or `gradient_accumulation`",
              "请增加提示，或调小 `batch_size`、`gradient_accumulation`"),
    why=Text("TRL leaves out what does not fill a batch, so not a single step would be taken.",
             "TRL 会丢弃不足一批的部分，因此一步也不会训练。"),
    bad="params: {batch_size: 64, group_size: 2}", good="params: {batch_size: 8, group_size: 2}",
)  # fmt: skip
LOSS_LEVEL = rule(
    "trl/loss-level", "warning",
    title=Text("Loss and ratio do not match", "损失与概率比层级不匹配"),
    message=Text("`policy_loss_mode: {loss}` is meant for {meant}, not `importance_level: {level}`",
                 "`policy_loss_mode: {loss}` 应配合{meant}，而不是 `importance_level: {level}`"),
    hint=Text("set `importance_level: {right}`{or_else}",
              "请设 `importance_level: {right}`{or_else}"),
    why=Text("TRL trains all the same, but on another objective than the paper's: losses that add "
             "up tokens weigh a sequence by its length.",
             "TRL 仍会训练，但目标与论文不同：按词元求和的损失会按长度给序列加权。"),
    bad="params: {policy_loss_mode: luspo}",
    good="params: {policy_loss_mode: luspo, importance_level: sequence}",
)  # fmt: skip


def check_online(context: PrepareContext) -> Iterator[Finding]:
    """Yield the findings of methods that sample completions."""
    if context.recipe.config in ("grpo", "rloo"):
        yield from _groups(context)
    if context.recipe.config == "grpo":
        yield from _loss_level(context)
    yield from _prompts(context)


def _groups(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    group = config.get("num_generations")
    if group is None:
        yield GROUP_MISSING.at(config.at("num_generations"))
        return
    given = config.get("generation_batch_size")
    if given is not None and config.get("steps_per_generation") is not None:
        yield GENERATION_TWICE.at(config.at("steps_per_generation"))
        return
    a_pass = steps.rows_a_pass(context)
    if given is not None and given % a_pass:
        at, near = config.at("generation_batch_size"), (given // a_pass + 1) * a_pass
        yield GENERATION_SPLIT.at(at, value=given, a_pass=a_pass, near=near)
        return
    yield from _whole_groups(context)
    yield from _validation(context, group)


def _whole_groups(context: PrepareContext) -> Iterator[Finding]:
    planned = batches(context)
    if planned is None or planned.generated % planned.group == 0:
        return
    devices = max(1, context.resources.gpus)
    sizes = [n for n in range(2, planned.generated + 1) if planned.generated % n == 0]
    # The smallest larger batch that holds whole groups.
    batch = planned.a_pass // devices
    while batch * devices * planned.passes % planned.group:
        batch += 1
    rows, passes = planned.a_pass // devices, planned.passes
    how = Text(f"{rows} a device × {devices} × {passes} passes",
               f"每卡 {rows} × {devices} 卡 × {passes} 次前向")  # fmt: skip
    larger = Text(f"set `batch_size: {batch}`", f"请设 `batch_size: {batch}`")
    yield GROUP_BATCH.at(
        context.config.at("num_generations"), hint=None if sizes else larger,
        generated=planned.generated, how=how, group=planned.group,
        sizes=", ".join(map(str, sizes)), batch=batch,
    )  # fmt: skip


def _validation(context: PrepareContext, group: int) -> Iterator[Finding]:
    config = context.config
    if config.get("eval_strategy") == "no":
        return
    group = config.get("num_generations_eval") or group
    devices = max(1, context.resources.gpus)
    batch = config.get("per_device_eval_batch_size")
    if batch * devices % group:
        rows, fitting = batch * devices, batch
        while fitting * devices % group:
            fitting += 1
        at = config.at("per_device_eval_batch_size")
        yield VALIDATION_GROUP.at(at, rows=rows, group=group, batch=fitting)


def _prompts(context: PrepareContext) -> Iterator[Finding]:
    planned, train = batches(context), context.data.get("train")
    rows = train.ref.rows if train else None
    if planned is not None and rows and rows < planned.prompts:
        at = context.config.at("per_device_train_batch_size")
        yield FEW_PROMPTS.at(at, needed=planned.prompts, rows=rows)


def _loss_level(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    loss, level = config.get("loss_type"), config.get("importance_sampling_level")
    sequence = Text("`importance_level: sequence`", " `importance_level: sequence`")
    token = Text("`importance_level: token`", " `importance_level: token`")
    at = config.at("importance_sampling_level")
    none = Text("", "")
    if loss == "luspo" and level != "sequence":
        yield LOSS_LEVEL.at(at, loss=loss, meant=sequence, level=level, right="sequence",
                            or_else=none)  # fmt: skip
    elif loss in ("vespo", "bnpo", "dr_grpo", "dapo", "cispo") and level == "sequence":
        other = Text(
            ", or for GSPO `policy_loss_mode: grpo`", "；要用 GSPO 请设 `policy_loss_mode: grpo`"
        )
        yield LOSS_LEVEL.at(at, loss=loss, meant=token, level=level, right="token",
                            or_else=none if loss == "vespo" else other)  # fmt: skip

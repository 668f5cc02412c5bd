"""What the pinned OpenRLHF refuses when a job starts, or changes without an error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from starforge.checks.files import first_row
from starforge.checks.parallel import fitting_sizes
from starforge.checks.schedule import check_schedule
from starforge.findings import Finding
from starforge.frameworks.openrlhf import cpu, rules
from starforge.frameworks.openrlhf.checks_rl import check_rl
from starforge.frameworks.openrlhf.devices import data_parallel, trainer_count
from starforge.frameworks.openrlhf.no_effect import check_no_effect
from starforge.frameworks.openrlhf.schedule import schedule
from starforge.i18n import Text
from starforge.lab.context import PrepareContext


def check(context: PrepareContext) -> list[Finding]:
    """Return the findings that only hold for this pin."""
    rl = context.recipe.config == "ppo"
    checks = [_batch, _steps, _parallel, _precision, _device, _template, check_no_effect]
    checks += [check_rl] if rl else [_rows, _validation_rows, _data_form, _margin]
    found = [finding for one in checks for finding in one(context)]
    return found + list(check_schedule(context, schedule(context)))


def number(value: Any) -> int:
    """Return a setting that is a count, 0 where it is not set."""
    return int(value or 0)


def _batch(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    if config.get("train.dynamic_batch_enable"):
        return
    batch, micro = config.get("train.batch_size"), config.get("train.micro_batch_size")
    processes = data_parallel(context)
    if batch % (micro * processes):
        yield rules.BATCH.at(
            config.at("train.batch_size"), batch=batch, micro=micro, processes=processes,
            unit=micro * processes,
        )  # fmt: skip


def _steps(context: PrepareContext) -> Iterator[Finding]:
    names = {path: name for name, path in context.config.paths.items()}
    for path in ("ckpt.save_steps", "eval.steps"):
        if context.config.get(path) == 0:
            yield rules.ZERO_STEPS.at(context.config.at(path), key=names.get(path, path))


def _parallel(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    packing = config.get("ds.packing_samples")
    dynamic = config.get("train.dynamic_batch_enable")
    attention = str(config.get("ds.attn_implementation"))
    if (packing or dynamic) and "flash_attention" not in attention:
        setting = "`sequence_packing`" if packing else "`dynamic_batch`"
        at = config.at("ds.attn_implementation")
        yield rules.FLASH.at(at, setting=setting, value=attention)
    ring, tensor = (
        number(config.get("ds.ring_attn_size")),
        number(config.get("ds.tensor_parallel_size")),
    )
    if ring > 1 and not packing:
        needs = Text("`sequence_packing`", " `sequence_packing`")
        at = config.at("ds.ring_attn_size")
        yield rules.RING.at(at, name="sequence_parallel", size=ring, needs=needs)
    processes = trainer_count(context)
    if context.resources.gpus and processes % max(1, ring * tensor):
        key = "ds.ring_attn_size" if ring > 1 else "ds.tensor_parallel_size"
        needs = Text(f"a multiple of {ring * tensor} GPUs for training (there are {processes})",
                     f"用于训练的 GPU 数是 {ring * tensor} 的倍数（现为 {processes}）")  # fmt: skip
        name = "sequence_parallel" if ring > 1 else "tensor_parallel"
        one = ring <= 1 or tensor <= 1
        yield rules.RING.at(
            config.at(key), hint=fitting_sizes(name, processes) if one else None,
            name=name, size=ring if ring > 1 else tensor, needs=needs,
        )  # fmt: skip


def _precision(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    if config.get("ds.param_dtype") != "bf16":
        at = config.at("ds.param_dtype")
        if number(config.get("ds.tensor_parallel_size")) > 1:
            yield rules.NEEDS_BF16.at(at, key="tensor_parallel")
        if config.get("ds.load_in_4bit"):
            yield rules.NEEDS_BF16.at(at, key="load_in_4bit")
    for optim, norm in (("optim", "max_norm"), ("actor.optim", "actor.max_norm"),
                        ("critic.optim", "critic.max_norm")):  # fmt: skip
        value = config.get(norm)
        if config.get(optim) == "muon" and value:
            yield rules.MUON_NORM.at(config.at(optim), value=value)


def _device(context: PrepareContext) -> Iterator[Finding]:
    """Without a GPU: what the user chose must be something that runs."""
    config = context.config
    names = {path: name for name, path in config.paths.items()}
    for path in cpu.refused(context):
        value = str(config.get(path)).replace("True", "true")
        yield rules.NEEDS_GPU.at(config.at(path), key=names.get(path, path), value=value)


def _template(context: PrepareContext) -> Iterator[Finding]:
    config, path = context.config, "data.input_template"
    if config.get("data.multiturn") and (
        not config.get("data.apply_chat_template") or config.get("model.pretrain_mode_enable")
    ):
        yield rules.MULTITURN.at(config.at("data.multiturn"))
    if not config.is_set_by_user(path):
        return
    problem = None
    if "{}" not in str(config.get(path)):
        problem = Text("it has no `{}` for the prompt", "其中没有放提示的 `{}`")
    elif config.get("data.apply_chat_template"):
        problem = Text("`apply_chat_template` frames the prompts",
                       "提示由 `apply_chat_template` 排布")  # fmt: skip
    if problem is not None:
        yield rules.INPUT_TEMPLATE.at(config.at(path), problem=problem)


def _rows(context: PrepareContext) -> Iterator[Finding]:
    train = context.data.get("train")
    if train is None or not train.ref.rows:
        return
    batch = context.config.get("train.batch_size")
    rows = min(train.ref.rows, context.config.get("data.max_samples"))
    if rows < batch:
        yield rules.FEW_ROWS.at(context.config.at("train.batch_size"), rows=rows, batch=batch)


def _validation_rows(context: PrepareContext) -> Iterator[Finding]:
    split = context.data.get("validation")
    if split is None or not split.ref.rows:
        return
    needed = context.config.get("train.micro_batch_size") * data_parallel(context)
    if split.ref.rows < needed:
        at = context.at("data.validation")
        yield rules.SMALL_VALIDATION.at(at, rows=split.ref.rows, needed=needed)


def _data_form(context: PrepareContext) -> Iterator[Finding]:
    train, config = context.data.get("train"), context.config
    row = first_row(train) if train else {}
    if not train or not row:
        return
    chat, pretrain = (
        config.get("data.apply_chat_template"),
        config.get("model.pretrain_mode_enable"),
    )
    turns = any(isinstance(row.get(name), list) for name in ("messages", "prompt", "chosen"))
    text = set(row) >= {"text"} and not {"messages", "prompt"} & set(row)
    key, found, setting, way = "", Text("", ""), Text("", ""), Text("", "")
    if turns and not chat and not pretrain:
        key = "data.apply_chat_template"
        found = Text("conversations", "对话消息")
        setting = Text("`apply_chat_template` is off", " `apply_chat_template` 是关闭的")
        way = Text("set `apply_chat_template: true`", "请设 `apply_chat_template: true`")
    elif text and not pretrain:
        key = "model.pretrain_mode_enable"
        found = Text("plain text without an answer", "没有回答的纯文本")
        setting = Text("`pretrain_mode` is off", " `pretrain_mode` 是关闭的")
        way = Text("set `pretrain_mode: true` to learn all of the text",
                   "请设 `pretrain_mode: true`，学习全部文本")  # fmt: skip
    elif pretrain and not text:
        key = "model.pretrain_mode_enable"
        found = Text("prompts and answers", "提示与回答")
        setting = Text("`pretrain_mode` reads the column `text`", " `pretrain_mode` 读取 `text` 列")
        way = Text("set `pretrain_mode: false`, or put the whole text into a column `text`",
                   "请设 `pretrain_mode: false`，或把全文放进 `text` 列")  # fmt: skip
    if key:
        yield rules.DATA_FORM.at(
            config.at(key), file=train.shown, found=found, setting=setting, way=way
        )


def _margin(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    if not config.get("model.margin_loss_enable"):
        return
    at, train = config.at("model.margin_loss_enable"), context.data.get("train")
    row = first_row(train) if train else {}
    if config.get("model.loss_type") != "sigmoid":
        yield rules.MARGIN.at(at, needs=Text("`loss_type: sigmoid`", " `loss_type: sigmoid`"))
    elif row and "margin" not in row:
        yield rules.MARGIN.at(
            at, needs=Text("a column `margin` in the data", "数据中有 `margin` 列")
        )

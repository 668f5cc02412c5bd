"""Checks of training settings against each other, the data and the device.

They look at published parameters by canonical name, so they hold for every framework whose
recipe publishes them.
"""

from __future__ import annotations

from collections.abc import Iterator

from starforge.checks import rules_training as rules
from starforge.checks.cpu import cpu_is_fast_in_bfloat16
from starforge.checks.files import first_row
from starforge.checks.learning_rate import check_learning_rate
from starforge.checks.steps import rows_a_pass
from starforge.findings import Finding
from starforge.i18n import Text
from starforge.lab.context import PrepareContext


def check_training(context: PrepareContext) -> list[Finding]:
    """Return the findings of a method that trains; nothing for one that does not."""
    if context.recipe.parameter("learning_rate") is None:
        return []
    checks = (_steps, _validation, _save_best, _precision, check_learning_rate, _loss_data)
    return [finding for check in checks for finding in check(context)]


def _steps(context: PrepareContext) -> Iterator[Finding]:
    epochs, max_steps = context.parameter("epochs"), context.parameter("max_steps", -1)
    train = context.data.get("train")
    rows = train.ref.rows if train else None
    if max_steps is not None and max_steps > 0:
        return
    if epochs == 0:
        at = context.config.at_parameter("epochs")
        yield rules.NO_STEPS.at(at, settings=f"`epochs: 0`, `max_steps: {max_steps}`")
    elif rows and context.config.get("dataloader_drop_last") and rows < rows_a_pass(context):
        settings = f"{rows} rows, `batch_size: {context.parameter('batch_size')}`"
        at = context.config.at_parameter("batch_size")
        yield rules.NO_STEPS.at(at, settings=f"{settings}, `dataloader_drop_last`")


def _validation(context: PrepareContext) -> Iterator[Finding]:
    strategy = context.parameter("validation_strategy")
    if strategy is None:
        return
    asked = "validation" in context.experiment.data
    if strategy != "no" and not asked:
        at = context.config.at_parameter("validation_strategy")
        yield rules.VALIDATION_WITHOUT_DATA.at(at, strategy=strategy)
    elif strategy == "no" and asked:
        yield rules.VALIDATION_UNUSED.at(context.at("data.validation"))


def _save_best(context: PrepareContext) -> Iterator[Finding]:
    if not context.parameter("save_best"):
        return
    at = context.config.at_parameter("save_best")
    validation, saving = (
        context.parameter("validation_strategy"),
        context.parameter("save_strategy"),
    )
    if validation == "no":
        yield rules.SAVE_BEST.at(at, problem=Text("validation to be on", "开启评估"))
    elif validation != saving:
        yield rules.SAVE_BEST.at(at, problem=Text(
            f"saving and validation at the same time (they are `{saving}` and `{validation}`)",
            f"保存与评估同步（现在分别为 `{saving}` 和 `{validation}`）"))  # fmt: skip
    elif saving == "steps":
        every = context.parameter("save_steps")
        evaluated = context.parameter("validation_steps") or context.parameter("log_steps")
        if every and evaluated and every >= 1 and evaluated >= 1 and every % evaluated:
            yield rules.SAVE_BEST.at(at, problem=Text(
                f"`save_steps` to be a multiple of `validation_steps` ({every:g}, {evaluated:g})",
                f"`save_steps` 是 `validation_steps` 的整数倍（现为 {every:g} 和 {evaluated:g}）",
            ))  # fmt: skip


def _precision(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    if config.get("bf16") and config.get("fp16"):
        yield rules.PRECISION_TWICE.at(config.at("fp16"))
    if context.resources.gpus:
        return
    ways = {
        "bf16": Text(
            "leave it empty: it is on only where it helps", "留空即可：只在有益时才会开启"
        ),
        "fp16": Text("remove it: the job trains in 32 bit", "请去掉：任务会以 32 位训练"),
    }
    if cpu_is_fast_in_bfloat16():
        del ways["bf16"]
    for key, way in ways.items():
        if config.get(key):
            yield rules.HALF_ON_CPU.at(config.at(key), key=key, way=way)


def _loss_data(context: PrepareContext) -> Iterator[Finding]:
    train = context.data.get("train")
    row = first_row(train) if train else {}
    if not row:
        return
    messages = any(isinstance(row.get(column), list) for column in ("messages", "prompt"))
    if context.parameter("assistant_only") and not messages:
        needed = Text("messages", "对话消息")
        at = context.config.at_parameter("assistant_only")
        yield rules.LOSS_DATA.at(at, key="assistant_only", needed=needed)
    if context.parameter("completion_only") and "completion" not in row:
        needed = Text("`prompt` and `completion`", "`prompt` 和 `completion`")
        at = context.config.at_parameter("completion_only")
        yield rules.LOSS_DATA.at(at, key="completion_only", needed=needed)

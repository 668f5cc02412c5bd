"""Which of a TRL job's checkpoints can be taken for a model (``job:ID@best``, ``@step-N``)."""

from __future__ import annotations

from starforge.frameworks.trl.schedule import schedule
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

BEST = "best"
_NAMED = 5  # steps that are listed


def why_not(context: PrepareContext, which: str) -> Text | None:
    """Return why no checkpoint will be ``best`` or ``step-N``; ``None`` when one may be."""
    config = context.config
    if config.get("use_peft"):
        return Text("with LoRA its checkpoints hold only adapters",
                    "使用 LoRA 时，检查点里只有适配器")  # fmt: skip
    if str(config.get("save_strategy")) == "no":
        return Text("it saves no checkpoints (`save_strategy: no`)",
                    "它不保存检查点（`save_strategy: no`）")  # fmt: skip
    if which == BEST:
        return _never_measured(context)
    return _never_saved(context, int(which.removeprefix("step-")))


def _never_measured(context: PrepareContext) -> Text | None:
    """A checkpoint is the best by what validation says of it. The last step has both, if any."""
    if "validation" not in context.data and "validation" not in context.experiment.data:
        return Text("it has no validation data", "它没有验证数据")
    if str(context.config.get("eval_strategy")) == "no":
        return Text("it does not validate (`validation_strategy: no`)",
                    "它不做验证（`validation_strategy: no`）")  # fmt: skip
    return None


def _never_saved(context: PrepareContext, step: int) -> Text | None:
    plan = schedule(context)
    total, every = plan.total, plan.save.steps(plan.total)
    if total is None or not total:
        return None
    if step > total or step == 0:
        return Text(f"it trains {total} steps", f"它只训练 {total} 步")
    if every is None:  # after epochs
        return None
    if step % every and step != total:
        return Text(f"it saves every {every} steps and at the end, {total}",
                    f"它每 {every} 步以及结束时（第 {total} 步）各保存一次")  # fmt: skip
    whole = total // every
    first = 1 if plan.kept is None else max(1, whole + bool(total % every) - plan.kept + 1)
    best = context.config.get("load_best_model_at_end")  # the best one stays, too
    if best or step == total or step // every >= first:
        return None
    kept = [
        *(number * every for number in range(first, whole + 1)),
        *([total] * bool(total % every)),
    ]
    listed = ", ".join(str(one) for one in kept[-_NAMED:])
    return Text(f"of its checkpoints only the last {plan.kept} stay (`save_limit`): {listed}",
                f"检查点只保留最后 {plan.kept} 个（`save_limit`）：{listed}")  # fmt: skip

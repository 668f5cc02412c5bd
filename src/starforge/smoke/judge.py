"""Whether a smoke run that ended counts as good, and why not."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from starforge.i18n import Text
from starforge.plan import LaunchPlan
from starforge.runner.texts import TAIL
from starforge.smoke import reading
from starforge.smoke.execute import Ended
from starforge.smoke.report import Step
from starforge.smoke.shrink import Shrunk


def steps_of(small: Shrunk, plan: LaunchPlan, attempt: Path) -> list[Step]:
    """Return the steps with their primary metrics; of a script all that it reported."""
    curves = reading.scalars_of(plan, attempt)
    names = plan.primary_metrics
    chosen = reading.trained_steps(curves, names)
    if small.mode == "script" and not chosen:
        chosen, names = sorted(curves), []
    if small.mode == "script":
        chosen = [step for step in chosen if step > 0][: small.steps]
    return [
        Step(
            step=step,
            metrics={k: v for k, v in curves[step].items() if not names or k in names},
        )
        for step in chosen
    ]


def scores_of(plan: LaunchPlan, attempt: Path) -> list[dict[str, Any]]:
    """Return the scores of a benchmark."""
    keys = ("benchmark", "metric", "value", "items")
    rows = reading.rows_of(plan, attempt, "scores")
    return [{key: row.get(key) for key in keys} for row in rows]


def what_failed(
    small: Shrunk, ended: Ended, steps: list[Step], scores: list[dict[str, Any]], lines: list[str]
) -> Text | None:
    """Return why the run does not count as good; ``None`` when it does."""
    if not ended_well(small, ended):
        return failure(ended, lines)
    if small.mode == "score" and not scores:
        return Text("no score was written", "没有写出任何得分")
    if small.mode == "train" and len(steps) < small.steps:
        return Text(
            f"it ended after {len(steps)} of {small.steps} steps: rows were left out, by a limit "
            "of length or a filter of the experiment",
            f"只训练了 {len(steps)}/{small.steps} 步就结束了：有数据行被长度上限或过滤条件丢掉",
        )
    for step in steps:
        for name, value in step.metrics.items():
            if not math.isfinite(value):
                return Text(
                    f"{name} is not a finite number at step {step.step}",
                    f"第 {step.step} 步的 {name} 不是有限的数",
                )
    return None


def ended_well(small: Shrunk, ended: Ended) -> bool:
    """Say whether the attempt ended as it should; a script is also stopped when time is up."""
    if ended.state == "succeeded" or ended.enough:
        return True
    return small.mode == "script" and ended.status.get("reason") == "time_limit"


def remarks(small: Shrunk, ended: Ended, steps: list[Step]) -> list[Text]:
    """Return what a script left open although it did not fail."""
    if small.mode != "script" or len(steps) >= small.steps:
        return []
    if ended.status.get("reason") == "time_limit":
        return [
            Text(
                f"the script's second step: it had reported {len(steps)} when time was up",
                f"脚本的第二步：时间用完时只上报了 {len(steps)} 步",
            )
        ]
    return [
        Text(
            f"its curves: the script ended well, and reported {len(steps)} steps",
            f"曲线：脚本正常结束，但只上报了 {len(steps)} 步",
        )
    ]


def failure(ended: Ended, lines: list[str]) -> Text:
    """Return the one reason of a run that failed: what was raised, else the runner's word."""
    status = ended.status
    found = reading.reason_in(lines)
    if status.get("reason") in ("exit_code", "signal") and found is not None:
        return Text(found, found)
    said = str(status.get("message") or "the run ended without a word")
    zh = str(status.get("message_zh") or said)
    # The report prints the last lines of the log itself.
    return Text(
        said.splitlines()[0].removesuffix(TAIL.en), zh.splitlines()[0].removesuffix(TAIL.zh)
    )


def validated(plan: LaunchPlan, attempt: Path) -> bool:
    """Say whether a pass of validation left a metric."""
    curves = reading.scalars_of(plan, attempt)
    return any(name.startswith(("eval", "val")) for values in curves.values() for name in values)

"""Whether a smoke run that ended counts as good, and why not."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from starforge.i18n import Text
from starforge.plan import LaunchPlan
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
    if ended.state != "succeeded" and not (ended.enough and ended.state == "stopped"):
        return failure(ended, lines)
    if small.mode == "score":
        return None if scores else Text("no score was written", "没有写出任何得分")
    if small.mode == "script" and not steps:
        return Text("the script ended without reporting a step", "脚本没有上报任何一步就结束了")
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


def failure(ended: Ended, lines: list[str]) -> Text:
    """Return the one reason of a run that failed: what was raised, else the runner's word."""
    status = ended.status
    found = reading.reason_in(lines)
    if status.get("reason") in ("exit_code", "signal") and found is not None:
        return Text(found, found)
    said = str(status.get("message") or "the run ended without a word")
    zh = str(status.get("message_zh") or said)
    return Text(said.splitlines()[0], zh.splitlines()[0])


def validated(plan: LaunchPlan, attempt: Path) -> bool:
    """Say whether a pass of validation left a metric."""
    curves = reading.scalars_of(plan, attempt)
    return any(name.startswith(("eval", "val")) for values in curves.values() for name in values)

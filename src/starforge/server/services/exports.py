"""Which export of a job a reference means: ``job:ID``, ``job:ID@last``, ``@best``, ``@step-N``.

Without a word, and with ``last``, it is the final model, else the newest checkpoint that is a
model folder. ``step-N`` and ``best`` choose among checkpoints that are model folders; the
best has the best value of the first primary validation metric of its method.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.store import curves
from starforge.server.store.records import Job

_NUMBER = re.compile(r"(\d+)$")
_STEP = re.compile(r"step-(\d{1,12})")


def split(ref: str) -> tuple[str, str | None]:
    """Return the job of a reference and the word after ``@``; ``last`` is the default."""
    job, _, which = ref.partition("@")
    return job, None if which in ("", "last") else which


def choose(core: Core, job: Job, which: str, folders: list[Path]) -> Path:
    """Return the folder that ``which`` names among ``folders``, checkpoints that are models."""
    by_step = {int(found[1]): one for one in folders if (found := _NUMBER.search(one.name))}
    if which == "best":
        return by_step[_best(core, job, by_step)]
    found = _STEP.fullmatch(which)
    if found is not None and int(found[1]) in by_step:
        return by_step[int(found[1])]
    raise _unknown(job, which, sorted(by_step))


def _best(core: Core, job: Job, by_step: dict[int, Path]) -> int:
    metric, higher = _metric(core, job)
    measured: dict[int, float] = {}
    if metric is not None:
        with core.db.read() as tx:
            curve = curves.read(tx, job.id, [metric]).get(metric)
        if curve is not None:
            pairs = zip(curve.step.tolist(), curve.value.tolist(), strict=True)
            measured = {
                step: value for step, value in pairs if step in by_step and math.isfinite(value)
            }
    if not measured:
        raise _no_best(job, metric)
    # Of equal values the later one has seen more.
    return max(measured, key=lambda step: ((measured[step] if higher else -measured[step]), step))


def _metric(core: Core, job: Job) -> tuple[str | None, bool]:
    try:
        metrics = core.catalog.recipe(job.method).metrics
    except StarForgeError:  # a job of a method that this version no longer has
        return None, False
    for one in sorted(metrics, key=lambda one: not one.primary):
        if one.name.startswith("validation/") and one.goal in ("higher", "lower"):
            return one.name, one.goal == "higher"
    return None, False


def _unknown(job: Job, which: str, steps: list[int]) -> StarForgeError:
    listed = ", ".join(f"step-{step}" for step in steps)
    there = (
        Text(f"there are: last, {listed}", f"可用的有：last、{listed}")
        if steps
        else Text(
            f"its checkpoints are no model folders: use job:{job.id}",
            f"它的检查点不是模型目录，请用 job:{job.id}",
        )
    )
    return StarForgeError(
        "job/no-export",
        Text(
            f"job {job.name} ({job.id}) has no export `{which}`",
            f"任务 {job.name}（{job.id}）没有名为 `{which}` 的导出",
        ),
        there,
        status=404,
    )


def _no_best(job: Job, metric: str | None) -> StarForgeError:
    named = metric or "validation/..."
    return StarForgeError(
        "job/no-best",
        Text(
            f"no checkpoint of job {job.name} ({job.id}) has a value of {named}",
            f"任务 {job.name}（{job.id}）没有哪个检查点带有 {named} 的数值",
        ),
        Text(
            "give it validation data and save and validate at the same steps, or name a step: "
            f"job:{job.id}@step-N",
            f"请提供验证数据并让保存与验证的步数一致，或指定步数：job:{job.id}@step-N",
        ),
        status=409,
    )

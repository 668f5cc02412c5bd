"""Which export of a job a reference means: ``job:ID``, ``job:ID@last``, ``@best``, ``@step-N``.

Without a word, and with ``last``, it is the final model, else the newest checkpoint that is a
model folder. ``step-N`` and ``best`` choose among checkpoints that are model folders, or have
one with them (:func:`as_model`); the best has the best value of the first primary validation
metric of its method.
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

_NUMBER = re.compile(r"(\d+)(?:_hf)?$")
_STEP = re.compile(r"step-(\d{1,12})")


def split(ref: str) -> tuple[str, str | None]:
    """Return the job of a reference and the word after ``@``; ``last`` is the default."""
    job, _, which = ref.partition("@")
    return job, None if which in ("", "last") else which


def as_model(checkpoint: Path) -> Path | None:
    """Return the model folder that a checkpoint is, or that upstream wrote with it when asked.

    verl puts one inside (``hf_model`` among the contents to save; without it the folder has no
    weights), OpenRLHF beside it (``save_hf``; in reinforcement learning beside ``_actor``).
    """
    written_besides = checkpoint.name.endswith("_hf")  # it fits the pattern of checkpoints, too
    if not written_besides and (checkpoint / "config.json").is_file():
        return checkpoint
    beside = f"{checkpoint.name}_hf"
    places = (
        checkpoint, checkpoint / "huggingface", checkpoint / "actor" / "huggingface",
        checkpoint.with_name(beside), checkpoint.parent.with_name(beside),
    )  # fmt: skip
    return next((one for one in places if _has_weights(one)), None)


def _has_weights(folder: Path) -> bool:
    if not (folder / "config.json").is_file():
        return False
    return any(next(folder.glob(kind), None) for kind in ("*.safetensors", "pytorch_model*.bin"))


def choose(core: Core, job: Job, which: str, checkpoints: list[Path]) -> Path:
    """Return the model that ``which`` names among a job's ``checkpoints``."""
    by_step = {
        int(found[1]): model
        for one in checkpoints
        if (found := _NUMBER.search(one.name)) and (model := as_model(one)) is not None
    }
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
        else _no_folders(job)
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


_ASKED = {
    "verl": Text("add `hf_model` to its checkpoint.save_contents",
                 "在 checkpoint.save_contents 中加入 `hf_model`"),
    "openrlhf": Text("set `save_hf: true`", "设置 `save_hf: true`"),
}  # fmt: skip


def _no_folders(job: Job) -> Text:
    """Say that checkpoints hold shards only, and how a next run writes models with them."""
    asked = _ASKED.get(job.plan.framework)
    if asked is None:
        return Text(
            f"its checkpoints are no model folders: use job:{job.id}",
            f"它的检查点不是模型目录，请用 job:{job.id}",
        )
    return Text(
        f"its checkpoints are no model folders: use job:{job.id}; for a next run, {asked.en}",
        f"它的检查点不是模型目录，请用 job:{job.id}；下次训练时可{asked.zh}",
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

"""What a side of a comparison means: a job that measured, or a model that was measured."""

from __future__ import annotations

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.store import jobs, scores
from starforge.server.store.database import Tx
from starforge.server.store.records import Job, Score

Results = dict[str, list[Score]]  # by benchmark, the primary score of each job, newest first


def results(core: Core, tx: Tx, ref: str) -> Results:
    """Return the results that ``ref`` means.

    Tried in this order: a job with scores of its own, a model as the board calls it, the
    model that a job made. Raises :class:`StarForgeError` when there are none.
    """
    labelled = scores.of_model(tx, ref)
    job = _job(tx, ref.removeprefix("job:"), known=bool(labelled))
    if job is not None and not ref.startswith("job:"):
        own = scores.of_job(tx, job.id)
        if own:
            return _by_benchmark(own)
    found = labelled or (_of_export(core, tx, job) if job else [])
    if not found:
        raise StarForgeError(
            "compare/no-scores",
            Text("`{ref}` is neither a job with scores nor a model that was scored",
                 "`{ref}` 既不是有得分的任务，也不是评测过的模型").format(ref=ref),
            Text("`sf bench board` lists models, `sf bench run MODEL -b NAME` scores one",
                 "用 `sf bench board` 查看已有的模型，用 `sf bench run 模型 -b 评测包` 评测"),
            status=404,
        )  # fmt: skip
    return _by_benchmark(found)


def _job(tx: Tx, ref: str, *, known: bool) -> Job | None:
    """Return the job that is meant, if any; that several are is no matter for a known model."""
    try:
        return jobs.find(tx, ref)
    except StarForgeError as error:
        if error.status == 404 or known:
            return None
        raise


def _of_export(core: Core, tx: Tx, job: Job) -> list[Score]:
    """Return the scores of the model that a job exported, whatever they call the job.

    Scores of a chosen checkpoint (``job:ID@step-N``) are about another model.
    """
    folder = f"{core.settings.job_dir(job.id).resolve()}/"
    found: list[Score] = []
    for label in scores.labels(tx, prefix="job:"):
        if "@" in label:
            continue
        for one in scores.of_model(tx, label):
            known = jobs.get(tx, one.job_id).experiment.get("models") or {}
            if str(known.get("model", "")).startswith(folder):
                found.append(one)
    return found


def _by_benchmark(rows: list[Score]) -> Results:
    """Sort primary scores by benchmark; jobs write the primary one first.

    Of a job with several attempts, the last that measured a benchmark counts.
    """
    first: dict[tuple[str, str], Score] = {}
    for row in sorted(rows, key=lambda one: (-one.attempt, one.id)):
        first.setdefault((row.benchmark, row.job_id), row)
    sorted_: Results = {}
    for row in sorted(first.values(), key=lambda one: (-one.created_at, -one.id)):
        sorted_.setdefault(row.benchmark, []).append(row)
    return sorted_

"""Scores of benchmarks, and what of them are runs of the same."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Row, select

from starforge.server.store.database import Tx
from starforge.server.store.records import NewScore, Score
from starforge.server.store.rows import clean, fields
from starforge.server.store.tables import scores

_COLUMNS = [scores.c[name] for name in Score.__struct_fields__]


def settings_digest(settings: Mapping[str, Any]) -> str:
    """Return the sha256 of the settings' canonical JSON."""
    return hashlib.sha256(msgspec.json.encode(settings, order="sorted")).hexdigest()


def add(tx: Tx, job_id: str, attempt: int, rows: Sequence[NewScore]) -> None:
    """Keep scores (ingest does this for ``scores`` streams)."""
    if rows:
        tx.execute(scores.insert(), [_values(job_id, attempt, row) for row in rows])


def _values(job_id: str, attempt: int, row: NewScore) -> dict[str, Any]:
    values = msgspec.structs.asdict(row)
    for name in ("benchmark", "metric", "model"):
        values[name] = clean(values[name])
    digest = settings_digest(row.settings)
    return {**values, "job_id": job_id, "attempt": attempt, "settings_digest": digest}


def label(tx: Tx, job_id: str, *, model: str, model_digest: str | None) -> None:
    """Say which model the scores of a job are about."""
    mine = scores.update().where(scores.c.job_id == job_id)
    tx.execute(mine.values(model=clean(model), model_digest=model_digest))


def set_seen(tx: Tx, job_id: str, benchmark: str, *, seen: int | None, of: int | None) -> None:
    """Say how many items of a benchmark stand in the training data of the model it scored."""
    mine = scores.update().where(scores.c.job_id == job_id, scores.c.benchmark == benchmark)
    tx.execute(mine.values(seen=seen, seen_of=of))


def of_job(tx: Tx, job_id: str) -> list[Score]:
    """Return a job's scores, oldest first."""
    statement = select(*_COLUMNS).where(scores.c.job_id == job_id)
    return [_score(row) for row in tx.execute(statement.order_by(scores.c.id))]


def of_model(tx: Tx, model: str) -> list[Score]:
    """Return the scores under a model's label, newest first."""
    newest = (scores.c.created_at.desc(), scores.c.id.desc())
    statement = select(*_COLUMNS).where(scores.c.model == clean(model)).order_by(*newest)
    return [_score(row) for row in tx.execute(statement)]


def labels(tx: Tx, *, prefix: str) -> list[str]:
    """Return the labels of scored models that begin so."""
    begins = scores.c.model.startswith(prefix, autoescape=True)
    statement = select(scores.c.model).where(begins).distinct().order_by(scores.c.model)
    return list(tx.execute(statement).scalars())


def of_last_attempt(tx: Tx, job_id: str) -> list[Score]:
    """Return the scores of the newest attempt that measured any, as they were written."""
    found = of_job(tx, job_id)
    last = max((one.attempt for one in found), default=0)
    return [one for one in found if one.attempt == last]


def primary(tx: Tx, job_id: str) -> list[Score]:
    """Return the first score of every benchmark; jobs write the primary one first."""
    first: dict[str, Score] = {}
    for score in of_last_attempt(tx, job_id):
        first.setdefault(score.benchmark, score)
    return list(first.values())


def _score(row: Row[Any]) -> Score:
    known = fields(row)
    if known["value"] is None:  # SQLite keeps NaN as NULL
        known["value"] = math.nan
    return msgspec.convert(known, type=Score)


Measured = tuple[str, str, str]  # benchmark, metric, digest of the settings but the seed
Who = tuple[str, str]  # label and digest of a model
Repeated = tuple[Measured, Who]


def repeated(score: Score) -> Repeated:
    """Return what is equal of runs that differ in nothing but the seed.

    A model is told apart by its digest where known, else by its label.
    """
    plain = {key: value for key, value in score.settings.items() if key != "seed"}
    measured = (score.benchmark, score.metric, settings_digest(plain))
    return measured, (score.model, score.model_digest or "")


def runs(
    tx: Tx, *, benchmark: str | None = None, model: str | None = None
) -> dict[Repeated, list[Score]]:
    """Return all runs of each model, newest first; of a job, its last attempt's score."""
    statement = select(*_COLUMNS)
    if benchmark is not None:
        statement = statement.where(scores.c.benchmark == benchmark)
    if model is not None:
        statement = statement.where(scores.c.model == model)
    found: dict[Repeated, dict[str, Score]] = {}
    order = (scores.c.attempt.desc(), scores.c.id.desc())
    for row in tx.execute(statement.order_by(*order)):
        score = _score(row)
        found.setdefault(repeated(score), {}).setdefault(score.job_id, score)
    newest = {key: list(rows.values()) for key, rows in found.items()}
    for rows in newest.values():
        rows.sort(key=lambda one: (-one.created_at, -one.id))
    return newest

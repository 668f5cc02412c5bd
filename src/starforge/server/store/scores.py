"""Scores of benchmarks, and the board that compares what may be compared."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Row, select

from starforge.server.store.database import Tx
from starforge.server.store.records import BoardColumn, NewScore, Score
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


def board(tx: Tx, *, benchmark: str | None = None, model: str | None = None) -> list[BoardColumn]:
    """Return columns of comparable scores, by benchmark, metric and settings.

    A model is told apart by its digest where known, else by its label.
    """
    statement = select(*_COLUMNS)
    if benchmark is not None:
        statement = statement.where(scores.c.benchmark == benchmark)
    if model is not None:
        statement = statement.where(scores.c.model == model)
    order = (scores.c.benchmark, scores.c.metric, scores.c.settings_digest)
    newest = (scores.c.created_at.desc(), scores.c.id.desc())
    columns: dict[tuple[str, str, str], dict[tuple[str, str], Score]] = {}
    for row in tx.execute(statement.order_by(*order, *newest)):
        score = _score(row)
        key = (score.benchmark, score.metric, score.settings_digest)
        who = (score.model, score.model_digest or "")
        columns.setdefault(key, {}).setdefault(who, score)
    return [_column(rows.values()) for rows in columns.values()]


def _column(rows: Collection[Score]) -> BoardColumn:
    newest = max(rows, key=lambda score: score.created_at)
    sign = -1.0 if newest.higher_is_better else 1.0

    def rank(score: Score) -> tuple[bool, float, str]:
        return math.isnan(score.value), sign * score.value, score.model

    return BoardColumn(
        benchmark=newest.benchmark,
        metric=newest.metric,
        settings_digest=newest.settings_digest,
        settings=newest.settings,
        higher_is_better=newest.higher_is_better,
        rows=sorted(rows, key=rank),
    )

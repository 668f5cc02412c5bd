"""Sample rows (prompts and completions) by step, reward and text.

The database knows where each row lies in its stream; the rows themselves are read there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from sqlalchemy import ColumnElement, Row, and_, func, or_, select

from starforge.server.store.database import Tx
from starforge.server.store.records import Page
from starforge.server.store.segments import StreamFiles
from starforge.server.store.tables import samples, streams
from starforge.streams import decode_rows

Sort = Literal["step", "reward", "length", "-step", "-reward", "-length"]
_SEARCHED = ("prompt", "completion", "reference")


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One row as the job wrote it (``data``), with what the index knows of it."""

    attempt: int
    path: str
    step: int
    reward: float | None
    data: dict[str, Any]


class Wanted(msgspec.Struct, frozen=True):
    """What is asked of the rows themselves, which the index does not know.

    ``search`` looks into prompt, completion and reference, without regard to case; ``group``
    is compared as text. A row that does not say its group or whether it was cut has neither.
    """

    search: str | None = None
    group: str | None = None
    truncated: bool | None = None

    def anything(self) -> bool:
        """Say whether rows have to be read for it."""
        return bool(self.search) or self.group is not None or self.truncated is not None

    def matches(self, data: dict[str, Any]) -> bool:
        """Say whether a row is wanted."""
        if self.truncated is not None and data.get("truncated") is not self.truncated:
            return False
        if self.group is not None and not ("group" in data and str(data["group"]) == self.group):
            return False
        return not self.search or self.search.casefold() in _texts(data)


def page(
    tx: Tx,
    files: StreamFiles,
    job_id: str,
    *,
    step: int | None = None,
    attempt: int | None = None,
    wanted: Wanted = Wanted(),  # noqa: B008 - frozen
    sort: Sort = "-step",
    limit: int = 50,
    offset: int = 0,
) -> Page[Sample]:
    """List samples. Without ``attempt``, later attempts win as they do in curves. Rows without
    a reward or length come last when sorted by it.
    """
    conditions = [samples.c.job_id == job_id, *_which(tx, job_id, step, attempt)]
    if wanted.anything() or sort.endswith("length"):
        found = _read(tx, files, job_id, conditions, wanted)
        found.sort(key=lambda one: _key(sort, *one))
        chosen = found[offset : offset + limit]
        return Page(total=len(found), rows=[_open(files, job_id, row) for row, _ in chosen])
    joined = samples.join(streams, streams.c.id == samples.c.stream_id)
    count = select(func.count()).select_from(joined).where(*conditions)
    total = tx.execute(count).scalar_one()
    statement = _select().where(*conditions).order_by(*_order(sort))
    rows = tx.execute(statement.limit(limit).offset(offset)).all()
    return Page(total=total, rows=[_open(files, job_id, row) for row in rows])


def steps(tx: Tx, job_id: str) -> list[int]:
    """Return the steps that have samples, ascending."""
    column = samples.c.step
    statement = select(column).where(samples.c.job_id == job_id).distinct().order_by(column)
    return list(tx.execute(statement).scalars())


def _select() -> Any:
    columns = (samples.c.stream_id, samples.c.offset, samples.c.length, samples.c.step)
    of_stream = (streams.c.attempt, streams.c.path)
    return select(*columns, samples.c.reward, *of_stream).join(
        streams, streams.c.id == samples.c.stream_id
    )


def _which(
    tx: Tx, job_id: str, step: int | None, attempt: int | None
) -> Iterable[ColumnElement[bool]]:
    if step is not None:
        yield samples.c.step == step
    if attempt is not None:
        yield streams.c.attempt == attempt
        return
    first = select(streams.c.attempt, func.min(samples.c.step)).join(
        streams, streams.c.id == samples.c.stream_id
    )
    mine = first.where(samples.c.job_id == job_id).group_by(streams.c.attempt)
    begins = {row[0]: row[1] for row in tx.execute(mine)}
    if len(begins) > 1:
        yield or_(*_not_superseded(begins))


def _not_superseded(begins: dict[int, int]) -> Iterable[ColumnElement[bool]]:
    cut = math.inf
    for number in sorted(begins, reverse=True):
        own = streams.c.attempt == number
        yield own if cut == math.inf else and_(own, samples.c.step < int(cut))
        cut = min(cut, begins[number])


def _order(sort: Sort) -> tuple[ColumnElement[Any], ...]:
    place = (streams.c.attempt, samples.c.stream_id, samples.c.offset)
    if sort == "step":
        return (samples.c.step, *place)
    if sort == "-step":
        return (samples.c.step.desc(), *place)
    missing = samples.c.reward.is_(None)
    reward = samples.c.reward
    return (missing, reward.desc() if sort == "-reward" else reward.asc(), *place)


Found = tuple[Row[Any], int | None]  # a row of the index, and the length of its completion


def _key(sort: Sort, row: Row[Any], length: int | None) -> tuple[Any, ...]:
    """Return the key that sorts rows as :func:`_order` does."""
    sign = -1 if sort.startswith("-") else 1
    place = (row.attempt, row.stream_id, row.offset)
    if sort.endswith("step"):
        return (sign * row.step, *place)
    value = length if sort.endswith("length") else row.reward
    return (value is None, sign * (value or 0.0), *place)


def _read(
    tx: Tx,
    files: StreamFiles,
    job_id: str,
    conditions: list[ColumnElement[bool]],
    wanted: Wanted,
) -> list[Found]:
    """Return the index rows that are wanted; reads in the order of the files."""
    statement = _select().where(*conditions)
    found: list[Found] = []
    for row in tx.execute(statement.order_by(samples.c.stream_id, samples.c.offset)):
        data = _open(files, job_id, row).data
        if wanted.matches(data):
            found.append((row, data.get("length")))
    return found


def _texts(data: dict[str, Any]) -> str:
    parts = (data.get(name) for name in _SEARCHED)
    texts = (
        part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
        for part in parts
        if part is not None
    )
    return "\n".join(texts).casefold()


def _open(files: StreamFiles, job_id: str, row: Row[Any]) -> Sample:
    end = row.offset + row.length
    raw = files.read(job_id, row.attempt, row.path, row.offset, end)
    decoded = decode_rows("samples", raw, final=True).rows
    return Sample(
        attempt=row.attempt,
        path=row.path,
        step=row.step,
        reward=row.reward,
        data=decoded[0].data if decoded else {},
    )

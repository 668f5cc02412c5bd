"""What could not be used of a stream: counted in its row, said once in the job's events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import select

from starforge.i18n import Text
from starforge.server.store import events
from starforge.server.store.database import Tx
from starforge.server.store.records import StreamNote, StreamRow
from starforge.server.store.tables import events as event_table
from starforge.server.store.tables import streams

MAX_NOTES = 100
"""Notes a stream keeps one by one; further ones are counted in the last of their kind."""
EVENT = "stream"
LIMIT_EVENT = "metric_limit"  # said once a job, not once a stream

Note = dict[str, Any]

_TEXTS = {
    "damaged": Text(
        "damaged records were skipped; reading goes on behind them ({detail})",
        "跳过了损坏的记录，并从其后继续读取（{detail}）",
    ),
    "too_long": Text(
        "a record longer than 4 MiB was skipped ({detail})",
        "跳过了超过 4 MiB 的记录（{detail}）",
    ),
    "invalid": Text(
        "lines or records of another kind were skipped ({detail})",
        "跳过了格式不符的行或记录（{detail}）",
    ),
    "dropped": Text("single values were left out ({detail})", "略去了个别值（{detail}）"),
    "renamed": Text(
        "metrics whose names are too long or hold control characters are kept under another "
        "name ({detail})",
        "名称过长或含有控制字符的指标改用其他名称保存（{detail}）",
    ),
    "names": Text(
        "the job has as many metrics as are kept; new names are left out, the known ones go on "
        "({detail}; raise STARFORGE_MAX_METRICS for more)",
        "该任务的指标数已达上限；新的指标名不再保存，已有的照常记录"
        "（{detail}；可调高 STARFORGE_MAX_METRICS）",
    ),
    "steps": Text(
        "steps that do not go up: the curve is shown in order of step, and of equal steps the "
        "last one counts ({detail})",
        "步数没有递增：曲线按步数排序显示，相同步数以最后一个为准（{detail}）",
    ),
    "shorter": Text(
        "the file is shorter than what was taken of it: it was replaced or cut while the job "
        "ran; what was taken stays ({detail} bytes)",
        "文件比已读取的内容短：它在任务运行期间被替换或截断；已读取的内容保留（{detail} 字节）",
    ),
    "cut_off": Text(
        "the file ends within a record; all before it was taken ({detail} bytes)",
        "文件在一条记录中间结束；此前的内容均已读取（{detail} 字节）",
    ),
}
_OTHER = Text("{detail}", "{detail}")


def note(kind: str, detail: str, offset: int, length: int = 0, count: int = 1) -> Note:
    """Make a note; ``offset`` counts bytes from the start of the stream."""
    return {"kind": kind, "detail": detail, "offset": offset, "length": length, "count": count}


def merge(tx: Tx, row: StreamRow, new: Iterable[Note]) -> tuple[list[Note], bool]:
    """Return a stream's notes with new ones; the first of each kind becomes an event.

    The second answer says whether there are events.
    """
    kept = [dict(one) for one in row.notes]
    last = {one["kind"]: at for at, one in enumerate(kept)}
    said = False
    for one in new:
        known = last.get(one["kind"])
        if known is None:
            said |= _say(tx, row, one)
        if known is None or len(kept) < MAX_NOTES:
            last[one["kind"]] = len(kept)
            kept.append(dict(one))
            continue
        kept[known]["count"] += one["count"]
        kept[known]["length"] += one["length"]
    return kept, said


def add(tx: Tx, row: StreamRow, one: Note) -> bool:
    """Add a note to a stream unless it has one of that kind; say whether it was new."""
    if any(known["kind"] == one["kind"] for known in row.notes):
        return False
    kept, said = merge(tx, row, [one])
    tx.execute(streams.update().where(streams.c.id == row.id).values(notes=kept))
    return said


def text_of(kind: str, detail: str) -> Text:
    """Return a note in words."""
    return _TEXTS.get(kind, _OTHER).format(detail=detail)


def of_job(tx: Tx, job_id: str) -> list[StreamNote]:
    """Return what there is to say of a job's streams, one a stream and kind."""
    columns = (streams.c.attempt, streams.c.path, streams.c.notes)
    mine = (streams.c.job_id == job_id, streams.c.notes.is_not(None), streams.c.notes != [])
    rows = tx.execute(select(*columns).where(*mine).order_by(streams.c.attempt, streams.c.path))
    return [found for row in rows for found in _by_kind(row.attempt, row.path, row.notes)]


def _by_kind(attempt: int, path: str, all_notes: list[Note]) -> list[StreamNote]:
    found: dict[str, Mapping[str, Any]] = {}
    counts: dict[str, int] = {}
    for one in all_notes:
        found.setdefault(one["kind"], one)
        counts[one["kind"]] = counts.get(one["kind"], 0) + one["count"]
    return [
        StreamNote(
            attempt=attempt,
            path=path,
            kind=kind,
            text=text_of(kind, first["detail"]),
            offset=first["offset"],
            count=counts[kind],
        )
        for kind, first in found.items()
    ]


def _say(tx: Tx, row: StreamRow, one: Note) -> bool:
    kind = LIMIT_EVENT if one["kind"] == "names" else EVENT
    if kind == LIMIT_EVENT:
        mine = (event_table.c.job_id == row.job_id, event_table.c.kind == kind)
        if tx.execute(select(event_table.c.id).where(*mine).limit(1)).first() is not None:
            return False
    words = text_of(one["kind"], one["detail"])
    text = Text(f"{row.path}: {words.en}", f"{row.path}：{words.zh}")
    data = {"attempt": row.attempt, "path": row.path, "note": one["kind"], "offset": one["offset"]}
    events.add(tx, kind, job_id=row.job_id, text=text, data=data)
    return True

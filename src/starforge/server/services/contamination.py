"""Whether a scored model was trained on what it was asked.

The model's own jobs are known by where it lies: it is the export of a job, whose model may be
another job's, and so on down to the one that is nobody's here. The rows of all of them are
looked through for the items that the benchmark job asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import structlog

from starforge import layout
from starforge.checks.contamination import wordings
from starforge.checks.overlap import Overlap
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.services import compare_sides
from starforge.server.store import jobs, samples, scores
from starforge.server.store.records import Job, Score
from starforge.wire.base import BothTexts
from starforge.wire.board import BenchmarkContamination, Contamination

log = structlog.get_logger("starforge.contamination")

AT_ONCE = 16 << 20  # bytes of training data that are read without being asked
MOST_ITEMS = 1_000_000
NO_DATA = Text("the model's training data is not known here", "这里没有该模型的训练数据")
NO_ITEMS = Text("the benchmark's items are not known here", "这里没有该评测的题目")
TOO_LARGE = Text("the training data is large: ask with `sf bench contamination`",
                 "训练数据较大：请用 `sf bench contamination` 检查")  # fmt: skip


class _Unknown(Exception):  # noqa: N818 - it is an answer
    def __init__(self, reason: Text) -> None:
        super().__init__(reason.en)
        self.reason = reason


def keep(core: Core, job_id: str) -> None:
    """Look at the scores of a benchmark job that ended; what takes long is left."""
    try:
        measure(core, job_id, most=AT_ONCE)
    except (OSError, ValueError, StarForgeError) as error:
        log.warning("training data can't be looked at", job=job_id, error=str(error))


def of(core: Core, job: Job) -> list[BenchmarkContamination]:
    """Look, however long it takes: at a benchmark job's scores, or at those of a job's model."""
    with core.db.read() as tx:
        measured = [job.id] if scores.of_job(tx, job.id) else _scored_by(core, job)
    return [one for ident in measured for one in measure(core, ident)]


def _scored_by(core: Core, job: Job) -> list[str]:
    """Return the jobs that scored the model of a job, each once, newest first."""
    with core.db.read() as tx:
        found = compare_sides.results(core, tx, f"job:{job.id}")
    newest = sorted((one for rows in found.values() for one in rows), key=lambda s: -s.created_at)
    return list(dict.fromkeys(one.job_id for one in newest))


def measure(core: Core, job_id: str, *, most: int | None = None) -> list[BenchmarkContamination]:
    """Look for the items of each benchmark of a job, and keep what was found."""
    with core.db.read() as tx:
        job = jobs.get(tx, job_id)
        rows = scores.primary(tx, job_id)
    found = []
    for score in rows:
        one = _look(core, job, score, most)
        with core.db.write() as tx:
            known = one.found
            scores.set_seen(
                tx, job_id, score.benchmark,
                seen=known.seen if known else None, of=known.items if known else None,
            )  # fmt: skip
        found.append(one)
    return found


def _look(core: Core, job: Job, score: Score, most: int | None) -> BenchmarkContamination:
    try:
        files = training_files(core, job)
        if not files:
            raise _Unknown(NO_DATA)
        if most is not None and sum(file.stat().st_size for file in files) > most:
            raise _Unknown(TOO_LARGE)
        items = list(_items(core, job, score))
        if not items:
            raise _Unknown(NO_ITEMS)
        overlap = Overlap(items)
        for file in files:
            for row in _rows(file):
                overlap.add(row)
    except _Unknown as unknown:
        reason = BothTexts(en=unknown.reason.en, zh=unknown.reason.zh)
        return BenchmarkContamination(benchmark=score.benchmark, job=job.id, reason=reason)
    found = Contamination(seen=len(overlap.seen), items=len(items))
    return BenchmarkContamination(benchmark=score.benchmark, job=job.id, found=found)


def training_files(core: Core, job: Job) -> list[Path]:
    """Return the training data of the jobs that made a job's model, the last one first.

    It is empty when one of them is gone or has none: then nothing can be said.
    """
    files: list[Path] = []
    root = core.settings.jobs.resolve()
    while (maker := _maker(root, job)) is not None and maker not in (f.parts[-3] for f in files):
        file = root / maker / layout.DATA / "train.jsonl"
        if not file.is_file():
            return []
        files.append(file)
        try:
            with core.db.read() as tx:
                job = jobs.get(tx, maker)
        except StarForgeError:
            return []
    return files


def _maker(root: Path, job: Job) -> str | None:
    """Return the id of the job in whose folder a job's model lies."""
    location = (job.experiment.get("models") or {}).get("model")
    if not isinstance(location, str) or not Path(location).is_relative_to(root):
        return None
    return Path(location).relative_to(root).parts[0]


class _Benchmark(msgspec.Struct):
    """What of ``record/config.json`` says where a benchmark's items lie."""

    name: str
    rows: str | None = None
    task: dict[str, Any] | None = None


class _Record(msgspec.Struct):
    benchmarks: list[_Benchmark] = []


def _items(core: Core, job: Job, score: Score) -> Iterator[list[str]]:
    """Yield the wordings of each item that was asked: from the items' file, else as asked.

    Prompts with examples in them hold more than the item; they are no use.
    """
    folder = core.settings.job_dir(job.id)
    known = _benchmark(folder, score.benchmark)
    if known is not None and known.rows is not None:
        path = Path(known.rows)
        for name in (layout.RECORD, layout.CODE, layout.DATA):
            path = Path(str(path).replace(f"${{{name.upper()}}}", str(folder / name)))
        if path.is_file():
            for number, row in enumerate(_rows(path)):
                if number >= (score.items or MOST_ITEMS):
                    return
                yield list(wordings(known.task, row))
            return
    if score.settings.get("few_shot"):
        return
    with core.db.read() as tx:
        page = samples.page(
            tx, core.files, job.id, attempt=score.attempt, sort="step", limit=MOST_ITEMS
        )
    for one in page.rows:
        prompt = one.data.get("prompt")
        if one.data.get("benchmark") == score.benchmark and isinstance(prompt, str):
            yield [prompt]


def _benchmark(folder: Path, name: str) -> _Benchmark | None:
    try:
        raw = (folder / layout.RECORD / "config.json").read_bytes()
        record = msgspec.json.decode(raw, type=_Record)
    except (OSError, msgspec.MsgspecError):
        return None
    return next((one for one in record.benchmarks if one.name == name), None)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open("rb") as stream:
        for line in stream:
            try:
                row = msgspec.json.decode(line)
            except (msgspec.DecodeError, ValueError):
                continue
            if isinstance(row, dict):
                yield row

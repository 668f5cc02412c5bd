"""Lists of 10,000 jobs, and reading a log of 64 MB."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.curves import new_job
from benchmarks.harness import Row, best
from starforge.server.store import attempts, ingest, jobs, logs
from starforge.server.store.database import Database
from starforge.server.store.records import JobFilter
from starforge.server.store.segments import StreamFiles

JOBS = 10_000
LOG = "logs/trainer-0.log"
CHUNK = 4 << 20
CHUNKS = 16


def run() -> Iterator[Row]:
    """Fill a store, then ask it what the command line and the console ask."""
    with tempfile.TemporaryDirectory() as folder:
        db = Database.open(Path(folder) / "bench.db")
        with db.write() as tx:
            ids = [jobs.create(tx, new_job(f"job-{n % 100}"))[0].id for n in range(JOBS)]
        for what, which in (("newest 50", JobFilter()), ("search", JobFilter(search="job-7"))):

            def page(which: JobFilter = which) -> float:
                with db.read() as tx:
                    return _seconds(lambda: jobs.page(tx, which, limit=50))

            yield Row("store", f"10,000 jobs: {what}", best(page) * 1000, "ms", at_most=100)
        yield from _log(db, StreamFiles(Path(folder) / "streams"), ids[0])
        db.close()


def _log(db: Database, files: StreamFiles, job: str) -> Iterator[Row]:
    line = b"step 123456 loss 0.123456 grad 0.654321 and some more words\n"
    chunk = line * (CHUNK // len(line))
    with db.write() as tx:
        attempts.create(tx, job, resume=False)
    start, offset = time.process_time(), 0
    for _ in range(CHUNKS):
        offset = ingest.accept(
            db, files,
            ingest.StreamChunk(
                job_id=job, attempt=0, path=LOG, format="log", offset=offset, data=chunk
            ),
        )  # fmt: skip
    took = time.process_time() - start
    yield Row("store", "log taken, MB per CPU second", offset / 1e6 / took, "MB/s")
    with db.read() as tx:
        stream = logs.stream(tx, job, 0, LOG)
        for what, work in (
            ("tail of 100 lines", lambda: logs.tail(tx, files, stream, 100)),
            (
                "100 lines in the middle",
                lambda: logs.read(tx, files, stream, from_line=500_000, count=100),
            ),
            ("search without a match", lambda: logs.search(tx, files, stream, "no such thing")),
        ):
            took = best(lambda work=work: _seconds(work), runs=3)
            yield Row("store", f"64 MB log: {what}", took * 1000, "ms")


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start

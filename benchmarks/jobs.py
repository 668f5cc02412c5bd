"""Jobs through a real server: from submission to the first process, lists and pages of many."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.curves import new_job
from benchmarks.harness import Row, best, cpu_seconds, environ, seconds
from benchmarks.rig import Rig, rig
from starforge.server.store import jobs
from starforge.server.store.database import Database

SF = str(Path(sys.executable).parent / "sf")
JOBS = 10_000
WORK = f"{10 * JOBS:,} jobs"
BEGAN = 'date +%s.%N > "$STARFORGE_OUTPUT_DIR/began"\n'
REAL = """
"$STARFORGE_PYTHON" - <<'PY'
from starforge import report
report.init(total_steps=2000)
for step in range(2000):
    report.log({f"train/m{n}": 0.123456789 * step + n for n in range(10)}, step=step)
    print("step", step, "loss", 1 / (step + 1))
    if step % 10 == 0:
        row = {"prompt": "2 + 2 = ?", "completion": "4 " * 50, "reward": step / 2000}
        report.log_samples([row] * 4, step=step)
report.finish()
PY
"""


def run() -> Iterator[Row]:
    """Measure an empty server first, then one that has seen very many jobs."""
    with rig() as server:
        few, many = (_first_process(server, files) for files in (10, 100))
        yield Row(
            "jobs", "sf submit's work to first process", few, "s",
            at_most=1, tenfold=many, work="100 files of code, not 10",
        )  # fmt: skip
        job = server.send(server.experiment("real", REAL), name="real")
        server.wait_ended(job.id)
        with closing(Database.open(server.home / "starforge.db")) as db, db.write() as tx:
            for number in range(JOBS):
                jobs.create(tx, new_job(f"job-{number % 100}", state="succeeded"))
        small = _answers(server, job.id)
        multiply(server.home / "starforge.db", 10)
        large = _answers(server, job.id)
    for what, value in small.items():
        yield Row(
            "jobs", f"{JOBS:,} jobs: {what}", value, "ms",
            at_most=100, tenfold=large[what], work=WORK,
        )  # fmt: skip


def _first_process(server: Rig, files: int) -> float:
    code = {f"module_{number}.py": f"X = {number}\n" * 50 for number in range(files)}
    folder = server.experiment(f"code-{files}", BEGAN, code)

    def once() -> float:
        start = time.time()
        job = server.send(folder)
        server.wait_ended(job.id)
        began = server.home / "jobs" / job.id / "output" / "began"
        return float(began.read_text("ascii")) - start

    return best(once, 5)


def _answers(server: Rig, job: str) -> dict[str, float]:
    """Return milliseconds: what the command line and the console ask a server."""
    client, api = server.client, server.client.jobs
    page = (
        lambda: api.get(job),
        lambda: api.series(job),
        lambda: api.metrics(job, buckets=1000),
        lambda: api.logs(job, tail=200),
        lambda: api.samples(job, limit=20),
        lambda: api.events(job),
        lambda: api.artifacts(job),
        lambda: api.scores(job),
    )
    env = environ(STARFORGE_HOME=str(server.home))
    asked = {
        "GET /jobs": lambda: client.http.request("GET", "/jobs"),
        "GET /jobs?search=": lambda: api.page(search="job-77"),
        "GET /jobs, the last page": lambda: api.page(number=JOBS // 50, sort="name"),
        "all that a job's page loads": lambda: [ask() for ask in page],
        "sf job ls, the whole command": lambda: cpu_seconds([SF, "job", "ls"], env),
    }
    return {what: best(lambda ask=ask: seconds(ask)) * 1000 for what, ask in asked.items()}


def multiply(database: Path, times: int) -> None:
    """Copy the rows of jobs until there are ``times`` as many."""
    with closing(sqlite3.connect(database, timeout=30)) as connection, connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(jobs)")]
        rest = ", ".join(name for name in names if name != "id")
        for copy in range(1, times):
            connection.execute(
                f"INSERT INTO jobs (id, {rest}) "
                f"SELECT printf('c%d%08d', ?, row_number() OVER (ORDER BY id)), {rest} "
                "FROM jobs WHERE id NOT LIKE 'c%'",
                (copy,),
            )

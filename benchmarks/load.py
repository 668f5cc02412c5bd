"""A server with fifty real jobs that log at once, and one that has nothing to do."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.harness import Row, process_cpu, process_memory, wait_for
from benchmarks.rig import Rig, rig

JOBS = 50
SECONDS = 40.0
QUIET = 30.0
MIB = 1 << 20
SCRIPT = """
exec "$STARFORGE_PYTHON" - <<'PY'
import time
from starforge import report
report.init()
began, step = time.monotonic(), 0
while True:
    step += 1
    report.log({f"train/m{n}": 0.123456789 * step + n for n in range(5)}, step=step)
    print("step", step, flush=True)
    time.sleep(max(0.0, began + step / RATE - time.monotonic()))
PY
"""


def run() -> Iterator[Row]:
    """Load two fresh servers, the second ten times as much; then let one rest."""
    with rig(wide=True) as server:
        idle = _core(server, QUIET)
        memory, busy = _load(server, 10)
        rested = _core(server, QUIET)
    with rig(wide=True) as server:
        memory_more, busy_more = _load(server, 100)
    work = "each 100 times a second"
    yield Row(
        "load", f"server memory, {JOBS} jobs at 10 Hz", memory, "MiB",
        at_most=300, tenfold=memory_more, work=work,
    )  # fmt: skip
    yield Row(
        "load", f"server CPU, {JOBS} jobs at 10 Hz", busy, "% of a core",
        tenfold=busy_more, work=work,
    )  # fmt: skip
    yield Row(
        "load", "idle server", idle, "% of a core",
        at_most=1, tenfold=rested, work=f"after {JOBS} jobs have ended",
    )  # fmt: skip


def _load(server: Rig, rate: int) -> tuple[float, float]:
    """Return the most MiB and the percent of a core of a server under load."""
    folder = server.experiment("logs", SCRIPT.replace("RATE", str(rate)))
    sent = [server.send(folder, name=f"job-{number}").id for number in range(JOBS)]
    wait_for(lambda: server.client.jobs.page(states=["running"]).total == JOBS, 240, 0.5)
    busy = _core(server, SECONDS)
    for job in sent:
        points = {one.name: one.count for one in server.client.jobs.series(job)}
        if points.get("train/m0", 0) < SECONDS * rate / 2:
            raise RuntimeError(f"job {job} could not log as often as it should: {points}")
    _, highest = process_memory(server.pid)
    server.stop_all()
    return highest / MIB, busy


def _core(server: Rig, seconds: float) -> float:
    before, start = process_cpu(server.pid, children=False), time.monotonic()
    time.sleep(seconds)
    spent = process_cpu(server.pid, children=False) - before
    return 100 * spent / (time.monotonic() - start)

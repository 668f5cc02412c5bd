"""Scalars end to end: a real runner ships a real file to a real server, beside other trackers.

CPU seconds are those of the server, the runner and the job's own process together, read from
the kernel when all points were counted in the store; a job that logs nothing is taken off.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks import peers
from benchmarks.harness import Row, best
from benchmarks.rig import Rig, rig
from starforge.streams.crc32c import masked

STEPS = 20_000
WIDTH = peers.WIDTH
POINTS = STEPS * WIDTH
TENFOLD = f"{10 * POINTS:,} points"
_LINK = 'ln "{source}" "$STARFORGE_ATTEMPT_DIR/{target}"\n'
_LOG = """
"$STARFORGE_PYTHON" - <<'PY'
from starforge import report
report.init()
for step in range({steps}):
    report.log({{f"train/m{{n}}": 0.123456789 * step + n for n in range(10)}}, step=step)
report.finish()
PY
"""


def run() -> Iterator[Row]:
    """Measure StarForge first, then the others in the same run."""
    with rig() as server:
        files = server.folder / "files"
        files.mkdir()
        _per_second(server, "warm up", _log_script(100), 100)
        shipped, tenfold = (
            _shipped(server, _report(files / f"{steps}.jsonl", steps), steps)
            for steps in (STEPS, 10 * STEPS)
        )
        yield Row(
            "shipping", "report file, server + runner", shipped, "points/CPU s",
            at_least=50_000, tenfold=tenfold, work=TENFOLD,
        )  # fmt: skip
        events, tenfold_events = (
            _shipped(server, _events(files / f"{steps}.tfevents", steps), steps)
            for steps in (STEPS, 10 * STEPS)
        )
        yield Row(
            "shipping", "TensorBoard file, server + runner", events, "points/CPU s",
            at_least=50_000, tenfold=tenfold_events, work=TENFOLD,
        )  # fmt: skip
        whole, tenfold_whole = (
            _per_second(server, f"logged {steps}", _log_script(steps), steps)
            for steps in (STEPS, 10 * STEPS)
        )
        yield Row(
            "shipping", "report.log to store, job's process too", whole, "points/CPU s",
            tenfold=tenfold_whole, work=TENFOLD,
        )  # fmt: skip
    yield from _peers(shipped, whole)


def _peers(shipped: float, whole: float) -> Iterator[Row]:
    local = best(lambda: -peers.trackio_local(STEPS), 1) * -1
    http = best(lambda: -peers.trackio_http(STEPS), 1) * -1
    with peers.mlflow_server() as server:
        batched = peers.mlflow_http(server, STEPS // 20, "batched")
        plain = peers.mlflow_http(server, STEPS // 100, "plain")
    yield Row("shipping", "trackio, to its own server", http, "points/CPU s")
    yield Row("shipping", "trackio, into its local file", local, "points/CPU s")
    yield Row("shipping", "MLflow on SQLite, log_metrics", plain, "points/CPU s")
    yield Row("shipping", "MLflow on SQLite, log_batch of 1,000", batched, "points/CPU s")
    yield Row("shipping", "over trackio to its own server", shipped / http, "times", at_least=3)
    yield Row("shipping", "over trackio's local file", shipped / local, "times", at_least=3)
    yield Row("shipping", "over MLflow, log_metrics", shipped / plain, "times", at_least=10)
    yield Row("shipping", "over MLflow, log_batch", shipped / batched, "times", at_least=10)
    yield Row("shipping", "whole path over trackio to its server", whole / http, "times")
    yield Row("shipping", "whole path over trackio's local file", whole / local, "times")


def _shipped(server: Rig, source: Path, steps: int) -> float:
    where = "metrics/report-0-1.jsonl"
    if source.suffix == ".tfevents":
        where = "tensorboard/events.out.tfevents.1700000000.host.1.0"
    script = 'mkdir -p "$STARFORGE_ATTEMPT_DIR/tensorboard" "$STARFORGE_ATTEMPT_DIR/metrics"\n'
    script += _LINK.format(source=source, target=where)
    return _per_second(server, source.name.replace(".", "-"), script, steps)


def _per_second(server: Rig, name: str, script: str, steps: int, runs: int = 2) -> float:
    """Return points per CPU second of a job, without what a job that logs nothing costs."""
    name = name.replace(" ", "-")
    idle = server.experiment(f"idle-{name}", script and "true\n")
    busy = server.experiment(name, script)
    extra = best(lambda: _cost(server, busy, steps) - _cost(server, idle, 0), runs)
    return steps * WIDTH / extra


def _cost(server: Rig, folder: Path, steps: int) -> float:
    job = server.send(folder)
    before = server.cpu()
    server.wait_ended(job.id)
    took = server.cpu() - before
    series = server.client.jobs.series(job.id)
    counted = sum(one.count for one in series if one.name.startswith("train/"))
    if counted != steps * WIDTH:
        raise RuntimeError(f"the store holds {counted} points of {steps * WIDTH}")
    server.client.jobs.delete(job.id)
    return took


def _log_script(steps: int) -> str:
    return _LOG.format(steps=steps)


def _values(steps: int) -> Iterable[tuple[int, float, dict[str, float]]]:
    for step in range(steps):
        values = {f"train/m{n}": 0.123456789 * step + n for n in range(WIDTH)}
        yield step, 1.7e9 + 0.1 * step, values


def _report(path: Path, steps: int) -> Path:
    """Write what `starforge.report` writes."""
    with path.open("w", encoding="utf-8") as stream:
        for step, when, values in _values(steps):
            record = {"t": when, "s": step, "v": values}
            stream.write(json.dumps(record, separators=(",", ":")) + "\n")
    return path


def _events(path: Path, steps: int) -> Path:
    """Write what TensorBoard's `add_scalar` writes: one record a value."""
    with path.open("wb") as stream:
        for step, when, values in _values(steps):
            for name, value in values.items():
                tag = name.encode()
                scalar = b"\x0a" + _varint(len(tag)) + tag + b"\x15" + struct.pack("<f", value)
                summary = b"\x0a" + _varint(len(scalar)) + scalar
                event = b"\x09" + struct.pack("<d", when) + b"\x10" + _varint(step)
                event += b"\x2a" + _varint(len(summary)) + summary
                head = struct.pack("<Q", len(event))
                stream.write(head + struct.pack("<I", masked(head)))
                stream.write(event + struct.pack("<I", masked(event)))
    return path


def _varint(number: int) -> bytes:
    made = bytearray()
    while number >= 0x80:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*made, number])

"""The Prometheus text format, for the few figures a server has to show."""

from __future__ import annotations

import time
from collections.abc import Mapping

import psutil

from starforge import __version__
from starforge.server.control.reconciler import holders
from starforge.server.core import Core
from starforge.server.services.machine import count_jobs


def exposition(core: Core) -> str:
    """Return all figures."""
    devices, held, counters = core.devices, holders(core), core.counters
    lines: list[str] = []

    def put(name: str, kind: str, text: str, values: Mapping[str, float] | float) -> None:
        full = f"starforge_{name}"
        lines.append(f"# HELP {full} {text}")
        lines.append(f"# TYPE {full} {kind}")
        for labels, value in values.items() if isinstance(values, Mapping) else [("", values)]:
            lines.append(
                f"{full}{labels} {value:g}" if value % 1 else f"{full}{labels} {value:.0f}"
            )

    put("info", "gauge", "Version of the server.", {f'{{version="{__version__}"}}': 1})
    put("uptime_seconds", "gauge", "Seconds since the start.", time.time() - core.started_at)
    put("jobs", "gauge", "Jobs by state.", _labelled("state", count_jobs(core)))
    put(
        "slots",
        "gauge",
        "Slots of the machine by kind.",
        _labelled("kind", {"cpu": devices.cpus, "gpu": len(devices.gpus)}),
    )
    put(
        "slots_used",
        "gauge",
        "Slots held by jobs.",
        _labelled(
            "kind",
            {"cpu": sum(h.job.cpus for h in held), "gpu": sum(len(h.gpus) for h in held)},
        ),
    )
    put("http_requests_total", "counter", "Requests answered.", counters.requests)
    put("ingest_bytes_total", "counter", "Bytes of streams taken.", counters.ingest_bytes)
    put("ingest_chunks_total", "counter", "Pieces of streams taken.", counters.ingest_chunks)
    put(
        "ingest_conflicts_total",
        "counter",
        "Pieces refused because the stream goes on at another offset.",
        counters.ingest_conflicts,
    )
    put("reconcile_ticks_total", "counter", "Looks of the reconciler.", counters.ticks)
    put("reconcile_seconds_total", "counter", "Time spent looking.", counters.tick_seconds)
    process = psutil.Process()
    put("resident_memory_bytes", "gauge", "Memory of the server.", process.memory_info().rss)
    put("cpu_seconds_total", "counter", "CPU time of the server.", sum(process.cpu_times()[:2]))
    return "\n".join(lines) + "\n"


def _labelled(label: str, values: Mapping[str, int]) -> dict[str, float]:
    return {f'{{{label}="{name}"}}': value for name, value in values.items()}

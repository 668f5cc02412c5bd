"""Run the benchmarks; print a table; write the rows as JSON with ``--json FILE``."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import time
from pathlib import Path

from benchmarks.harness import Row

NAMES = (
    "cli_startup", "report_log", "curves", "store", "shipping", "jobs", "load", "console",
    "training", "validate_data",
)  # fmt: skip
LINE = "{:<12} {:<40} {:>10}  {:<12} {:>10}  {:<4} {:>10}  {}"


def main() -> None:
    """Run the named benchmarks, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}; one of {', '.join(NAMES)}")
    began, before = time.time(), os.getloadavg()
    rows: list[Row] = []
    heads = ("benchmark", "what", "value", "unit", "goal", "met", "x 10", "ten times the work")
    print(LINE.format(*heads), flush=True)
    for name in options.names or NAMES:
        for row in importlib.import_module(f"benchmarks.{name}").run():
            rows.append(row)
            print(_line(row), flush=True)
    if options.json:
        document = {
            "machine": {"cpus": os.cpu_count(), "python": platform.python_version()},
            "began": began,
            "took_seconds": round(time.time() - began, 1),
            "load": {"before": before, "after": os.getloadavg()},
            "rows": [row.as_dict() for row in rows],
        }
        options.json.write_text(json.dumps(document, indent=1) + "\n")


def _line(row: Row) -> str:
    met = "" if row.met is None else "yes" if row.met else "NO"
    tenfold = "" if row.tenfold is None else f"{row.tenfold:.4g}"
    value = f"{row.value:.4g}"
    return LINE.format(
        row.benchmark, row.what, value, row.unit, row.goal, met, tenfold, row.work
    ).rstrip()


if __name__ == "__main__":
    main()

"""Run the benchmarks; print a table; write the rows as JSON with ``--json FILE``."""

from __future__ import annotations

import argparse
import importlib
import json
from pathlib import Path

from benchmarks.harness import Row

NAMES = ("cli_startup", "report_log", "curves", "store")


def main() -> None:
    """Run the named benchmarks, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}; one of {', '.join(NAMES)}")
    rows: list[Row] = []
    print(f"{'benchmark':<12} {'what':<44} {'value':>12}  {'unit':<10} goal")
    for name in options.names or NAMES:
        for row in importlib.import_module(f"benchmarks.{name}").run():
            rows.append(row)
            print(
                f"{row.benchmark:<12} {row.what:<44} {row.value:>12.4g}  {row.unit:<10} {row.goal}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps([r.as_dict() for r in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()

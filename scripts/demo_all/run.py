"""One tiny job of every method that this machine can carry, through ordinary ``sf`` commands.

``make demo-all``, or ``python scripts/demo_all/run.py [--only METHOD] [--json FILE]``. Each
job is killed in the middle, resumed, exported, checked and benchmarked; then some jobs go on
from the models of others. Goes on after a failure and exits with 1 when anything failed. Lies
in ``.demo-all`` (``STARFORGE_DEMO_ALL`` names another folder) on a server of its own, which is
stopped at the end.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import msgspec
from chain import follow
from demo_rows import CHAINS, HARNESSES, TRAINING, names
from places import HOME, LAB, ROOT, sf
from trial import Row, benchmark, train

from starforge.engines.local.devices import count_cpus
from starforge.lang import t

RUNTIMES = ("trl", "verl", "openrlhf", "evalkit")
# Jobs of Ray and vLLM spend most of their time importing, one process after another, so two
# at once on half of the processors each take hardly longer than one. One takes 8 to 16 GB.
AT_ONCE = 2
ENOUGH = 24 * 10**9  # bytes of memory for that


def main() -> int:
    """Run what was asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", metavar="METHOD", choices=names(),
                        help="only this one; may be repeated")  # fmt: skip
    parser.add_argument("--at-once", type=int, default=AT_ONCE if _memory() >= ENOUGH else 1,
                        metavar="N", help="how many to run side by side (%(default)s)")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the table here")
    args = parser.parse_args()
    chosen = args.only or names()
    prepare(chosen)
    began = time.monotonic()
    rows: dict[str, Row] = {}
    try:
        for row in run_all(chosen, args.at_once):
            rows[row.name] = row
            print(f"{row.name}: {line(row)}", flush=True)
            if args.json is not None:
                done = [rows[name] for name in chosen if name in rows]
                args.json.write_bytes(msgspec.json.format(msgspec.json.encode(done), indent=1))
    finally:
        sf("down", cwd=ROOT, check=False)
    print_table([rows[name] for name in chosen], time.monotonic() - began)
    return 1 if any(row.problem for row in rows.values()) else 0


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def prepare(chosen: list[str]) -> None:
    """Build the runtimes that are missing, make the lab, start the server."""
    HOME.mkdir(mode=0o700, parents=True, exist_ok=True)
    for runtime in RUNTIMES:
        if runtime == "evalkit" or any(f"{runtime}/" in name for name in chosen):
            print(t("runtime {name} ...", "运行环境 {name} ...", name=runtime), flush=True)
            sf("runtime", "install", runtime, "--device", "cpu", cwd=ROOT)
    if not (LAB / "starforge.yaml").exists():
        sf("init", str(LAB), cwd=ROOT)
    sf("up")


def run_all(chosen: list[str], at_once: int) -> Iterator[Row]:
    """Run the lines of the table, so many at once; yield each when it is done."""
    profile = f"cpu:{max(1, count_cpus() // at_once)}"
    with ThreadPoolExecutor(at_once) as pool:
        for done in as_completed([pool.submit(run, name, profile) for name in chosen]):
            yield done.result()


def run(name: str, profile: str) -> Row:
    """Run one line of the table, its training jobs on ``profile``."""
    print(f"{name} ...", flush=True)
    case = next((one for one in TRAINING if one.name == name), None)
    if case is not None:
        return train(case, profile)
    chain = next((one for one in CHAINS if one.name == name), None)
    if chain is not None:
        return follow(chain, profile)
    harness = name.partition("/")[2]
    assert harness in HARNESSES
    return benchmark(harness)


def line(row: Row) -> str:
    """Say in a few words how one went."""
    took = t("{s:.0f} s", "{s:.0f} 秒", s=row.seconds)
    if row.problem:
        return t(
            "FAILED after {took}: {why}", "失败，用时 {took}：{why}", took=took, why=row.problem
        )
    return t("fine, {took}", "成功，用时 {took}", took=took)


def print_table(rows: list[Row], seconds: float) -> None:
    """Print the table as Markdown, which reads well anywhere, then what failed."""
    heads = [t("method", "方法"), t("steps", "步数"), t("metric", "指标"), t("first", "首值"),
             t("last", "末值"), t("seconds", "秒"), t("peak GB", "峰值 GB"),
             t("resume", "恢复"), t("export", "导出"), t("score", "得分")]  # fmt: skip
    print()
    print("| " + " | ".join(heads) + " |")
    print("|" + " --- |" * len(heads))
    for row in rows:
        cells = [
            row.name, _cell(row.steps), row.metric or "-", _cell(row.first), _cell(row.last),
            f"{row.seconds:.0f}", _cell(row.peak_gb), _yes(row.resumed), _yes(row.exported),
            _cell(row.score),
        ]  # fmt: skip
        print("| " + " | ".join(cells) + " |")
    failed = [row for row in rows if row.problem]
    print()
    print(t("{n} of {all} fine, {m:.0f} minutes", "{all} 个中 {n} 个成功，共 {m:.0f} 分钟",
            n=len(rows) - len(failed), all=len(rows), m=seconds / 60))  # fmt: skip
    for row in failed:
        print(f"{row.name} ({row.job or '-'}): {row.problem}")


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3g}"


def _yes(value: bool | None) -> str:
    if value is None:
        return "-"
    return t("yes", "是") if value else t("NO", "否")


if __name__ == "__main__":
    sys.exit(main())

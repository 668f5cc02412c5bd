"""One tiny job of every method that this machine can carry, through ordinary ``sf`` commands.

``make demo-all``, or ``python scripts/demo_all/run.py [--only METHOD] [--json FILE]``. Each
job is killed in the middle, resumed, exported, checked and benchmarked. Goes on after a
failure and exits with 1 when anything failed. Lies in ``.demo-all`` (``STARFORGE_DEMO_ALL``
names another folder) on a server of its own, which is stopped at the end.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec
from demo_rows import HARNESSES, TRAINING, names
from places import HOME, LAB, ROOT, sf
from trial import Row, benchmark, train

from starforge.lang import t

RUNTIMES = ("trl", "verl", "openrlhf", "evalkit")


def main() -> int:
    """Run what was asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", metavar="METHOD", choices=names(),
                        help="only this one; may be repeated")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the table here")
    args = parser.parse_args()
    chosen = args.only or names()
    prepare(chosen)
    rows: list[Row] = []
    try:
        for name in chosen:
            print(f"{name} ...", flush=True)
            row = run(name)
            rows.append(row)
            print(f"    {line(row)}", flush=True)
            if args.json is not None:
                args.json.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1))
    finally:
        sf("down", cwd=ROOT, check=False)
    print_table(rows)
    return 1 if any(row.problem for row in rows) else 0


def prepare(chosen: list[str]) -> None:
    """Build the runtimes that are missing, make the lab, start the server."""
    HOME.mkdir(mode=0o700, parents=True, exist_ok=True)
    needed = {name.partition("/")[0] for name in chosen} | {"evalkit"}
    for runtime in RUNTIMES:
        if runtime in needed:
            print(t("runtime {name} ...", "运行环境 {name} ...", name=runtime), flush=True)
            sf("runtime", "install", runtime, "--device", "cpu", cwd=ROOT)
    if not (LAB / "starforge.yaml").exists():
        sf("init", str(LAB), cwd=ROOT)
    sf("up")


def run(name: str) -> Row:
    """Run one line of the table."""
    case = next((one for one in TRAINING if one.name == name), None)
    if case is not None:
        return train(case)
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


def print_table(rows: list[Row]) -> None:
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
    total = sum(row.seconds for row in rows) / 60
    failed = [row for row in rows if row.problem]
    print()
    print(t("{n} of {all} fine, {m:.0f} minutes", "{all} 个中 {n} 个成功，共 {m:.0f} 分钟",
            n=len(rows) - len(failed), all=len(rows), m=total))  # fmt: skip
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

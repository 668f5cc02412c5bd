"""Smoke every method as `sf new` makes it, and print what came of it as a table.

    python scripts/smoke_table.py [METHOD ...]

Each method's experiment is made in a temporary lab with its sample rows and tried as `sf smoke`
does: two steps in the real framework, on the CPU. It needs the runtimes (`make runtimes`); all
of them together take about half an hour on two cores. Exits with 1 when one fails.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from starforge.catalog.load import load_catalog
from starforge.errors import StarForgeError
from starforge.findings import Finding
from starforge.i18n import Text, t
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare
from starforge.smoke.report import SmokeReport
from starforge.smoke.run import Options, smoke

TIMEOUT = 900.0  # seconds of one run


class Row(NamedTuple):
    """What came of a method: ``report`` when it could be tried, else the ``reason`` why not."""

    method: str
    seconds: float
    report: SmokeReport | None
    reason: Text | None

    @property
    def ok(self) -> bool:
        """Whether the run went well."""
        return self.report is not None and self.report.ok


def try_method(method: str, root: Path, timeout: float = TIMEOUT) -> Row:
    """Make the experiment of a method below the new folder ``root`` and smoke it."""
    began = time.monotonic()
    catalog = load_catalog()
    init_lab(root)
    folder = new_experiment(Lab(root), "try", catalog.recipe(method), catalog, lang="en")
    prepared = prepare(folder)
    report, reason = None, _wrong(prepared.findings)
    if reason is None:
        try:
            report = smoke(prepared, Options(timeout=timeout), lambda text: None)
            reason = report.reason
        except StarForgeError as error:
            reason = error.message
    return Row(method, time.monotonic() - began, report, reason)


def _wrong(findings: list[Finding]) -> Text | None:
    return next((one.message for one in findings if one.severity == "error"), None)


def ran(report: SmokeReport | None) -> str:
    """Say what was run."""
    if report is None:
        return "-"
    if report.mode == "look":
        return t("looked at, nothing trained", "只检查，不训练")
    if report.mode == "score":
        return t("{n} scores", "{n} 个得分", n=len(report.scores))
    return t("{n} steps", "{n} 步", n=len(report.steps))


def line(row: Row) -> str:
    """Return a row as a line of a Markdown table."""
    verdict = t("well", "正常") if row.ok else t("failed", "失败")
    if row.reason is not None:
        verdict += f": {row.reason.pick()}"
    cells = (row.method, ran(row.report), f"{row.seconds:.0f}", verdict)
    return f"| {' | '.join(cells)} |"


def main(methods: list[str]) -> int:
    """Try the methods, all of the catalog when none is named; return the exit code."""
    head = t("| method | what ran | seconds | verdict |", "| 方法 | 运行内容 | 秒 | 结果 |")
    print(head, "| --- | --- | --- | --- |", sep="\n", flush=True)
    failed = 0
    for method in methods or load_catalog().names():
        with tempfile.TemporaryDirectory(prefix="sf-table-") as folder:
            row = try_method(method, Path(folder) / "lab")
        print(line(row), flush=True)
        failed += not row.ok
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

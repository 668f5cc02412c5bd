"""How ``sf smoke`` shows its report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starforge.cli.output import note, number, print_table, say, style, visible
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.i18n import Text
    from starforge.smoke.report import SmokeReport


def show(report: SmokeReport, *, err: bool = False) -> None:
    """Print the steps, then what was proved and what was not, or why it failed.

    With ``err`` only the failure, to standard error.
    """
    line = note if err else say
    if not err:
        _steps(report)
    if report.ok:
        for title, texts in (
            (t("proved", "已验证"), report.proved), (t("not proved", "未验证"), report.open),
        ):  # fmt: skip
            _listed(title, texts)
    else:
        _failed(report, err=err)
    if not err:
        _summary(report)
    if report.folder:
        line(t("kept: {folder}", "已保留：{folder}", folder=report.folder))


def _steps(report: SmokeReport) -> None:
    if report.steps:
        names = list(dict.fromkeys(name for step in report.steps for name in step.metrics))
        rows = [
            [step.step, *(number(step.metrics.get(name)) for name in names)]
            for step in report.steps
        ]
        print_table([t("step", "步"), *names], rows, right=range(len(names) + 1))
        say()
    if report.scores:
        columns = [t("benchmark", "评测"), t("metric", "指标"), t("value", "值"),
                   t("items", "题数")]  # fmt: skip
        rows = [
            [row.get("benchmark"), row.get("metric"), number(row.get("value")), row.get("items")]
            for row in report.scores
        ]
        print_table(columns, rows, right=(2, 3))
        say()


def _listed(title: str, texts: list[Text]) -> None:
    if not texts:
        return
    say(style(title, bold=True))
    for text in texts:
        say(f"  - {text.pick()}")


def _failed(report: SmokeReport, *, err: bool) -> None:
    line = note if err else say
    reason = visible(report.reason.pick()) if report.reason else ""
    line(style(t("smoke test failed: ", "试跑失败："), "red", bold=True, err=err) + reason)
    used = report.rows.get("train")
    if used is not None and used.lines:
        line(t("rows it used: lines {lines}", "用到的数据行：第 {lines} 行",
               lines=", ".join(map(str, used.lines))))  # fmt: skip
    if report.tail:
        line(t("last lines of its log:", "日志的最后几行："))
        for one in report.tail:
            line(f"  {visible(one)}")


def _summary(report: SmokeReport) -> None:
    done = {
        "train": ("trained", "已训练"),
        "score": ("scored", "已评测"),
        "script": ("ran", "已运行"),
        "look": ("looked at, not trained", "只检查，未训练"),
    }
    what = t(*done.get(report.mode, ("ran", "已运行")))
    say()
    say(
        t(
            "{method}: {what} in {seconds:.0f} s, after {setup:.0f} s of preparation",
            "{method}：{what}，用时 {seconds:.0f} 秒，准备 {setup:.0f} 秒",
            method=report.method,
            what=what,
            seconds=report.seconds,
            setup=report.setup_seconds,
        )
    )

"""``sf job logs|metrics|watch``: what a job writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import command, json_option, option
from starforge.cli.output import note, number, print_json, print_table, say, style
from starforge.cli.session import open_client
from starforge.cli.shared import job_argument
from starforge.lang import t
from starforge.streams.progress_bars import latest

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.wire.logs import LogLine, LogPage

ATTEMPT = ("Which attempt, from 0 (default: the last).", "第几次尝试，从 0 数起（默认最后一次）。")
PAGE = 5000  # log lines a request


@command(
    "logs",
    (
        "Print the log of a job.\n\nThe whole log by default, also after the job has ended. Of a "
        "progress bar that fills many lines the last state is shown; --json has all of them.",
        "输出任务日志。\n\n默认输出全部日志；任务结束后同样可以查看。"
        "占满许多行的进度条只显示最后的状态，--json 则包含全部行。",
    ),
    ("sf job logs my-sft --tail 50", ("the last 50 lines", "最后 50 行")),
    ("sf job logs my-sft --follow", ("as it is written, until the end", "持续输出直到结束")),
    ("sf job logs my-sft --search error", ("only lines with a text", "只看含某段文字的行")),
)
@job_argument
@option("--follow", "-f", is_flag=True, text=("Go on as it is written.", "持续输出新内容。"))
@option(
    "--tail",
    type=click.IntRange(0),
    metavar="N",
    text=("Only the last N lines.", "只看最后 N 行。"),
)
@option("--search", metavar="TEXT", text=("Only lines with this text.", "只看含这段文字的行。"))
@option("--attempt", type=click.IntRange(0), metavar="N", text=ATTEMPT)
@option("--role", metavar="ROLE", text=("Of this role.", "该角色的日志。"))
@option(
    "--rank", type=click.IntRange(0), metavar="N", text=("Of this process.", "该序号进程的日志。")
)
@json_option
def logs(job_id: str, follow: bool, as_json: bool, **where: Any) -> None:
    """With ``--follow --json`` each line is an object of its own."""
    search = where.pop("search")
    if follow and search:
        raise click.UsageError(
            t("--search can't be combined with --follow", "--search 不能与 --follow 同时使用")
        )
    with open_client() as client:
        if follow:
            _follow(client, job_id, as_json, where)
            return
        last = None
        lines: list[LogLine] = []
        for last in _pages(client, job_id, search, where):
            lines += last.lines if as_json else []
            folded = last.lines if search else latest(last.lines, lambda line: line.text)
            for line in () if as_json else folded:
                say(_shown(line))
    if last is None:
        return
    if as_json:
        print_json(last.model_copy(update={"lines": lines}))
        return
    others = [one.path for one in last.streams if last.stream and one.path != last.stream.path]
    if others:
        note(t("other logs: {logs}", "其他日志：{logs}", logs=", ".join(sorted(set(others)))))


def _follow(client: Client, job_id: str, as_json: bool, where: dict[str, Any]) -> None:
    for line in client.jobs.follow_logs(job_id, **where):
        # One object a line, so that a reader need not wait for the end.
        say(line.model_dump_json() if as_json else _shown(line))


def _shown(line: LogLine) -> str:
    """Return a line as it is shown; a very long one ends with a mark."""
    if not line.cut:
        return line.text
    mark = t("… [{n} more bytes in the raw log]", "…［原始日志中还有 {n} 字节］", n=line.cut)
    return line.text + style(mark, "yellow")


def _pages(
    client: Client, job_id: str, search: str | None, where: dict[str, Any]
) -> Iterator[LogPage]:
    """Fetch the log page by page, so that a huge one is never held whole; ``tail`` is one page."""
    tail = where.pop("tail")
    if tail is not None:
        yield client.jobs.logs(job_id, tail=tail, search=search, **where)
        return
    start = 0
    while True:
        page = client.jobs.logs(job_id, from_line=start, limit=PAGE, search=search, **where)
        yield page
        if not start < page.next_line < page.total_lines:
            return
        start = page.next_line


@command(
    "metrics",
    (
        "Show the curves of a job.\n\nA table of all metrics, or a plot with --name.",
        "显示任务的指标曲线。\n\n默认列出全部指标；用 --name 画出某一条曲线。",
    ),
    ("sf job metrics my-sft", ("all metrics", "全部指标")),
    ("sf job metrics my-sft --name loss", ("one, as a plot", "画出一条曲线")),
    ("sf job metrics my-sft --buckets 500 --json", ("for a script", "供脚本使用")),
)
@job_argument
@option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    text=("Only this metric. May be repeated.", "只看该指标，可重复使用。"),
)
@option(
    "--buckets",
    type=click.IntRange(1),
    metavar="K",
    text=("At most K points a curve, averaged.", "每条曲线最多 K 个点（取平均）。"),
)
@option("--attempt", type=click.IntRange(0), metavar="N", text=ATTEMPT)
@json_option
def metrics(
    job_id: str, names: tuple[str, ...], buckets: int | None, attempt: int | None, as_json: bool
) -> None:
    """The published shape is ``{NAME: {step: [], value: [], attempt: []}}``."""
    with open_client() as client:
        if as_json:
            say(client.jobs.metrics_json(job_id, names=names, buckets=buckets, attempt=attempt))
        elif names:
            _plots(client, job_id, names, buckets or 128, attempt)
        else:
            _table(client, job_id, attempt)


def _plots(
    client: Client, job_id: str, names: tuple[str, ...], buckets: int, attempt: int | None
) -> None:
    from starforge.cli.spark import plot

    curves = client.jobs.metrics(job_id, names=names, buckets=buckets, attempt=attempt)
    for name in names:
        curve = curves.get(name)
        if curve is None or not curve.step:
            raise _no_metric(name, [one.name for one in client.jobs.series(job_id)])
        last = next((value for value in reversed(curve.value) if value is not None), None)
        say(style(name, bold=True) + t("  last {v}", "  最新 {v}", v=number(last)))
        for line in plot(curve.step, curve.value):
            say(line)


def _no_metric(name: str, known: list[str]) -> Exception:
    from starforge.errors import StarForgeError
    from starforge.i18n import Text

    listed = ", ".join(known)
    hint = Text(f"it has: {listed}", f"现有指标：{listed}")
    return StarForgeError(
        "job/no-metric",
        Text(f"the job has no metric `{name}`", f"该任务没有指标 `{name}`"),
        hint if known else Text("it has logged none yet", "它还没有记录任何指标"),
        status=404,
    )


def _table(client: Client, job_id: str, attempt: int | None) -> None:
    from starforge.cli.spark import sparkline

    series = client.jobs.series(job_id)
    if not series:
        note(t("no metrics yet", "还没有指标"))
        return
    curves = client.jobs.metrics(job_id, buckets=24, attempt=attempt)
    ordered = sorted(series, key=lambda one: (not one.primary, one.name))
    print_table(
        [
            t("metric", "指标"),
            t("last", "最新"),
            t("min", "最小"),
            t("max", "最大"),
            t("points", "点数"),
            "",
        ],
        [
            (
                one.name,
                number(one.last_value),
                number(one.min),
                number(one.max),
                one.count,
                sparkline(curves[one.name].value) if one.name in curves else "",
            )
            for one in ordered
        ],
        right=(1, 2, 3, 4),
    )


@command(
    "watch",
    (
        "Watch a job until it ends.\n\nCtrl-C leaves; the job goes on. Exits with 0 when the job "
        "succeeded, else with 1.",
        "实时观看任务直到结束。\n\nCtrl-C 只退出观看，任务会继续。任务成功时退出码为 0，否则为 1。",
    ),
    ("sf job watch my-sft", ("state, progress, metrics, log", "状态、进度、指标与日志")),
)
@job_argument
@json_option
def watch_command(job_id: str, as_json: bool) -> None:
    """With ``--json`` nothing is shown before the end; then the job is printed."""
    from starforge.cli.watch import watch

    with open_client() as client:
        found = client.jobs.get(job_id)
        raise click.exceptions.Exit(watch(client, found.id, as_json=as_json))

"""``sf smoke``: try an experiment out on this machine, made small."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import argument, command, json_option, option, set_option
from starforge.cli.complete import complete_experiment
from starforge.cli.experiment import EXPERIMENT
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.i18n import Text
    from starforge.prepare import Prepared
    from starforge.smoke.report import SmokeReport


@command(
    "smoke",
    (
        "Take two optimizer steps of an experiment on this machine, made small.\n\nYour "
        "configuration, your longest rows, your reward and a tiny stand-in of your model's "
        "architecture with its real tokenizer run through the real framework on the CPU. It "
        "catches what reading can't: templates, masks, shapes, rewards, batches. Needs no server "
        "and leaves nothing behind. Exits with 1 when it failed.",
        "在本机把实验缩小，真正训练两步。\n\n使用你的配置、最长的几行数据、你的奖励，以及按模型结构"
        "制作的微型替身（分词器是真的），在 CPU 上运行真实的框架。能发现静态检查发现不了的问题："
        "模板、掩码、形状、奖励、批次。不需要服务，也不留下任何东西。失败时退出码为 1。",
    ),
    ("sf smoke my-grpo", ("before submitting it", "提交之前先试一试")),
    (
        "sf smoke my-grpo --model ../tiny-qwen",
        ("with a tiny model of your own", "使用自己的微型模型"),
    ),
    ("sf smoke my-grpo --keep --timeout 300", ("look at the job's folder", "保留任务目录供查看")),
)
@argument("experiment", EXPERIMENT, metavar="EXP", shell_complete=complete_experiment)
@set_option
@option(
    "--model",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    text=("A tiny model to use instead of a stand-in.", "用这个微型模型代替自动制作的替身。"),
)
@option("--keep", is_flag=True, text=("Keep the job's folder, and say where.", "保留任务目录。"))
@option(
    "--timeout",
    type=click.FloatRange(min=1),
    default=900.0,
    show_default=True,
    metavar="SECONDS",
    text=("Give up after this many seconds.", "超过这么多秒就放弃。"),
)
@json_option
def smoke(*, experiment: str, sets: tuple[str, ...], as_json: bool, **how: Any) -> None:
    """JSON is ``starforge.smoke.report.SmokeReport``, with texts in the chosen language."""
    from starforge.cli.experiment import prepare_named, refuse

    prepared = prepare_named(experiment, sets, None)
    if prepared.plan is None:
        refuse(prepared, as_json=as_json)
        raise click.exceptions.Exit(1)
    report = run_smoke(prepared, sets=sets, **how)
    if as_json:
        from starforge.cli.output import print_json

        print_json(report.to_public())
    else:
        from starforge.cli.smoke_view import show

        show(report)
    raise click.exceptions.Exit(0 if report.ok else 1)


def run_smoke(prepared: Prepared, **options: Any) -> SmokeReport:
    """Run it with a line for every stage; a signal to end is obeyed with nothing left behind."""
    from starforge.cli.output import note
    from starforge.client.catalogs import catalog_folder, connected_catalog
    from starforge.smoke.run import Options, smoke

    def say(text: Text) -> None:
        note(text.pick())

    catalog, _ = connected_catalog()
    wishes = Options(catalog=catalog, catalog_folder=catalog_folder(), **options)
    with _terminated_as_interrupt():
        return smoke(prepared, wishes, say)


@contextmanager
def _terminated_as_interrupt() -> Iterator[None]:
    """Let SIGTERM and SIGHUP unwind as Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {one: signal.signal(one, interrupt) for one in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def require_smoke(prepared: Prepared, sets: tuple[str, ...], *, as_json: bool) -> None:
    """Run a smoke test before a submission; exits with 1 when it failed."""
    from starforge.cli.output import note, print_json
    from starforge.cli.smoke_view import show

    report = run_smoke(prepared, sets=sets)
    if report.ok:
        note(t("smoke test passed", "试跑通过"))
        return
    if as_json:
        print_json(report.to_public())
    else:
        show(report, err=True)
    note(t("not submitted: the smoke test failed", "试跑失败，没有提交"))
    raise click.exceptions.Exit(1)

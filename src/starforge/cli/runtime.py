"""``sf runtime``: the pinned environments of this machine. Needs no server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import Group, argument, json_option, option
from starforge.cli.output import (
    console,
    duration,
    is_terminal,
    note,
    print_fields,
    print_json,
    print_table,
    say,
    size,
    style,
)
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.runtimes.build import Progress
    from starforge.runtimes.examine import DoctorReport
    from starforge.runtimes.registry import InstalledRuntime

DEVICE = click.Choice(["cpu", "cuda"])
DEVICE_TEXT = ("cpu or cuda (default: what this machine has).", "cpu 或 cuda（默认看本机）。")
NAME = ("The runtime, such as trl.", "运行环境的名字，如 trl。")


@click.group(
    "runtime",
    cls=Group,
    text=(
        "Install the pinned environments that methods run in.\n\nA runtime is a virtual "
        "environment built from a lock with every version fixed. They lie in the home of this "
        "machine and need no server.",
        "安装各方法所用的固定版本运行环境。\n\n运行环境是按锁文件构建的虚拟环境，"
        "每个包的版本都已固定，存放在本机的状态目录中，不需要服务。",
    ),
    examples=[("sf runtime install trl", ("what trl/sft runs in", "trl/sft 所用的环境"))],
)
def runtime() -> None:
    """Everything happens in the commands."""


@runtime.command(
    "ls",
    text=("List all runtimes and which are installed.", "列出全部运行环境及其安装情况。"),
    examples=[("sf runtime ls --json", ("for a script", "供脚本使用"))],
)
@json_option
def ls(as_json: bool) -> None:
    """JSON is a list of ``{name, device, digest, installed, path, python, size, download}``."""
    from starforge.home import starforge_home
    from starforge.runtimes import installed, specs

    built = installed(starforge_home())
    current = {(one.name, one.device): one for one in built if one.current}
    rows = [_row(spec, current.get((spec.name, spec.device))) for spec in specs()]
    rows += [
        _public(one) | {"download": None, "title": t("of an older version", "旧版本")}
        for one in built
        if not one.current
    ]
    if as_json:
        print_json(rows)
        return
    print_table(
        [
            t("runtime", "运行环境"),
            t("device", "设备"),
            t("installed", "已安装"),
            t("size", "大小"),
            t("download", "下载"),
            t("what it is", "说明"),
        ],
        [
            (
                row["name"],
                row["device"],
                t("yes", "是") if row["installed"] else t("no", "否"),
                size(row["size"]) if row["installed"] else f"~{size(row['size'])}",
                "" if row["installed"] else f"~{size(row['download'])}",
                row["title"],
            )
            for row in rows
        ],
    )


def _row(spec: Any, found: InstalledRuntime | None) -> dict[str, Any]:
    """Return one runtime of the catalog; ``size`` is an estimate until it is installed.

    ``download`` is what an installation would fetch.
    """
    row = {
        "name": spec.name,
        "device": spec.device,
        "digest": spec.digest,
        "installed": False,
        "path": None,
        "python": None,
        "size": spec.size,
        "download": spec.download,
    }
    if found is not None:
        row |= _public(found)
    return row | {"title": spec.title.pick()}


def _public(found: InstalledRuntime) -> dict[str, Any]:
    return {
        "name": found.name,
        "device": found.device,
        "digest": found.digest,
        "installed": True,
        "current": found.current,
        "path": str(found.path),
        "python": str(found.python),
        "python_version": found.python_version,
        "size": found.size,
    }


@runtime.command(
    "install",
    text=(
        "Build a runtime from its lock.\n\nUses pip as you have configured it. An installed "
        "runtime is left as it is; with --force it is built again.",
        "按锁文件构建运行环境。\n\n"
        "使用你自己的 pip 配置。已安装的保持原样；加 --force 会重新构建。",
    ),
    examples=[
        ("sf runtime install trl", ("for this machine's device", "按本机设备安装")),
        ("sf runtime install evalkit --device cpu", ("for the CPU", "安装 CPU 版")),
    ],
)
@argument("name", NAME)
@option("--device", type=DEVICE, text=DEVICE_TEXT)
@option("--force", is_flag=True, text=("Build it again.", "重新构建。"))
@json_option
def install(name: str, device: str | None, force: bool, as_json: bool) -> None:
    """An interrupted build leaves nothing that looks usable."""
    import time

    from starforge.home import starforge_home
    from starforge.runtimes import install as build

    began, started = time.time(), time.monotonic()
    with _progress(name, quiet=as_json) as tell:
        found = build(name, device, home=starforge_home(), progress=tell, force=force)
    if as_json:
        print_json(_public(found))
        return
    what = {"name": found.name, "device": found.device, "size": size(found.size)}
    if found.built_at < began:
        say(
            t(
                "{name} ({device}) is installed already: {size} (--force builds it again)",
                "{name}（{device}）此前已安装：{size}（--force 会重新构建）",
                **what,
            )
        )
        return
    say(
        t(
            "{name} ({device}) is installed: {size}, {time}",
            "{name}（{device}）已安装：{size}，用时 {time}",
            **what,
            time=duration(time.monotonic() - started),
        )
    )


@contextmanager
def _progress(name: str, *, quiet: bool) -> Iterator[Progress]:
    """Show a bar on a terminal; elsewhere a line now and then."""
    if quiet:
        yield lambda _message, _done, _total: None
        return
    if not is_terminal(err=True):
        yield _Lines(name)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(name),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console(err=True)) as bar:
        task = bar.add_task("", total=None)

        def tell(message: str, done: int | None, total: int | None) -> None:
            bar.update(task, description=message[:60], completed=done or 0, total=total)

        yield tell


class _Lines:
    """Progress as plain lines on stderr, at most one every two seconds."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._next = 0.0
        self._said = ""

    def __call__(self, message: str, done: int | None, total: int | None) -> None:
        import time

        if message == self._said or (done is not None and time.monotonic() < self._next):
            return
        self._next = time.monotonic() + 2.0
        self._said = message
        counted = f" [{done}/{total}]" if done is not None else ""
        note(f"{self._name}{counted} {message}")


@runtime.command(
    "doctor",
    text=(
        "Check that a runtime has every package of its lock and imports.\n\nWithout a name, all "
        "installed runtimes. Exits with 1 when something is wrong.",
        "检查运行环境的包是否与锁文件一致、能否导入。\n\n不给名字时检查全部已安装的运行环境。"
        "有问题时退出码为 1。",
    ),
    examples=[("sf runtime doctor trl", ("one runtime", "检查一个运行环境"))],
)
@argument("name", NAME, required=False)
@option("--device", type=DEVICE, text=DEVICE_TEXT)
@json_option
def doctor(name: str | None, device: str | None, as_json: bool) -> None:
    """JSON is one report, or a list of them without a name."""
    from starforge.home import starforge_home
    from starforge.runtimes import detect_device, installed
    from starforge.runtimes import doctor as examine

    home = starforge_home()
    if name is not None:
        reports = [examine(home, name, device or detect_device())]
    else:
        wanted = [(one.name, one.device) for one in installed(home) if one.current]
        reports = [
            examine(home, one, its) for one, its in wanted if device is None or its == device
        ]
    if as_json:
        shown = [report.to_public() for report in reports]
        print_json(shown[0] if name is not None else shown)
    else:
        _print_reports(reports)
    if any(not report.ok for report in reports):
        raise click.exceptions.Exit(1)


def _print_reports(reports: list[DoctorReport]) -> None:
    if not reports:
        note(t("no runtime is installed", "没有安装任何运行环境"))
    for report in reports:
        verdict = (
            style(t("ok", "正常"), "green") if report.ok else style(t("broken", "有问题"), "red")
        )
        say(f"{report.name} ({report.device}): {verdict}")
        print_fields(
            [
                ("  Python", report.python),
                (t("  packages", "  包"), report.packages),
                ("  GPU", ", ".join(report.gpus)),
                (t("  size", "  大小"), size(report.size) if report.size is not None else None),
                (t("  folder", "  位置"), report.path),
            ]
        )
        for problem in report.problems:
            say(f"  {style('-', 'red')} {problem.what.pick()}")
        if report.hint is not None:
            say(f"  {style(t('hint: ', '提示：'), 'cyan')}{report.hint.pick()}")


@runtime.command(
    "rm",
    text=(
        "Remove a runtime.\n\nRefused while a running job uses it.",
        "删除运行环境。\n\n有运行中的任务在使用时会拒绝。",
    ),
    examples=[("sf runtime rm trl --device cpu", ("free the space", "释放空间"))],
)
@argument("name", NAME)
@option("--device", type=DEVICE, text=DEVICE_TEXT)
@json_option
def rm(name: str, device: str | None, as_json: bool) -> None:
    """JSON is ``{name, device, freed}`` with bytes."""
    from starforge.home import starforge_home
    from starforge.runtimes import detect_device, remove

    home = starforge_home()
    which = device or detect_device()
    freed = remove(home, name, which, in_use=lambda one, its: _users(home, one, its))
    if as_json:
        print_json({"name": name, "device": which, "freed": freed})
    else:
        say(
            t(
                "removed {name} ({device}): {size} freed",
                "已删除 {name}（{device}），释放 {size}",
                name=name,
                device=which,
                size=size(freed),
            )
        )


def _users(home: Path, name: str, device: str) -> list[str]:
    """Ask this machine's server, when it runs, which jobs use a runtime."""
    from starforge.client.client import Client
    from starforge.client.embedded import home_token
    from starforge.client.process import running

    here = running(home)
    if here is None:
        return []
    with Client(here.url, home_token(home)) as client:
        for one in client.runtimes.all():
            if (one.name, one.device) == (name, device):
                return one.used_by
    return []

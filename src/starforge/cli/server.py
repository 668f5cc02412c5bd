"""``sf up``, ``sf down`` and ``sf status``: the embedded server."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starforge.cli.base import command, json_option, option
from starforge.cli.output import note, print_fields, print_json, say, size
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.client.process import Running
    from starforge.wire.server import ServerInfo


@command(
    "up",
    (
        "Start the embedded server, unless it runs already.\n\nCommands that need a server start "
        "it by themselves; this is for choosing host and port, or for running it in a service "
        "manager with --foreground. It listens on this machine only unless --host says otherwise.",
        "启动内嵌服务（若尚未运行）。\n\n需要服务的命令会自动启动它；本命令用于指定地址和端口，"
        "或配合 --foreground 交给进程管理器运行。除非用 --host 另行指定，否则只监听本机。",
    ),
    ("sf up", ("start it in the background", "在后台启动")),
    ("sf up --port 9000", ("on a port of your choice", "使用指定端口")),
    ("sf up --foreground", ("stay in this terminal", "在当前终端前台运行")),
)
@option("--host", metavar="HOST", text=("Address to listen on.", "监听地址。"))
@option("--port", type=int, metavar="PORT", text=("Port to listen on.", "监听端口。"))
@option("--foreground", is_flag=True, text=("Do not go to the background.", "在前台运行。"))
@json_option
def up(host: str | None, port: int | None, foreground: bool, as_json: bool) -> None:
    """A running server is left as it is, whatever host and port say."""
    from starforge.client.process import running, start
    from starforge.home import starforge_home

    home = starforge_home()
    if foreground:
        _become_server(home, host, port)
    here = running(home)
    started = False
    if here is None:
        here = start(home, host, port)
        started = here.ours
    if as_json:
        print_json(_status(here, home) | {"started": started})
        return
    if started:
        say(t("the server runs at {url}", "服务已启动：{url}", url=here.url))
    else:
        say(t("the server already runs at {url}", "服务已在运行：{url}", url=here.url))
        if host is not None or port is not None:
            note(
                t(
                    "it keeps its address; `sf down` first to change it",
                    "它的地址不变；要更换地址请先运行 `sf down`",
                )
            )
    _say_link(here, home)
    _say_configured()


def _say_link(here: Running, home: Path) -> None:
    """Print a link to the console that signs in; nothing for a server of another account."""
    from starforge.client.embedded import Target, home_token
    from starforge.client.sign_in import sign_in_link
    from starforge.errors import ExitCode, StarForgeError

    try:
        link = sign_in_link(Target(here.url, home_token(home), "embedded"))
    except StarForgeError as error:
        if error.exit_code != ExitCode.NOT_ALLOWED:
            raise
        return
    say(t("web console (signs in once): {link}", "网页控制台（链接限用一次）：{link}", link=link))


def _become_server(home: Path, host: str | None, port: int | None) -> None:
    env = os.environ | {"STARFORGE_HOME": str(home)}
    if host is not None:
        env["STARFORGE_HOST"] = host
    if port is not None:
        env["STARFORGE_PORT"] = str(port)
    note(
        t(
            "the server runs in this terminal; `sf status` shows its address, Ctrl-C stops it",
            "服务在当前终端运行；`sf status` 查看地址，Ctrl-C 停止",
        )
    )
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(sys.executable, [sys.executable, "-m", "starforge.server"], env)  # noqa: S606


def _say_configured() -> None:
    """Say when commands talk to another server than the embedded one."""
    from starforge.client.embedded import configured

    target = configured()
    if target is not None:
        note(
            t(
                "note: commands talk to {url} ({how})",
                "注意：各命令使用的是 {url}（{how}）",
                url=target.url,
                how="STARFORGE_URL" if target.origin == "environment" else "sf login",
            )
        )


@command(
    "down",
    (
        "Stop the embedded server.\n\nRunning jobs go on; the next server takes them up again.",
        "停止内嵌服务。\n\n运行中的任务会继续，服务下次启动后会重新接管它们。",
    ),
    ("sf down", ("stop it", "停止服务")),
)
@json_option
def down(as_json: bool) -> None:
    """Nothing to stop is fine."""
    from starforge.client.process import stop
    from starforge.home import starforge_home

    home = starforge_home()
    stopped = stop(home)
    if as_json:
        print_json(_status(None, home) | {"stopped": stopped.pid if stopped else None})
    elif stopped:
        say(t("stopped the server; running jobs go on", "服务已停止，运行中的任务会继续"))
    else:
        say(t("no server runs on {home}", "{home} 上没有服务在运行", home=home))


@command(
    "status",
    (
        "Show whether a server runs, where, and what it is doing.\n\nStarts nothing. Exits with 3 "
        "when the configured server can't be reached.",
        "查看服务是否在运行、地址以及在做什么。\n\n"
        "不会启动任何东西。配置的服务连不上时退出码为 3。",
    ),
    ("sf status", ("for a person", "直接查看")),
    ("sf status --json", ("for a script", "供脚本使用")),
)
@json_option
def status(as_json: bool) -> None:
    """With a configured server (``sf login``), its status is shown."""
    from starforge.client.embedded import configured, connect, connect_running
    from starforge.client.process import running
    from starforge.home import starforge_home

    home = starforge_home()
    target = configured()
    here = None if target else running(home)
    info: ServerInfo | None = None
    link = ""
    if target is not None or here is not None:
        opened = connect() if target else connect_running()
        assert opened is not None
        with opened as client:
            info = client.server()
            link = "" if as_json else client.sign_in_link()
    if as_json:
        print_json(_full_status(here, home, info, target.origin if target else "embedded"))
        return
    if info is None:
        say(t("no server runs on {home}", "{home} 上没有服务在运行", home=home))
        say(t("commands that need one start it", "需要服务的命令会自动启动它"))
        return
    _print_status(info, link)


def _status(here: Running | None, home: Path) -> dict[str, Any]:
    """Return the published shape of the embedded server's status."""
    return {
        "running": here is not None,
        "url": here.url if here else None,
        "pid": here.pid if here else None,
        "version": here.version if here else None,
        "home": str(home),
    }


def _full_status(
    here: Running | None, home: Path, info: ServerInfo | None, origin: str
) -> dict[str, Any]:
    shown = _status(here, home) | {"origin": origin}
    if info is not None:
        shown |= {"running": True} | info.model_dump(mode="json")
    return shown


def _print_status(info: ServerInfo, link: str) -> None:
    machine = info.machine
    jobs = ", ".join(f"{count} {state}" for state, count in info.jobs.items() if count)
    print_fields(
        [
            (t("server", "服务"), info.url),
            (t("version", "版本"), info.version),
            (t("process", "进程"), info.pid),
            (t("home", "状态目录"), info.home),
            (
                "CPU",
                t(
                    "{free} of {all} free",
                    "空闲 {free} / 共 {all}",
                    free=machine.cpus_free,
                    all=machine.cpus,
                ),
            ),
            ("GPU", _gpus(info)),
            (t("disk", "磁盘"), t("{n} free", "剩余 {n}", n=size(machine.disk_free_bytes))),
            (t("jobs", "任务"), jobs or t("none", "无")),
            (t("console", "控制台"), link),
        ]
    )
    note(t("the link of the console signs in once", "控制台的链接只能登录一次"))


def _gpus(info: ServerInfo) -> str:
    gpus = info.machine.gpus
    if not gpus:
        return t("none", "无")
    names = ", ".join(sorted({gpu.name for gpu in gpus}))
    free = t(
        "{free} of {all} free", "空闲 {free} / 共 {all}", free=info.machine.gpus_free, all=len(gpus)
    )
    return f"{free} ({names})"

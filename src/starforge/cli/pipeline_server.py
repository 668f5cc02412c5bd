"""``sf pipeline ls``, ``show``, ``resume`` and ``stop``: pipelines on the server."""

from __future__ import annotations

from typing import Any

import click

from starforge.cli.base import argument, command, json_option, option
from starforge.cli.output import print_json
from starforge.cli.session import open_client
from starforge.cli.shared import watch_option
from starforge.lang import t

RUN = (
    "A pipeline on the server: its id, the start of one, or a name (the newest).",
    "服务上的流水线：ID、ID 开头或名字（取最新的）。",
)


@command(
    "ls",
    ("List the pipelines of the server, newest first.", "列出服务上的流水线，最新的在前。"),
    ("sf pipeline ls --json", ("for a script", "供脚本使用")),
)
@option("--limit", type=click.IntRange(1, 200), default=20, metavar="N",
        text=("How many at most.", "最多显示几条。"))  # fmt: skip
@json_option
def ls(limit: int, as_json: bool) -> None:
    """JSON is a list of ``{id, name, state, counts, created_at, ...}``."""
    from starforge.cli.pipeline_view import print_list

    with open_client() as client:
        found = client.pipelines.page(size=limit).pipelines
    if as_json:
        print_json(found)
    else:
        print_list(found)


@command(
    "show",
    (
        "Show a pipeline: its stages, their jobs, gates and what kept them.",
        "查看一条流水线：各阶段、它们的任务、门槛和未通过的原因。",
    ),
    ("sf pipeline show math", ("the newest run of `math`", "`math` 最近一次运行")),
    ("sf pipeline show math --watch", ("until it ends", "实时观看直到结束")),
)
@argument("name", RUN, metavar="PIPELINE")
@watch_option
@json_option
def show(name: str, watch: bool, as_json: bool) -> None:
    """JSON is ``{id, name, state, stages: [{name, state, job, verdicts, ...}], ...}``."""
    from starforge.cli.pipeline_view import follow, print_pipeline

    with open_client() as client:
        if watch:
            raise click.exceptions.Exit(follow(client, name, as_json=as_json))
        found = client.pipelines.get(name)
    if as_json:
        print_json(found)
    else:
        print_pipeline(found)


@command(
    "resume",
    (
        "Go on with a pipeline that failed or was stopped.\n\nFinished stages are not run again; "
        "one that was stopped or failed goes on from its last checkpoint when it has one. After "
        "a change of files use `sf pipeline run`: it takes over every unchanged stage.",
        "让失败或被停止的流水线继续。\n\n已完成的阶段不会重跑；被停止或失败的阶段如有检查点，"
        "就从最后的检查点继续。改动过文件时请用 `sf pipeline run`：没有变化的阶段会直接沿用。",
    ),
    ("sf pipeline resume math", ("go on", "继续运行")),
)
@argument("name", RUN, metavar="PIPELINE")
@watch_option
@json_option
def resume(name: str, watch: bool, as_json: bool) -> None:
    """JSON is the pipeline."""
    from starforge.cli.pipeline_view import follow

    with open_client() as client:
        made = client.pipelines.resume(name)
        if watch:
            raise click.exceptions.Exit(follow(client, made.id, as_json=as_json))
    _say(made, t("pipeline {id} goes on", "流水线 {id} 继续运行", id=made.id), as_json=as_json)


@command(
    "stop",
    (
        "Stop a pipeline: running stages are asked to stop, no more are started.",
        "停止流水线：正在运行的阶段会收到停止请求，不再启动新的阶段。",
    ),
    ("sf pipeline stop math", ("stop it", "停止")),
)
@argument("name", RUN, metavar="PIPELINE")
@json_option
def stop(name: str, as_json: bool) -> None:
    """JSON is the pipeline."""
    from starforge.cli.output import state_name

    with open_client() as client:
        made = client.pipelines.stop(name)
    state = state_name(made.state)
    text = t("pipeline {id} is {state}", "流水线 {id}：{state}", id=made.id, state=state)
    _say(made, text, as_json=as_json)


def _say(made: Any, text: str, *, as_json: bool) -> None:
    from starforge.cli.output import say

    if as_json:
        print_json(made)
    else:
        say(text)

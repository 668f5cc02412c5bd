"""``sf submit``: run an experiment as a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import argument, command, json_option, option, set_option
from starforge.cli.complete import complete_experiment
from starforge.cli.experiment import EXPERIMENT
from starforge.cli.shared import key_option, priority_option, watch_option
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.prepare import Prepared
    from starforge.wire.jobs import JobDetail


@command(
    "submit",
    (
        "Check an experiment and run it as a job.\n\nWhat runs is what `sf plan` shows. With "
        "--watch, a live view follows until the job has ended (exit code 0 when it succeeded, "
        "else 1); Ctrl-C leaves the view and the job goes on.",
        "检查实验并作为任务运行。\n\n运行的内容就是 `sf plan` 所示。"
        "加 --watch 会实时观看直到任务结束（成功退出码为 0，否则为 1）；"
        "Ctrl-C 只退出观看，任务会继续。",
    ),
    ("sf submit my-sft --watch", ("run and watch", "提交并实时观看")),
    ("sf submit my-sft --set learning_rate=1e-5 --name lr-1e-5", ("a variation", "改一个参数再跑")),
    ("sf submit my-grpo --smoke-first", ("only when it runs at all", "先试跑，跑得通才提交")),
    (
        "sf submit my-sft --key nightly-2026-01-31",
        ("at most once, even when repeated", "重复执行也只提交一次"),
    ),
)
@argument("experiment", EXPERIMENT, metavar="EXP", shell_complete=complete_experiment)
@set_option
@option("--profile", metavar="PROFILE", text=("Instead of `resources`.", "替换 `resources`。"))
@option(
    "--name",
    metavar="NAME",
    text=("Name of the job (else the experiment's).", "任务名（默认用实验的名字）。"),
)
@priority_option
@watch_option
@key_option
@option(
    "--smoke-first",
    is_flag=True,
    text=(
        "Take two steps of it here first; submit when they went well (see `sf smoke`).",
        "先在本机缩小试跑两步，成功才提交（见 `sf smoke`）。",
    ),
)
@option(
    "--update-lock",
    is_flag=True,
    text=(
        "Accept what changed since the experiment was locked.",
        "接受实验锁定之后的变化。",
    ),
)
@json_option
def submit(
    *,
    experiment: str,
    watch: bool,
    smoke_first: bool,
    update_lock: bool,
    as_json: bool,
    **what: Any,
) -> None:
    """JSON is the job: ``{id, name, state, ...}``; with ``--watch`` as it ended."""
    from starforge.cli.experiment import prepare_named, refuse, show_findings
    from starforge.cli.session import open_client

    if update_lock:
        from starforge.cli.recipe import update_lock as accept

        accept(experiment)
    prepared = prepare_named(experiment, what["sets"], what["profile"], launch=True)
    if prepared.plan is None:
        refuse(prepared, as_json=as_json)
        raise click.exceptions.Exit(1)
    if not as_json:
        show_findings(prepared, err=True)
    if smoke_first:
        from starforge.cli.smoke import require_smoke

        require_smoke(prepared, what["sets"], as_json=as_json)
    with open_client() as client:
        submit_prepared(client, prepared, watch=watch, as_json=as_json, **what)


def submit_prepared(
    client: Client, prepared: Prepared, *, watch: bool, as_json: bool, **what: Any
) -> None:
    """Submit, say so, and watch when asked to; exits with the watched job's code."""
    from starforge.client.errors import ServerError
    from starforge.client.submit import submit as send

    try:
        job = send(client, prepared, **what)
    except ServerError as error:
        _say_differences(prepared, error.detail)
        raise
    if watch:
        from starforge.cli.watch import watch as follow

        if not as_json:
            _say_submitted(job, client.url, watching=True)
        raise click.exceptions.Exit(follow(client, job.id, as_json=as_json))
    if as_json:
        from starforge.cli.output import print_json

        print_json(job)
    else:
        _say_submitted(job, client.url, watching=False)


def _say_submitted(job: JobDetail, url: str, *, watching: bool) -> None:
    from starforge.cli.output import say

    say(
        t("submitted as job {id} ({name})", "已提交为任务 {id}（{name}）", id=job.id, name=job.name)
    )
    if not watching:
        say(
            t(
                "watch it: `sf job watch {id}`   server: {url}",
                "实时观看：`sf job watch {id}`   服务：{url}",
                id=job.id,
                url=url,
            )
        )


def _say_differences(prepared: Prepared, detail: dict[str, Any]) -> None:
    """Show in what the server's plan is another than ours."""
    from starforge.cli.output import note
    from starforge.cli.plan import public_plan
    from starforge.cli.plan_differences import differences

    if prepared.plan is not None and isinstance(detail.get("plan"), dict):
        for line in differences(public_plan(prepared.plan), detail["plan"]):
            note(f"  {line}")

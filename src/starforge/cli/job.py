"""``sf job``: look at jobs and steer them."""

from __future__ import annotations

from typing import Any

import click

from starforge.cli.base import Group, argument, json_option, option
from starforge.cli.job_config import config
from starforge.cli.job_experiment import experiment
from starforge.cli.job_record import record, rerun
from starforge.cli.job_samples import samples
from starforge.cli.job_streams import logs, metrics, watch_command
from starforge.cli.job_wait import wait
from starforge.cli.output import (
    ago,
    note,
    number,
    print_json,
    print_table,
)
from starforge.cli.session import open_client, print_job
from starforge.cli.shared import job_argument, jobs_argument
from starforge.lang import t

STATES = [
    "queued",
    "starting",
    "running",
    "stopping",
    "succeeded",
    "failed",
    "stopped",
    "unreachable",
]


@click.group(
    "job",
    cls=Group,
    text=(
        "Look at jobs and steer them.\n\nA job is named by its id, by the start of one, or by its "
        "name (the newest job of that name).",
        "查看和控制任务。\n\n可以用 ID、ID 的开头或名字（取该名字最新的任务）指定任务。",
    ),
    examples=[
        ("sf job ls", ("the newest jobs", "最近的任务")),
        ("sf job watch my-sft", ("watch one until it ends", "实时观看直到结束")),
    ],
)
def job() -> None:
    """Everything happens in the commands."""


@job.command(
    "ls",
    text=("List jobs, newest first.", "列出任务，最新的在前。"),
    examples=[
        ("sf job ls --state running --state queued", ("what is going on", "正在进行的任务")),
        ("sf job ls --method trl/sft --json", ("for a script", "供脚本使用")),
    ],
)
@option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice(STATES),
    metavar="STATE",
    text=("Only jobs in this state. May be repeated.", "只列出该状态的任务，可重复使用。"),
)
@option("--method", metavar="METHOD", text=("Only jobs of this method.", "只列出该方法的任务。"))
@option("--tag", metavar="TAG", text=("Only jobs with this tag.", "只列出带该标签的任务。"))
@option("--model", metavar="M", text=("Only jobs on this model.", "只列出使用该模型的任务。"))
@option("--owner", metavar="USER", text=("Only jobs of this person.", "只列出此人的任务。"))
@option("--search", metavar="TEXT", text=("Only jobs with this text.", "按文字查找。"))
@option(
    "--sort",
    metavar="KEY",
    text=(
        "created_at, name, state, method, updated_at or headline:METRIC; `-` first: descending.",
        "created_at、name、state、method、updated_at 或 headline:指标；前面加 `-` 表示降序。",
    ),
)
@option(
    "--limit",
    type=click.IntRange(1, 500),
    default=50,
    show_default=True,
    text=("How many at most.", "最多列出多少个。"),
)
@option("--page", "page", type=click.IntRange(1), default=1, text=("Which page.", "第几页。"))
@json_option
def ls(states: tuple[str, ...], limit: int, page: int, as_json: bool, **where: Any) -> None:
    """JSON is a list of jobs."""
    from datetime import datetime

    from starforge.client.embedded import reach
    from starforge.client.light import get_json

    asked = {"state": ",".join(states), "size": limit, "page": page, **where}
    found = get_json(reach(notify=note), "/jobs", asked)
    jobs = found["jobs"]
    if as_json:
        print_json(jobs)
        return
    if not jobs:
        note(t("no jobs", "没有任务"))
        return
    rows = []
    for one in jobs:
        progress = one["progress"] or {}
        done = f"{progress['step']}/{progress['total'] or '?'}" if progress.get("step") else ""
        headline = "  ".join(f"{name} {number(value)}" for name, value in one["headline"].items())
        created = datetime.fromisoformat(one["created_at"])
        shown = (one["id"], one["name"], one["method"], one["state"])
        rows.append((*shown, done, headline, ago(created)))
    print_table(
        [
            "ID",
            t("name", "名字"),
            t("method", "方法"),
            t("state", "状态"),
            t("step", "步数"),
            t("metrics", "指标"),
            t("created", "创建"),
        ],
        rows,
        state=3,
    )
    if found["total"] > len(jobs):
        count = found["total"]
        note(t("{n} of {all} jobs", "共 {all} 个，显示 {n} 个", n=len(jobs), all=count))


@job.command(
    "show",
    text=("Show everything about a job.", "显示任务的全部信息。"),
    examples=[
        ("sf job show my-sft", ("state, attempts, outputs", "状态、各次尝试与产出")),
        ("sf job show my-sft --json", ("for a script", "供脚本使用")),
    ],
)
@job_argument
@json_option
def show(job_id: str, as_json: bool) -> None:
    """The published shape of ``sf job show``."""
    from starforge.cli.job_view import print_detail

    with open_client() as client:
        found = client.jobs.get(job_id)
    if as_json:
        print_json(found)
    else:
        print_detail(found)


@job.command(
    "stop",
    text=(
        "Ask jobs to end.\n\nEach gets its grace period to save what it has; with --force it is "
        "ended at once.",
        "停止任务。\n\n任务有一段宽限时间保存进度；加 --force 则立即结束。",
    ),
    examples=[
        ("sf job stop my-sft", ("with grace", "宽限停止")),
        ("sf job stop my-sft --wait", ("and wait until it has ended", "并等待它结束")),
    ],
)
@jobs_argument
@option("--force", is_flag=True, text=("No grace period.", "不留宽限时间。"))
@option("--wait", is_flag=True, text=("Wait until it has ended.", "等待任务结束。"))
@json_option
def stop(job_ids: tuple[str, ...], force: bool, wait: bool, as_json: bool) -> None:
    """Stopping a job that has ended changes nothing. JSON of several jobs is a list."""
    from starforge.cli.job_bulk import stop_jobs

    stop_jobs(job_ids, force=force, wait=wait, as_json=as_json)


@job.command(
    "resume",
    text=(
        "Go on from the last checkpoint, as a new attempt of the same job.",
        "从最近的检查点继续，作为同一任务的又一次尝试。",
    ),
    examples=[("sf job resume my-sft", ("after a stop or a crash", "停止或崩溃之后继续"))],
)
@job_argument
@json_option
def resume(job_id: str, as_json: bool) -> None:
    """Only an ended job with a checkpoint can go on."""
    with open_client() as client:
        found = client.jobs.resume(job_id)
    text = t(
        "job {id} goes on with attempt {n}",
        "任务 {id} 继续运行（第 {n} 次）",
        id=found.id,
        n=found.attempt,
    )
    print_job(found, text, as_json=as_json)


@job.command(
    "retry",
    text=(
        "Run an ended job again from scratch, as a new attempt.",
        "把已结束的任务从头再运行一次。",
    ),
    examples=[("sf job retry my-sft", ("once more", "再来一次"))],
)
@job_argument
@json_option
def retry(job_id: str, as_json: bool) -> None:
    """What the earlier attempts left is kept."""
    with open_client() as client:
        found = client.jobs.retry(job_id)
    text = t(
        "job {id} starts again as attempt {n}",
        "任务 {id} 重新开始（第 {n} 次）",
        id=found.id,
        n=found.attempt,
    )
    print_job(found, text, as_json=as_json)


@job.command(
    "delete",
    text=(
        "Delete jobs and everything they left.\n\nAsks first when you are at a terminal.",
        "删除任务及其全部产出。\n\n在终端中会先询问。",
    ),
    examples=[
        ("sf job delete my-sft --yes", ("without asking", "不询问直接删除")),
        ("sf job delete my-sft old-run", ("several at once", "一次删除多个")),
    ],
)
@jobs_argument
@option("--force", is_flag=True, text=("Stop it first if it runs.", "若在运行则先停止。"))
@option("--yes", "-y", is_flag=True, text=("Do not ask.", "不询问。"))
@json_option
def delete(job_ids: tuple[str, ...], force: bool, yes: bool, as_json: bool) -> None:
    """The records, checkpoints and models of the jobs go with them."""
    from starforge.cli.job_bulk import delete_jobs

    delete_jobs(job_ids, force=force, ask=not yes and not as_json, as_json=as_json)


@job.command(
    "edit",
    text=(
        "Change what is said about jobs: name, description, tags, priority.",
        "修改任务的名字、描述、标签和优先级。",
    ),
    examples=[
        ("sf job edit my-sft --tag keep --untag draft", ("change its tags", "修改标签")),
        ("sf job edit my-sft --description 'best so far'", ("say what it is", "写上说明")),
        ("sf job edit my-sft --priority 10", ("before others in the queue", "在队列中提前")),
    ],
)
@jobs_argument
@option("--name", metavar="NAME", text=("A new name (of one job).", "新名字（仅限一个任务）。"))
@option("--description", metavar="TEXT", text=("What it is; '' for none.", "说明，'' 表示清空。"))
@option("--tag", "tags", multiple=True, metavar="TAG", text=("Add a tag.", "添加标签。"))
@option("--untag", "untags", multiple=True, metavar="TAG", text=("Take a tag away.", "去掉标签。"))
@option(
    "--priority",
    type=click.IntRange(-1000, 1000),
    metavar="N",
    text=("Higher goes first; only while queued.", "数字越大越先运行，仅在排队时可改。"),
)
@json_option
def edit(*, job_ids: tuple[str, ...], as_json: bool, **changes: Any) -> None:
    """JSON is the job, or a list of jobs."""
    from starforge.cli.job_bulk import edit_jobs

    edit_jobs(job_ids, as_json=as_json, **changes)


@job.command(
    "import",
    text=(
        "Bring in a folder that `starforge.report` wrote without a server.",
        "导入 `starforge.report` 在没有服务时写下的文件夹。",
    ),
    examples=[
        (
            "sf job import starforge-runs/20260101-120000-4242",
            ("a run made without a server", "离线运行的结果"),
        ),
    ],
)
@argument("folder", ("The folder.", "文件夹。"), type=click.Path(exists=True, file_okay=False))
@option("--name", metavar="NAME", text=("Name of the job.", "任务的名字。"))
@json_option
def import_(folder: str, name: str | None, as_json: bool) -> None:
    """The folder must lie on the server's machine."""
    from pathlib import Path

    with open_client() as client:
        found = client.jobs.import_folder(str(Path(folder).resolve()), name)
    text = t(
        "imported as job {id} ({name})", "已导入为任务 {id}（{name}）", id=found.id, name=found.name
    )
    print_job(found, text, as_json=as_json)


for _command in (config, experiment, logs, metrics, record, rerun, samples, wait, watch_command):
    job.add_command(_command)

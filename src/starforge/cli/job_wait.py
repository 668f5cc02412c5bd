"""``sf job wait``: wait until a job, and what follows it, has ended."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from starforge.cli.base import command, json_option, option
from starforge.cli.shared import job_argument
from starforge.errors import ExitCode
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.wire.jobs import Job, JobDetail

MAKING = 0.5  # seconds between looks while the follow-ups are made


@command(
    "wait",
    (
        "Wait until a job has ended.\n\nExit code 0 when it succeeded, else 1. With --then also "
        "what follows it (`then` of experiment.yaml) must have ended, and succeeded.",
        "等待任务结束。\n\n成功时退出码为 0，否则为 1。加 --then 时还会等待它的后续任务"
        "（experiment.yaml 的 `then`），后续任务也必须成功。",
    ),
    ("sf job wait my-sft && sf job show my-sft", ("in a script", "在脚本中使用")),
    ("sf job wait my-sft --then", ("also its export and scores", "连同导出检查和评测")),
)
@job_argument
@option("--then", "then", is_flag=True, text=("Also what follows it.", "连同它的后续任务。"))
@json_option
def wait(job_id: str, then: bool, as_json: bool) -> None:
    """JSON is the job as it ended, with its ``children``."""
    from starforge.cli.output import print_json, say, state_name
    from starforge.cli.session import open_client

    with open_client() as client:
        found = _ended(client, job_id)
        lost: list[str] = []
        if then and found.state == "succeeded":
            found, lost = _with_children(client, found)
    fine = found.state == "succeeded" and not lost
    if then:
        fine = fine and all(one.state == "succeeded" for one in _steps(found))
    if as_json:
        print_json(found)
    else:
        for one in [found, *(_steps(found) if then else [])]:
            state = state_name(one.state)
            say(t("job {id} ({name}): {state}", "任务 {id}（{name}）：{state}",
                  id=one.id, name=one.name, state=state))  # fmt: skip
        for text in lost:
            say(text)
    raise click.exceptions.Exit(ExitCode.OK if fine else ExitCode.NOT_FINE)


def _ended(client: Client, job_id: str) -> JobDetail:
    job = client.jobs.get(job_id)
    for _ in client.jobs.follow(job.id):
        pass
    return client.jobs.get(job.id)


def _steps(job: JobDetail) -> list[Job]:
    """Return the jobs of ``then``, without those that stages of a pipeline made of its model."""
    return [one for one in job.children if one.pipeline is None]


def _with_children(client: Client, job: JobDetail) -> tuple[JobDetail, list[str]]:
    """Wait until all steps were made (or refused) and have ended."""
    while job.follow_ups == "due":
        time.sleep(MAKING)
        job = client.jobs.get(job.id)
    for one in _steps(job):
        _ended(client, one.id)
    refused = [
        event.text or ""
        for event in client.jobs.events(job.id)
        if event.kind == "follow_up_refused"
    ]
    return client.jobs.get(job.id), refused

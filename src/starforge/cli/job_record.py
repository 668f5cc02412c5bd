"""``sf job record`` and ``sf job rerun``: all that defined a job, and the same job again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import argument, command, json_option, option, set_option
from starforge.cli.complete import complete_job
from starforge.cli.shared import job_argument, key_option, watch_option
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.client.recorded import Recording
    from starforge.wire.jobs import JobDetail

ENDING = ".sfrecord"


@command(
    "record",
    (
        "Export all that defined a job as one file.\n\nThe file holds the experiment, its rows, "
        "what was submitted, the plan with every pinned version, the commit and the differences "
        "from it. The model does not travel; it is named with its digest. "
        "`sf job rerun FILE` makes the job again, on this server or another.",
        "把定义一个任务的全部内容导出为一个文件。\n\n文件包含实验及其数据、提交的内容、"
        "含所有固定版本的计划、git 提交及其差异。模型不随文件携带，只记录其摘要。"
        "`sf job rerun 文件` 可在本服务或其他服务上重跑该任务。",
    ),
    ("sf job record my-sft", ("write my-sft-ID.sfrecord", "写出 my-sft-ID.sfrecord")),
    ("sf job record my-sft -o paper/table-2.sfrecord", ("keep it", "留存")),
)
@job_argument
@option(
    "--output",
    "-o",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    text=("Where to write it.", "写到哪里。"),
)
@option("--force", is_flag=True, text=("Replace a file that is there.", "覆盖已有的文件。"))
@json_option
def record(job_id: str, output: Path | None, *, force: bool, as_json: bool) -> None:
    """JSON is ``{file, job, method, plan_digest, bytes}``."""
    from starforge.cli.output import print_json, say
    from starforge.cli.session import open_client
    from starforge.client.recorded import save

    with open_client() as client:
        job = client.jobs.get(job_id)
        target = output or Path(f"{_file_name(job)}{ENDING}")
        if target.exists() and not force:
            raise StarForgeError(
                "record/exists",
                Text(f"{target} is there already", f"{target} 已存在"),
                Text(
                    "name another with `-o`, or add `--force`", "用 `-o` 换个名字，或加 `--force`"
                ),
            )
        recording = save(client, job.id, target)
    size = target.stat().st_size
    if as_json:
        fields = {"job": recording.job, "method": recording.method}
        digest = recording.plan_digest
        print_json({"file": str(target), **fields, "plan_digest": digest, "bytes": size})
        return
    say(
        t(
            "wrote {file} ({size} KiB)",
            "已写出 {file}（{size} KiB）",
            file=target,
            size=size // 1024,
        )
    )
    say(t("run it again: `sf job rerun {file}`", "重跑：`sf job rerun {file}`", file=target))


def _file_name(job: JobDetail) -> str:
    """Return a file name from a job's name, which may hold anything but a slash."""
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in job.name).strip("-.")
    return f"{plain[:60] or 'job'}-{job.id}"


@command(
    "rerun",
    (
        "Make the same job again, from its record.\n\nWithout changes the server must come to "
        "the recorded plan, to the digest; else it says what is different. Where the framework "
        "is deterministic the curves are the same to the last digit (see the documentation).",
        "按记录重新运行同一个任务。\n\n不加改动时，服务必须得到与记录的摘要完全一致的计划，"
        "否则会说明差异。框架具有确定性时，曲线会完全相同（见文档）。",
    ),
    ("sf job rerun my-sft --watch", ("the same again", "原样重跑")),
    ("sf job rerun my-sft --set seed=7", ("with one change", "只改一处")),
    (
        "sf job rerun table-2.sfrecord --model models/base",
        ("on another server", "在另一台服务上"),
    ),
)
@argument(
    "what",
    ("A job, or a file that `sf job record` wrote.", "任务，或 `sf job record` 写出的文件。"),
    metavar="JOB|FILE",
    shell_complete=complete_job,
)
@option("--name", metavar="NAME", text=("Name of the new job.", "新任务的名字。"))
@set_option
@option(
    "--model",
    metavar="MODEL",
    text=("Another model (the record names it only).", "换用其他模型（记录中只有它的名字）。"),
)
@option(
    "--anyway",
    is_flag=True,
    text=("Also when the plan is another one.", "即使计划不同也运行。"),
)
@key_option
@watch_option
@json_option
def rerun(what: str, *, watch: bool, as_json: bool, key: str | None, **how: Any) -> None:
    """JSON is the new job: ``{id, name, state, rerun_of, ...}``."""
    import uuid

    from starforge.cli.session import open_client

    with open_client() as client:
        made = _submit(client, what, key or uuid.uuid4().hex, how)
        _show(client, made, watch=watch, as_json=as_json)


def _submit(client: Client, what: str, key: str, how: dict[str, Any]) -> JobDetail:
    from starforge.client.errors import ServerError
    from starforge.client.recorded import Changes, again, load, record_of, upload, with_rows_at_hand
    from starforge.client.submit import persistently

    file = Path(what)
    if what.endswith(ENDING) or file.is_file():
        recording = load(file)
        persistently(lambda: upload(client, recording, file))
        recording = _here(client, with_rows_at_hand(client, recording))
    else:
        recording = record_of(client, what)[0]
    changes = Changes(
        name=how["name"],
        replace={"model": _absolute(how["model"])} if how["model"] else {},
        sets=tuple(how["sets"]),
        anyway=how["anyway"],
    )
    try:
        return persistently(lambda: again(client, recording, changes, key=key))
    except ServerError as error:
        if error.code == "submit/plan-differs":
            _say_differences(recording, error)
        raise


def _here(client: Client, recording: Recording) -> Recording:
    if recording.plan_digest is None:
        from starforge.cli.output import note

        note(
            t(
                "this server lacks the recorded datasets; their rows come from the file",
                "本服务没有记录中的数据集，将使用文件中携带的数据",
            )
        )
    return recording


def _absolute(model: str) -> str:
    """Return a folder by its full path, as the record's own experiment lies elsewhere."""
    path = Path(model).expanduser()
    return str(path.resolve()) if path.is_dir() else model


def _say_differences(recording: Recording, error: Any) -> None:
    from starforge.cli.output import note
    from starforge.cli.plan_differences import differences

    plan = error.detail.get("plan")
    if isinstance(plan, dict):
        for line in differences(recording.plan, plan):
            note(f"  {line}")
    note(t("`--anyway` runs it all the same", "加 `--anyway` 仍然运行"))


def _show(client: Client, job: JobDetail, *, watch: bool, as_json: bool) -> None:
    from starforge.cli.output import print_json, say

    if not as_json:
        say(
            t(
                "submitted as job {id} ({name})",
                "已提交为任务 {id}（{name}）",
                id=job.id,
                name=job.name,
            )
        )
    if watch:
        from starforge.cli.watch import watch as follow

        raise click.exceptions.Exit(follow(client, job.id, as_json=as_json))
    if as_json:
        print_json(job)

"""What ``sf job stop``, ``delete`` and ``edit`` do, for one job or several."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.output import is_terminal, note, print_json, say, state_name
from starforge.cli.session import open_client
from starforge.errors import ExitCode, StarForgeError
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.wire.jobs import JobDetail


def stop_jobs(refs: Sequence[str], *, force: bool, wait: bool, as_json: bool) -> None:
    """Ask jobs to end, all of them before waiting for any."""
    with open_client() as client:
        done = _each(refs, lambda ref: client.jobs.stop(ref, force=force))
        if wait:
            done = [_ended(client, one) for one in done]
    _print(
        [one.model_dump(mode="json") for one in done],
        [
            t("job {id} is {state}", "任务 {id}：{state}", id=one.id, state=state_name(one.state))
            for one in done
        ],
        many=len(refs) > 1,
        as_json=as_json,
    )
    _exit(refs, done)


def _ended(client: Client, job: JobDetail) -> JobDetail:
    for _ in client.jobs.follow(job.id):
        pass
    return client.jobs.get(job.id)


def delete_jobs(refs: Sequence[str], *, force: bool, ask: bool, as_json: bool) -> None:
    """Delete jobs with all they left; at a terminal their names are asked about first."""
    with open_client() as client:
        found = _each(refs, client.jobs.get)
        if ask and found and is_terminal():
            click.confirm(_question(found), abort=True, err=True)

        def remove(job: JobDetail) -> JobDetail:
            client.jobs.delete(job.id, force=force)
            return job

        done = _each(found, remove, many=len(refs) > 1)
    _print(
        [{"id": one.id, "name": one.name, "deleted": True} for one in done],
        [
            t("deleted job {id} ({name})", "已删除任务 {id}（{name}）", id=one.id, name=one.name)
            for one in done
        ],
        many=len(refs) > 1,
        as_json=as_json,
    )
    _exit(refs, done)


def _question(jobs: Sequence[JobDetail]) -> str:
    if len(jobs) == 1:
        return t(
            "delete job {id} ({name}) with its checkpoints and models?",
            "删除任务 {id}（{name}）及其检查点和模型？",
            id=jobs[0].id,
            name=jobs[0].name,
        )
    return t(
        "delete these {n} jobs with their checkpoints and models: {names}?",
        "删除这 {n} 个任务及其检查点和模型：{names}？",
        n=len(jobs),
        names=", ".join(f"{one.name} ({one.id})" for one in jobs),
    )


def edit_jobs(
    refs: Sequence[str],
    *,
    name: str | None,
    description: str | None,
    tags: Sequence[str],
    untags: Sequence[str],
    priority: int | None,
    as_json: bool,
) -> None:
    """Change what is said about jobs."""
    from starforge.wire.edits import JobEdit

    given: dict[str, Any] = {
        "name": name,
        "priority": priority,
        "add_tags": list(tags) or None,
        "remove_tags": list(untags) or None,
        "description": description,
    }
    given = {key: value for key, value in given.items() if value is not None}
    if not given:
        raise click.UsageError(
            t("there is nothing to change: give --tag, --name, ...",
              "没有要修改的内容：请给出 --tag、--name 等选项")
        )  # fmt: skip
    if name is not None and len(refs) > 1:
        raise click.UsageError(t("--name is for one job", "--name 只能用于一个任务"))
    try:
        request = JobEdit(**given)
    except ValueError as error:
        raise click.UsageError(
            t("a tag has at most 100 characters, a description 10000",
              "标签最多 100 个字符，说明最多 10000 个字符")
        ) from error  # fmt: skip
    with open_client() as client:
        done = _each(refs, lambda ref: client.jobs.edit(ref, request))
    _print(
        [one.model_dump(mode="json") for one in done],
        [
            t("changed job {id} ({name})", "已修改任务 {id}（{name}）", id=one.id, name=one.name)
            for one in done
        ],
        many=len(refs) > 1,
        as_json=as_json,
    )
    _exit(refs, done)


def _each(
    what: Sequence[Any], act: Callable[[Any], JobDetail], *, many: bool | None = None
) -> list[JobDetail]:
    """Act on each. One alone raises its error; of several the others go on."""
    if not (len(what) > 1 if many is None else many):
        return [act(one) for one in what]
    done = []
    for one in what:
        try:
            done.append(act(one))
        except StarForgeError as error:
            if error.exit_code != ExitCode.NOT_FINE:  # about the server, not this job
                raise
            note(t("error: {text}", "错误：{text}", text=error.message.pick()))
            if error.hint:
                note(t("hint: {text}", "提示：{text}", text=error.hint.pick()))
    return done


def _print(
    shapes: list[dict[str, Any]], lines: Sequence[str], *, many: bool, as_json: bool
) -> None:
    if as_json:
        print_json(shapes if many else shapes[0])
        return
    for line in lines:
        say(line)


def _exit(refs: Sequence[str], done: Sequence[object]) -> None:
    if len(done) < len(refs):
        sys.exit(1)

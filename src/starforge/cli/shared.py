"""Arguments and options that several commands take, each in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from starforge.cli.base import argument, option
from starforge.cli.complete import complete_job

F = TypeVar("F", bound=Callable[..., Any])


def job_argument(function: F) -> F:
    """Attach one job (parameter ``job_id``)."""
    decorate: Callable[[F], F] = argument(
        "job_id",
        ("A job: its id, the start of one, or a name.", "任务的 ID、ID 开头或名字。"),
        metavar="JOB",
        shell_complete=complete_job,
    )
    return decorate(function)


def jobs_argument(function: F) -> F:
    """Attach one or more jobs (parameter ``job_ids``)."""
    decorate: Callable[[F], F] = argument(
        "job_ids",
        ("Jobs: ids, starts of ids, or names.", "任务的 ID、ID 开头或名字，可给多个。"),
        metavar="JOB...",
        nargs=-1,
        required=True,
        shell_complete=complete_job,
    )
    return decorate(function)


def watch_option(function: F) -> F:
    """Attach ``--watch`` (parameter ``watch``)."""
    decorate: Callable[[F], F] = option(
        "--watch", "-w", is_flag=True, text=("Watch until it ends.", "实时观看直到结束。")
    )
    return decorate(function)


def key_option(function: F) -> F:
    """Attach ``--key`` (parameter ``key``), the idempotency key of a submission."""
    decorate: Callable[[F], F] = option(
        "--key",
        metavar="KEY",
        text=("Submit at most once under this key.", "同一个 KEY 至多提交一次。"),
    )
    return decorate(function)


def priority_option(function: F) -> F:
    """Attach ``--priority`` (parameter ``priority``)."""
    decorate: Callable[[F], F] = option(
        "--priority",
        type=click.IntRange(-1000, 1000),
        metavar="N",
        text=("Higher goes first in the queue.", "排队优先级，大者优先。"),
    )
    return decorate(function)

"""How failures leave ``sf``: ``error:`` and ``hint:`` on stderr, and an exit code."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Iterable
from typing import Any

import click
from click.exceptions import NoArgsIsHelpError

from starforge import __version__
from starforge.errors import ExitCode, StarForgeError
from starforge.lang import t

INTERRUPTED = 130


def report(error: Exception, *, as_json: bool = False) -> int:
    """Say what went wrong and return the exit code.

    With ``as_json`` the error stands on stdout too, as ``{"error": {...}}``, so that a
    program always reads JSON there.
    """
    if isinstance(error, NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return ExitCode.USAGE
    if isinstance(error, click.Abort):
        click.echo(t("interrupted", "已中断"), err=True)
        return INTERRUPTED
    if isinstance(error, StarForgeError):
        hint = error.hint.pick() if error.hint else None
        return _say(
            error.code,
            error.message.pick(),
            hint,
            error.exit_code,
            as_json,
            findings=_findings(error),
        )
    if isinstance(error, click.UsageError):
        return _say("cli/usage", error.format_message(), _usage(error), ExitCode.USAGE, as_json)
    if isinstance(error, click.ClickException):
        return _say("cli/failed", error.format_message(), None, ExitCode.NOT_FINE, as_json)
    return _defect(error, as_json)


def _usage(error: click.UsageError) -> str:
    if error.ctx is not None:
        click.echo(error.ctx.get_usage(), err=True)
    path = error.ctx.command_path if error.ctx else "sf"
    return t("see `{path} --help`", "参见 `{path} --help`", path=path)


def _findings(error: StarForgeError) -> list[dict[str, Any]] | None:
    """Findings that a server sent with its refusal (``client.errors.FindingsError``)."""
    findings: Iterable[dict[str, Any]] | None = getattr(error, "findings", None)
    return None if findings is None else list(findings)


def _defect(error: Exception, as_json: bool) -> int:
    if os.environ.get("SF_DEBUG") == "1":
        traceback.print_exception(error)
    message = t(
        "this is a defect of StarForge {version}: {kind}: {error}",
        "这是 StarForge {version} 的缺陷：{kind}：{error}",
        version=__version__,
        kind=type(error).__name__,
        error=error,
    )
    hint = t(
        "run it again with SF_DEBUG=1 and report the traceback together with your command",
        "请设置 SF_DEBUG=1 再运行一次，把调用栈和所用命令一起反馈给我们",
    )
    return _say("cli/defect", message, hint, ExitCode.NOT_FINE, as_json)


def _say(
    code: str,
    message: str,
    hint: str | None,
    exit_code: int,
    as_json: bool,
    *,
    findings: list[dict[str, Any]] | None = None,
) -> int:
    from starforge.cli.output import style

    if findings and not as_json:
        from starforge.cli.findings_view import print_findings

        print_findings(findings, err=True)
    click.echo(f"{style(t('error: ', '错误：'), 'red', err=True)}{message}", err=True)
    if hint:
        click.echo(f"{style(t('hint: ', '提示：'), 'cyan', err=True)}{hint}", err=True)
    if as_json:
        body: dict[str, Any] = {"error": {"code": code, "message": message, "hint": hint}}
        if findings is not None:
            body["findings"] = findings
        click.echo(json.dumps(body, ensure_ascii=False, indent=2))
    return int(exit_code)

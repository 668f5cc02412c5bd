"""``sf validate``: everything that is wrong with an experiment, at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from starforge.cli.base import argument, command, json_option, option, set_option
from starforge.cli.complete import complete_experiment
from starforge.cli.experiment import EXPERIMENT
from starforge.lang import current_lang, t

if TYPE_CHECKING:
    from starforge.prepare import Prepared


class Checked(NamedTuple):
    """One experiment with the published result of its checks."""

    folder: Path
    prepared: Prepared
    result: dict[str, Any]


@command(
    "validate",
    (
        "Check an experiment, or all of a lab, and say everything that is wrong.\n\nNeeds no "
        "server, starts nothing and changes nothing. Exits with 1 when there is an error (with "
        "--strict, also for a warning). `sf explain CODE` explains a finding.",
        "检查一个实验或整个 lab，一次列出全部问题。\n\n不需要服务，不启动也不改动任何东西。"
        "有错误时退出码为 1（加 --strict 时警告也算）。`sf explain 代码` 解释某条检查结果。",
    ),
    ("sf validate my-sft", ("an experiment of this lab", "检查 lab 中的一个实验")),
    (
        "sf validate ./experiments/my-sft --strict",
        ("a folder; warnings count", "检查文件夹，警告也算不通过"),
    ),
    (
        "sf validate --all --format github",
        ("a lab, in a GitHub workflow", "在 GitHub 工作流中检查整个 lab"),
    ),
    (
        "sf validate --all --format sarif > findings.sarif",
        ("for code scanning", "供代码扫描使用"),
    ),
    ("sf validate my-sft --set learning_rate=1e-5 --json", ("for a script", "供脚本使用")),
)
@argument(
    "experiment",
    (
        f"{EXPERIMENT[0]} With --all: a lab's folder.",
        f"{EXPERIMENT[1]}加 --all 时为 lab 的文件夹。",
    ),
    metavar="[EXP]",
    required=False,
    shell_complete=complete_experiment,
)
@option(
    "--all",
    "every",
    is_flag=True,
    text=("Every experiment of this lab.", "当前 lab 的全部实验。"),
)
@option("--strict", is_flag=True, text=("Warnings count as errors.", "把警告也当作错误。"))
@option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    text=(
        "How to print: for people, as JSON, as GitHub annotations, as SARIF 2.1.0.",
        "输出格式：供人阅读、JSON、GitHub 注解或 SARIF 2.1.0。",
    ),
)
@option("--profile", metavar="PROFILE", text=("Instead of `resources`.", "替换 `resources`。"))
@set_option
@json_option
def validate(
    *,
    experiment: str | None,
    every: bool,
    strict: bool,
    form: str,
    profile: str | None,
    sets: tuple[str, ...],
    as_json: bool,
) -> None:
    """``{ok, method, findings}``; with ``--all`` ``{ok, experiments: [{name, folder, ...}]}``."""
    from starforge.cli.experiment import chosen_folders

    form = "json" if as_json else form
    folders = chosen_folders(experiment, every=every)
    checked = [_check(folder, sets, profile, strict=strict) for folder in folders]
    if form == "text":
        for one in checked:
            _show(one, experiment or one.folder.name, heading=every)
        if every:
            _say_count(checked)
    elif form == "json":
        _print_json(checked, every=every)
    else:
        _annotate(checked, form)
    if not all(one.result["ok"] for one in checked):
        raise click.exceptions.Exit(1)


def _check(folder: Path, sets: Sequence[str], profile: str | None, *, strict: bool) -> Checked:
    from starforge.cli.experiment import prepare_named, validation

    prepared = prepare_named(str(folder), sets, profile)
    return Checked(folder, prepared, validation(prepared, strict=strict))


def _show(one: Checked, name: str, *, heading: bool) -> None:
    from starforge.cli.experiment import show_findings
    from starforge.cli.findings_view import count_line
    from starforge.cli.output import say, style

    findings, result = one.result["findings"], one.result
    if heading and findings:
        say(style(f"{name}:", bold=True))
    show_findings(one.prepared)
    counted = count_line(findings)
    if result["ok"]:
        fine = t(
            "{exp} is fine ({method})",
            "{exp} 没有问题（{method}）",
            exp=name,
            method=result["method"],
        )
        say(style(fine, "green") + (f": {counted}" if counted else ""))
    else:
        say(style(f"{name}: {counted}" if heading else counted, "red", bold=True))


def _say_count(checked: Sequence[Checked]) -> None:
    from starforge.cli.output import note

    fine = sum(1 for one in checked if one.result["ok"])
    note(
        t(
            "{fine} of {all} experiments are fine",
            "{all} 个实验中有 {fine} 个没有问题",
            fine=fine,
            all=len(checked),
        )
    )


def _print_json(checked: Sequence[Checked], *, every: bool) -> None:
    from starforge.cli.output import print_json

    if not every:
        print_json(checked[0].result)
        return
    named = [{"name": one.folder.name, "folder": str(one.folder)} | one.result for one in checked]
    print_json({"ok": all(one["ok"] for one in named), "experiments": named})


def _annotate(checked: Sequence[Checked], form: str) -> None:
    """Print the findings of all experiments for a program that shows them beside the lines."""
    from starforge.cli.annotations import github_lines, placed, sarif
    from starforge.cli.output import say
    from starforge.lab.lab import find_lab

    findings = []
    for one in checked:
        lab = find_lab(one.folder)
        folders = [one.folder, *([lab.root] if lab else [])]
        findings += [placed(finding, folders, Path.cwd()) for finding in one.result["findings"]]
    if form == "sarif":
        say(sarif(findings, current_lang()))
        return
    for line in github_lines(findings):
        say(line)

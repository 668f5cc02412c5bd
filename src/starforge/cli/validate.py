"""``sf validate``: everything that is wrong with an experiment, at once."""

from __future__ import annotations

import click

from starforge.cli.base import argument, command, json_option, option, set_option
from starforge.cli.complete import complete_experiment
from starforge.cli.experiment import EXPERIMENT
from starforge.lang import t


@command(
    "validate",
    (
        "Check an experiment and say everything that is wrong with it.\n\nNeeds no server, starts "
        "nothing and changes nothing. Exits with 1 when there is an error (with --strict, also "
        "for a warning). Every code is explained in the findings reference.",
        "检查一个实验，一次列出全部问题。\n\n不需要服务，不启动也不改动任何东西。"
        "有错误时退出码为 1（加 --strict 时警告也算）。各代码的说明见“检查结果”参考页。",
    ),
    ("sf validate my-sft", ("an experiment of this lab", "检查 lab 中的一个实验")),
    (
        "sf validate ./experiments/my-sft --strict",
        ("a folder; warnings count", "检查文件夹，警告也算不通过"),
    ),
    ("sf validate my-sft --set learning_rate=1e-5 --json", ("for a script", "供脚本使用")),
)
@argument("experiment", EXPERIMENT, metavar="EXP", shell_complete=complete_experiment)
@option("--strict", is_flag=True, text=("Warnings count as errors.", "把警告也当作错误。"))
@option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    text=("How to print.", "输出格式。"),
)
@option("--profile", metavar="PROFILE", text=("Instead of `resources`.", "替换 `resources`。"))
@set_option
@json_option
def validate(experiment: str, strict: bool, form: str, as_json: bool, **what: object) -> None:
    """The published shape is ``{ok, method, findings}``."""
    from starforge.cli.experiment import prepare_named, show_findings, validation
    from starforge.cli.findings_view import count_line
    from starforge.cli.output import print_json, say, style

    sets, profile = what["sets"], what["profile"]
    assert isinstance(sets, tuple)
    prepared = prepare_named(experiment, sets, str(profile) if profile else None)
    result = validation(prepared, strict=strict)
    if as_json or form == "json":
        print_json(result)
    else:
        show_findings(prepared)
        counted = count_line(result["findings"])
        if result["ok"]:
            fine = t(
                "{exp} is fine ({method})",
                "{exp} 没有问题（{method}）",
                exp=experiment,
                method=result["method"],
            )
            say(style(fine, "green") + (f": {counted}" if counted else ""))
        else:
            say(style(counted, "red", bold=True))
    if not result["ok"]:
        raise click.exceptions.Exit(1)

"""``sf plan``: show exactly what would run."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import argument, command, json_option, option, set_option
from starforge.cli.complete import complete_experiment
from starforge.cli.experiment import EXPERIMENT
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.plan import Difference, LaunchPlan


@command(
    "plan",
    (
        "Show exactly what would run: config, files, commands and environment.\n\nNeeds no server. "
        "`sf submit` runs exactly this plan. Keys marked with * differ from upstream's default. "
        "--out writes it all to a new folder.",
        "显示将要运行的全部内容：配置、文件、命令和环境变量。\n\n不需要服务。"
        "`sf submit` 运行的正是这份计划。"
        "带 * 的键与上游默认值不同。--out 把全部内容写入一个新文件夹。",
    ),
    ("sf plan my-sft --brief", ("only what differs from upstream", "只看与上游不同的部分")),
    (
        "sf plan my-sft --set learning_rate=1e-5 --out plan/",
        ("write it all down", "把全部内容写入文件夹"),
    ),
    ("sf plan my-sft --json", ("for a script", "供脚本使用")),
)
@argument("experiment", EXPERIMENT, metavar="EXP", shell_complete=complete_experiment)
@option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    text=("Write everything into this new folder.", "把全部内容写入这个新文件夹。"),
)
@option("--brief", is_flag=True, text=("Only keys that differ.", "只显示与上游不同的键。"))
@option("--profile", metavar="PROFILE", text=("Instead of `resources`.", "替换 `resources`。"))
@set_option
@json_option
def plan(experiment: str, out: Path | None, brief: bool, as_json: bool, **what: Any) -> None:
    """The published shape is the launch plan with its digest."""
    from starforge.cli.experiment import prepare_named, refuse, show_findings
    from starforge.cli.output import note, print_json
    from starforge.cli.plan_files import write_plan

    prepared = prepare_named(experiment, what["sets"], what["profile"])
    if prepared.plan is None:
        refuse(prepared, as_json=as_json)
        raise click.exceptions.Exit(1)
    if out is not None:
        write_plan(out, prepared)
    if as_json:
        print_json(public_plan(prepared.plan))
        return
    show_findings(prepared, err=True)
    show_plan(prepared.plan, brief=brief)
    if out is not None:
        note(t("written to {out}", "已写入 {out}", out=out))


def public_plan(plan: LaunchPlan) -> dict[str, Any]:
    """Return the plan as JSON values, with its digest."""
    import msgspec

    shown: dict[str, Any] = msgspec.to_builtins(plan)
    return shown | {"digest": plan.digest()}


def show_plan(plan: LaunchPlan, *, brief: bool) -> None:
    """Print a plan for a person."""
    from starforge.cli.output import print_fields, say, style
    from starforge.lab.then import label

    runtime = plan.runtime
    print_fields(
        [
            (t("method", "方法"), f"{plan.method} ({plan.framework}@{plan.version})"),
            (t("runtime", "运行环境"), f"{runtime.name} ({runtime.device})" if runtime else ""),
            (t("needs", "所需资源"), f"{plan.resources.cpus} CPU, {plan.resources.gpus} GPU"),
            (t("steps", "步数"), plan.total_steps),
            (t("inputs", "输入"), "\n".join(_input(one) for one in plan.inputs)),
            (t("checkpoints", "检查点"), plan.checkpoints.pattern if plan.checkpoints else ""),
            (t("then", "后续步骤"), ", ".join(label(one) for one in plan.then or [])),
            (t("digest", "摘要"), plan.digest()),
        ]
    )
    for process in plan.processes:
        say()
        say(
            style(
                t("Process {r} × {n}", "进程 {r} × {n}", r=process.role, n=process.count), bold=True
            )
        )
        say(f"  cd {process.cwd}")
        for name, value in sorted(process.env.items()):
            say(f"  {name}={shlex.quote(value)}")
        say(f"  {command_text(process.argv)}")
    _show_files(plan)
    _show_config(plan, brief=brief)


def _input(ref: Any) -> str:
    digest = f"  sha256 {ref.digest[:12]}" if ref.digest else ""
    rows = t("  {n} rows", "  {n} 行", n=ref.rows) if ref.rows is not None else ""
    where = ref.file or "" if ref.kind == "blob" else ref.location
    return f"{ref.name}: {where}{rows}{digest}"


def command_line(argv: list[str]) -> str:
    """Quote an argv for a shell, but leave ``${PLACEHOLDER}`` readable."""
    return " ".join(f'"{word}"' if "${" in word else shlex.quote(word) for word in argv)


def command_text(argv: list[str], width: int = 100) -> str:
    """Like :func:`command_line`; a long one goes over several lines, an option a line."""
    whole = command_line(argv)
    if len(whole) <= width:
        return whole
    lines: list[str] = []
    for number, word in enumerate(argv):
        begins = word.startswith(("-", "+")) or "=" in word or (number and argv[number - 1] == "--")
        if begins or not lines:
            lines.append(command_line([word]))
        else:
            lines[-1] += " " + command_line([word])
    return " \\\n      ".join(lines)


def _show_files(plan: LaunchPlan) -> None:
    from starforge.cli.output import print_table, say, size, style

    say()
    say(style(t("Files", "文件"), bold=True))
    print_table(
        [t("path", "路径"), t("from", "来源"), t("size", "大小"), "sha256"],
        [(one.path, one.source, size(one.size), one.sha256[:12]) for one in plan.files],
        right=(2,),
    )


def _show_config(plan: LaunchPlan, *, brief: bool) -> None:
    import json

    from starforge.cli.output import say, style
    from starforge.lab.resolved import flat

    say()
    say(style(t("Config (* differs from upstream)", "配置（* 与上游默认值不同）"), bold=True))
    differs = {one.path: one for one in plan.differs}
    keys = list(flat(plan.config, set(differs)))
    for path, value in keys:
        difference = differs.get(path)
        if difference is None and brief:
            continue
        shown = json.dumps(value, ensure_ascii=False)
        if difference is None:
            say(f"    {path}: {shown}")
        else:
            say(style(f"  * {path}: {shown}", "yellow") + f"  # {_why(difference)}")
    if brief:
        rest = len(keys) - len(differs)
        say(t("  ({n} more keys as upstream)", "  （另有 {n} 个键与上游相同）", n=rest))


def _why(difference: Difference) -> str:
    import json

    default = json.dumps(difference.default, ensure_ascii=False)
    return t(
        "{source}; upstream: {default}",
        "{source}；上游：{default}",
        source=difference.source,
        default=default,
    )

"""``sf pipeline``: several stages that build on each other."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import Group, argument, json_option, option
from starforge.cli.output import note, print_json, say
from starforge.cli.pipeline_server import ls, resume, show, stop
from starforge.cli.shared import watch_option
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.pipelines.examine import Examined

TEMPLATES = (
    "sft-dpo-benchmark",
    "sft-grpo-benchmark",
    "sft-rm-ppo-benchmark",
    "distillation-benchmark",
)
PIPELINE = (
    "A pipeline of this lab by name, its folder, or a pipeline.yaml.",
    "当前 lab 中流水线的名字、它的文件夹，或一个 pipeline.yaml。",
)


@click.group(
    "pipeline",
    cls=Group,
    text=(
        "Run stages that build on each other: training, data, benchmarks, gates.\n\nA pipeline is "
        "`pipelines/NAME/pipeline.yaml` of a lab. See docs/en/pipelines.md.",
        "运行环环相扣的多个阶段：训练、数据、评测、门槛。\n\n"
        "流水线是 lab 里的 `pipelines/名字/pipeline.yaml`，写法见 docs/zh/pipelines.md。",
    ),
    examples=[
        (
            "sf pipeline new math --template sft-grpo-benchmark",
            ("one that runs as created", "新建一个开箱即可运行的流水线"),
        ),
        ("sf pipeline run math --watch", ("run it", "运行并实时观看")),
    ],
)
def pipeline() -> None:
    """Everything happens in the commands."""


@pipeline.command(
    "new",
    text=(
        "Create a pipeline and its experiments from a template.\n\nIt validates and runs as "
        "created, on a tiny random model and sample data; put your own in their place.",
        "按模板新建流水线及其实验。\n\n"
        "新建后即可通过检查并运行，使用随机的微型模型和样例数据；请换成自己的模型和数据。",
    ),
    examples=[
        ("sf pipeline new math --template sft-grpo-benchmark", ("with GRPO", "使用 GRPO")),
        (
            "sf pipeline new chat --template sft-dpo-benchmark --model models/base",
            ("with your model", "用自己的模型"),
        ),
    ],
)
@argument("name", ("Name of the pipeline.", "流水线的名字。"))
@option(
    "--template",
    type=click.Choice(TEMPLATES),
    required=True,
    text=("The stages it has.", "包含哪些阶段。"),
)
@option(
    "--model",
    metavar="MODEL",
    text=(
        "The base model: a folder of this lab, a hub id, model:NAME@VERSION.",
        "基座模型：当前 lab 的文件夹、hub ID 或 model:名字@版本。",
    ),
)
@json_option
def new(name: str, template: str, model: str | None, as_json: bool) -> None:
    """JSON is ``{name, template, folder, experiments}``."""
    from starforge.cli.lab import this_lab
    from starforge.client.catalogs import connected_catalog
    from starforge.pipelines.templates import new_pipeline

    catalog, _ = connected_catalog()
    *experiments, folder = new_pipeline(this_lab(), name, template, catalog, model=model)
    if as_json:
        print_json({
            "name": name, "template": template, "folder": str(folder),
            "experiments": [str(one) for one in experiments],
        })  # fmt: skip
        return
    for path in [*experiments, folder / "pipeline.yaml"]:
        say(t("created {path}", "已创建 {path}", path=path))
    say(
        t(
            "next: `sf pipeline validate {name}`, then `sf pipeline run {name} --watch`",
            "下一步：`sf pipeline validate {name}`，然后 `sf pipeline run {name} --watch`",
            name=name,
        )
    )


@pipeline.command(
    "validate",
    text=(
        "Check a whole pipeline: every stage, and that they fit together.\n\nNeeds no server, "
        "starts nothing and changes nothing. Exits with 1 when there is an error.",
        "检查整条流水线：每个阶段，以及它们能否衔接。\n\n"
        "不需要服务，不启动也不改动任何东西。有错误时退出码为 1。",
    ),
    examples=[("sf pipeline validate math --json", ("for a script", "供脚本使用"))],
)
@argument("name", PIPELINE, metavar="PIPELINE")
@option("--strict", is_flag=True, text=("Warnings count as errors.", "把警告也当作错误。"))
@json_option
def validate(name: str, strict: bool, as_json: bool) -> None:
    """JSON is ``{ok, name, stages: [{name, ok}], findings}``."""
    with _examined(name) as found:
        refused = {"error", "warning"} if strict else {"error"}
        ok = not any(finding.severity in refused for finding in found.findings)
        if as_json:
            print_json({
                "ok": ok, "name": found.pipeline.name,
                "stages": [
                    {"name": one.stage.name, "ok": bool(one.prepared and one.prepared.ok)}
                    for one in found.stages.values()
                ],
                "findings": [finding.to_public() for finding in found.findings],
            })  # fmt: skip
        else:
            _show_findings(found)
            if ok:
                count = len(found.pipeline.stages)
                say(t("{name}: {n} stages are fine", "{name}：{n} 个阶段检查通过",
                      name=found.pipeline.name, n=count))  # fmt: skip
    raise click.exceptions.Exit(0 if ok else 1)


@pipeline.command(
    "plan",
    text=(
        "Show what every stage would run, in the order in which they can.\n\n`sf pipeline run` "
        "runs exactly these plans. What comes from another stage stands as stage:NAME.",
        "按可执行的顺序显示每个阶段将运行的内容。\n\n"
        "`sf pipeline run` 运行的正是这些计划。来自其他阶段的输入显示为 stage:名字。",
    ),
    examples=[
        ("sf pipeline plan math", ("the table of stages", "阶段一览")),
        ("sf pipeline plan math --stage sft", ("one stage whole", "某个阶段的完整计划")),
    ],
)
@argument("name", PIPELINE, metavar="PIPELINE")
@option("--stage", metavar="STAGE", text=("This stage whole.", "只看该阶段的完整计划。"))
@json_option
def plan(name: str, stage: str | None, as_json: bool) -> None:
    """JSON is ``{name, stages: [{name, method, needs, gates, plan_digest, ...}]}``."""
    from starforge.cli.pipeline_view import plan_rows, print_plan

    with _examined(name) as found:
        if not found.ok:
            _refuse(found, as_json=as_json)
        if stage is not None:
            _show_stage(found, stage, as_json=as_json)
        elif as_json:
            print_json({"name": found.pipeline.name, "stages": plan_rows(found)})
        else:
            _show_findings(found, err=True)
            print_plan(found)


def _show_stage(found: Examined, stage: str, *, as_json: bool) -> None:
    from starforge.cli.plan import public_plan, show_plan

    one = found.stages.get(stage)
    if one is None or one.prepared is None or one.prepared.plan is None:
        known = ", ".join(found.stages)
        raise click.UsageError(
            t("there is no stage `{stage}`; there are {known}",
              "没有阶段 `{stage}`，已有的阶段：{known}", stage=stage, known=known)
        )  # fmt: skip
    if as_json:
        print_json(public_plan(one.prepared.plan))
    else:
        show_plan(one.prepared.plan, brief=False)


@pipeline.command(
    "run",
    text=(
        "Check a pipeline and run it on the server.\n\nAll of it is sent at once, so this machine "
        "may go away. A stage that ran before, unchanged and with the same inputs, is not run "
        "again. With --watch the exit code is 0 when all stages succeeded, else 1.",
        "检查流水线并在服务上运行。\n\n所有内容一次提交，之后本机可以离开。没有变化、输入也相同的"
        "阶段如果已经跑过，就不会重复运行。加 --watch 时，全部阶段成功则退出码为 0，否则为 1。",
    ),
    examples=[
        ("sf pipeline run math --watch", ("run and watch", "运行并实时观看")),
        ("sf pipeline run math --fresh", ("run every stage again", "所有阶段全部重跑")),
        (
            "sf pipeline run math --key nightly-2026-01-31",
            ("at most once, even when repeated", "重复执行也只运行一次"),
        ),
    ],
)
@argument("name", PIPELINE, metavar="PIPELINE")
@option("--fresh", is_flag=True, text=("Run every stage.", "所有阶段都重新运行。"))
@watch_option
@option(
    "--key", metavar="KEY", text=("Run at most once under this key.", "同一个 KEY 至多运行一次。")
)
@json_option
def run(name: str, fresh: bool, watch: bool, key: str | None, as_json: bool) -> None:
    """JSON is the pipeline: ``{id, name, state, stages, ...}``; with ``--watch`` as it ended."""
    from starforge.cli.pipeline_view import follow, print_started
    from starforge.cli.session import open_client
    from starforge.client.pipelines import run as send

    with _examined(name, launch=True) as found:
        if not found.ok:
            _refuse(found, as_json=as_json)
        if not as_json:
            _show_findings(found, err=True)
        with open_client() as client:
            made = send(client, found, fresh=fresh, key=key)
            if not as_json:
                print_started(made, client.url, watching=watch)
            if watch:
                raise click.exceptions.Exit(follow(client, made.id, as_json=as_json))
    if as_json:
        print_json(made)


@contextmanager
def _examined(name: str, *, launch: bool = False) -> Iterator[Examined]:
    """Read and check a pipeline; rewards are tried on a few rows, as for an experiment."""
    from starforge.client.catalogs import connected_catalog
    from starforge.client.inputs import connected
    from starforge.pipelines.examine import examine, find_pipeline

    catalog, _ = connected_catalog()

    def resolver(folder: Path, lab_root: Path | None) -> Any:
        return connected(folder, launch=launch, lab_root=lab_root)

    with tempfile.TemporaryDirectory(prefix="sf-pipeline-") as temp:
        yield examine(
            find_pipeline(name), Path(temp), catalog=catalog, trial=True, resolver=resolver
        )


def _show_findings(found: Examined, *, err: bool = False) -> None:
    from starforge.cli.findings_view import print_findings

    folders = [found.lab_root] if found.lab_root else [found.file.parent]
    public = [finding.to_public() for finding in found.findings]
    print_findings(public, folders, err=err)


def _refuse(found: Examined, *, as_json: bool) -> None:
    """Say why a pipeline is not planned or run, and exit with 1."""
    from starforge.cli.findings_view import count_line

    public = [finding.to_public() for finding in found.findings]
    if as_json:
        print_json({"ok": False, "name": found.pipeline.name, "findings": public})
    else:
        _show_findings(found, err=True)
        note(count_line(public))
    raise click.exceptions.Exit(1)


for _command in (ls, show, resume, stop):
    pipeline.add_command(_command)

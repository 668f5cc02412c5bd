"""Pipelines shown to a person: plans, runs, and a run as it goes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from starforge.cli.counts import outcome
from starforge.cli.output import (
    STATE_COLOURS,
    ago,
    duration,
    moment,
    note,
    number,
    print_fields,
    print_json,
    print_table,
    say,
    state_name,
    style,
    visible,
)
from starforge.errors import ExitCode, StarForgeError
from starforge.lang import t
from starforge.pipelines.graph import needs_of
from starforge.wire.board import Score
from starforge.wire.pipelines import ENDED, Pipeline, PipelineDetail, Stage

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.pipelines.examine import Examined

PACE = 1.0  # seconds between looks at a pipeline that is watched
PATIENCE = 30  # looks at a server that is out of reach


def plan_rows(found: Examined) -> list[dict[str, Any]]:
    """Return what each stage would run, in an order in which they can."""
    rows = []
    for name in found.order:
        one = found.stages[name]
        assert one.prepared is not None and one.prepared.plan is not None
        plan, stage = one.prepared.plan, one.stage
        rows.append({
            "name": name, "kind": stage.kind, "method": plan.method,
            "what": stage.experiment or ", ".join(stage.benchmarks),
            "needs": needs_of(stage), "gates": [gate.text for gate in stage.gates],
            "retries": stage.retries, "inputs": {ref.name: ref.location for ref in plan.inputs},
            "cpus": plan.resources.cpus, "gpus": plan.resources.gpus,
            "total_steps": plan.total_steps, "plan_digest": plan.digest(),
        })  # fmt: skip
    return rows


def print_plan(found: Examined) -> None:
    """Print the table of stages."""
    print_table(
        [
            t("stage", "阶段"), t("method", "方法"), t("of", "内容"), t("waits for", "等待"),
            t("needs", "所需资源"), t("steps", "步数"), t("gate", "门槛"), t("plan", "计划"),
        ],
        [
            (
                row["name"], row["method"], row["what"], ", ".join(row["needs"]),
                f"{row['cpus']} CPU, {row['gpus']} GPU", row["total_steps"],
                "; ".join(row["gates"]), row["plan_digest"][:12],
            )
            for row in plan_rows(found)
        ],
        right=(5,),
    )  # fmt: skip


def print_list(found: Sequence[Pipeline]) -> None:
    """Print pipelines, one a line."""
    if not found:
        say(t("no pipelines yet: `sf pipeline run NAME` starts one",
              "还没有流水线：用 `sf pipeline run 名字` 启动"))  # fmt: skip
        return
    print_table(
        ["ID", t("name", "名字"), t("state", "状态"), t("stages", "阶段"), t("created", "创建")],
        [
            (one.id, one.name, one.state, outcome(one.counts), ago(one.created_at))
            for one in found
        ],
        state=2,
    )  # fmt: skip


def print_pipeline(found: PipelineDetail) -> None:
    """Print everything about a pipeline."""
    print_fields(
        [
            ("ID", found.id),
            (t("name", "名字"), found.name),
            (t("state", "状态"), style(state_name(found.state), STATE_COLOURS.get(found.state))),
            (t("why", "原因"), visible(found.message or "")),
            (t("lab", "lab"), found.lab or ""),
            (t("created", "创建"), moment(found.created_at)),
            (t("ended", "结束"), moment(found.ended_at) if found.ended_at else ""),
        ]
    )
    say()
    print_table(
        [
            t("stage", "阶段"), t("state", "状态"), t("job", "任务"), t("method", "方法"),
            t("waits for", "等待"), t("took", "用时"), t("what there is to say", "说明"),
        ],
        [
            (
                one.name, one.state, _job(one), one.method, ", ".join(one.needs), _took(one),
                visible(_remark(one)),
            )
            for one in found.stages
        ],
        state=1,
    )  # fmt: skip


def _job(one: Stage) -> str:
    if one.job_id is None:
        return ""
    return t("{id} (earlier)", "{id}（沿用）", id=one.job_id) if one.reused else one.job_id


def _took(one: Stage) -> str:
    if one.job is None or one.job.started_at is None or one.job.ended_at is None:
        return ""
    return duration((one.job.ended_at - one.job.started_at).total_seconds())


def _remark(one: Stage) -> str:
    """Return why a stage is as it is, behind which try it is where that isn't the first."""
    said = _reason(one)
    if one.attempt == 0 or one.reused:
        return said
    which = t("try {n}", "第 {n} 次尝试", n=one.attempt + 1)
    return t("{which}: {said}", "{which}：{said}", which=which, said=said) if said else which


def _reason(one: Stage) -> str:
    """Return what kept a stage, or the scores its gates looked at."""
    if one.message:
        return one.message
    if one.verdicts:
        return t("; ", "；").join(verdict.text for verdict in one.verdicts)
    if one.scores:
        return t("; ", "；").join(_score(score) for score in one.scores)
    if one.state == "running" and one.job is not None:
        return one.job.message or state_name(one.job.state)
    return ""


def _score(score: Score) -> str:
    spread = f" ± {score.stderr:.4g}" if score.stderr is not None else ""
    return f"{score.benchmark}.{score.metric} = {number(score.value)}{spread}"


def print_started(made: PipelineDetail, url: str, *, watching: bool) -> None:
    """Say that a pipeline runs, and how to look at it."""
    say(t("started as pipeline {id} ({name})", "已作为流水线 {id}（{name}）启动",
          id=made.id, name=made.name))  # fmt: skip
    if not watching:
        say(t("look at it: `sf pipeline show {id}`   server: {url}",
              "查看：`sf pipeline show {id}`   服务：{url}", id=made.id, url=url))  # fmt: skip


def follow(client: Client, pipeline: str, *, as_json: bool) -> ExitCode:
    """Tell what happens to the stages until the pipeline has ended; return the exit code.

    Ctrl-C leaves the view, and the pipeline goes on.
    """
    try:
        found = _ended(client, client.pipelines.get(pipeline), quiet=as_json)
    except KeyboardInterrupt:
        note(t("left; the pipeline goes on: `sf pipeline show {name}`",
               "已退出观看，流水线继续运行：`sf pipeline show {name}`", name=pipeline))  # fmt: skip
        return ExitCode.OK
    if as_json:
        print_json(found)
    else:
        say()
        print_pipeline(found)
    return ExitCode.OK if found.state == "succeeded" else ExitCode.NOT_FINE


def _ended(client: Client, found: PipelineDetail, *, quiet: bool) -> PipelineDetail:
    """Wait for the end; a server that is away for a moment (a restart) is waited for."""
    told: dict[str, tuple[str, int]] = {}
    away = 0
    while True:
        for one in [] if quiet else found.stages:
            if told.get(one.name, ("waiting", 0)) != (one.state, one.attempt):
                told[one.name] = (one.state, one.attempt)
                _tell(one)
        if found.state in ENDED:
            return found
        time.sleep(PACE)
        try:
            found, away = client.pipelines.get(found.id), 0
        except StarForgeError as error:
            away += 1
            if error.exit_code != ExitCode.UNREACHABLE or away > PATIENCE:
                raise


def _tell(one: Stage) -> None:
    state = style(state_name(one.state), STATE_COLOURS.get(one.state))
    job = f" [{_job(one)}]" if one.job_id else ""
    remark = _remark(one) if one.state != "running" or one.attempt else ""
    say(f"{one.name}: {state}{job}" + (f"  {visible(remark)}" if remark else ""))

"""Sweeps shown to a person."""

from __future__ import annotations

from collections.abc import Sequence

from starforge.cli.counts import outcome
from starforge.cli.output import ago, number, print_json, print_table, say, state_name, visible
from starforge.lang import t
from starforge.wire.sweeps import Sweep, SweepDetail, Trial


def print_list(found: Sequence[Sweep]) -> None:
    """Print sweeps, one a line."""
    if not found:
        say(t("no sweeps yet: `sf sweep EXP` starts one", "还没有搜索：用 `sf sweep EXP` 启动"))
        return
    print_table(
        ["ID", t("name", "名字"), t("state", "状态"), t("trials", "尝试"), t("created", "创建")],
        [
            (one.id, one.name, one.state, outcome(one.counts, one.planned), ago(one.created_at))
            for one in found
        ],
        state=2,
    )


def print_sweep(found: SweepDetail) -> None:
    """Print a sweep and the table of its trials; the best is marked with a star."""
    counts = outcome(found.counts, found.planned)
    say(f"{found.id}  {visible(found.name)}  {state_name(found.state)}  {counts}")
    names = list(dict.fromkeys(name for one in found.trials for name in one.parameters))
    print_table(
        ["", "#", *names, f"{visible(found.metric)} ({found.goal})", t("state", "状态"),
         t("job", "任务"), t("remark", "说明")],
        [
            (
                "*" if one.number == found.best else "", str(one.number),
                *(visible(one.parameters.get(name, "")) for name in names),
                "" if one.value is None else number(one.value),
                one.state, one.job_id or "", visible(one.message or ""),
            )
            for one in found.trials
        ],
        state=3 + len(names),
    )  # fmt: skip


def print_best(found: SweepDetail, one: Trial | None) -> None:
    """Print the best trial with its job."""
    if one is None or one.value is None:
        metric = visible(found.metric)
        if found.ended_at is None:
            say(t("no trial has succeeded with a value of {metric} yet",
                  "还没有成功并报告过 {metric} 的尝试", metric=metric))  # fmt: skip
        else:
            say(t("no trial succeeded with a value of {metric}; `sf sweep show {id}` says why",
                  "没有成功并报告过 {metric} 的尝试；原因见 `sf sweep show {id}`",
                  metric=metric, id=found.id))  # fmt: skip
        return
    values = "  ".join(f"{name}={value}" for name, value in one.parameters.items())
    say(visible(values))
    say(f"{visible(found.metric)} = {number(one.value)}")
    say(t("job {id} (`sf job show {id}`)", "任务 {id}（`sf job show {id}`）", id=str(one.job_id)))


def print_state(found: SweepDetail, *, as_json: bool) -> None:
    """Say how a sweep is."""
    if as_json:
        print_json(found)
        return
    state = state_name(found.state)
    say(t("sweep {id} is {state}", "搜索 {id}：{state}", id=found.id, state=state))

"""Policies: values that make no sense, or would end the job before it can do anything."""

from __future__ import annotations

from collections.abc import Iterator

from starforge.findings import Finding, rule
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

SHORT_LIMIT = rule(
    "resources/short-time-limit", "warning",
    title=Text("Very short time limit", "时限很短"),
    message=Text("the job is stopped after {limit:g} seconds, which loading the framework can take",
                 "任务运行 {limit:g} 秒后就会停止，而仅加载框架就可能要这么久"),
    hint=Text("raise `policies.time_limit` or remove it",
              "请调大 `policies.time_limit`，或将其去掉"),
    why=Text("The time limit counts from the start of the job, not from the first step.",
             "时限从任务启动时算起，而不是从第一步训练算起。"),
    bad="policies: {time_limit: 10}", good="policies: {time_limit: 3600}",
)  # fmt: skip
SHORT_BUDGET = rule(
    "resources/short-budget", "warning",
    title=Text("Very short budget", "总时限很短"),
    message=Text("the job is stopped after {limit:g} seconds of all attempts together, which "
                 "loading the framework can take",
                 "各次尝试合计 {limit:g} 秒后任务就会停止，而仅加载框架就可能要这么久"),
    hint=Text("a number counts seconds; hours are written `budget: 2h`",
              "数字按秒计；小时请写成 `budget: 2h`"),
    why=Text("The budget counts from the start of each attempt, not from the first step.",
             "总时限从每次尝试启动时算起，而不是从第一步训练算起。"),
    bad="policies: {budget: 2}", good="policies: {budget: 2h}",
)  # fmt: skip
SHORT_STALL = rule(
    "resources/short-stalled", "warning",
    title=Text("Very short patience", "停滞判定时间很短"),
    message=Text("the job is stopped after {limit:g} seconds without a step or a log line, which "
                 "loading a model or saving a checkpoint can take",
                 "任务若 {limit:g} 秒没有新的步数或日志就会停止，"
                 "而加载模型或保存检查点就可能要这么久"),
    hint=Text("raise `policies.stalled`, e.g. to `30m`",
              "请调大 `policies.stalled`，例如 `30m`"),
    why=Text("A job that works without a word for a while looks as if it hangs.",
             "任务一时没有输出，看起来与卡住无异。"),
    bad="policies: {stalled: 10}", good="policies: {stalled: 30m}",
)  # fmt: skip
POLICY_RANGE = rule(
    "experiment/policy-range", "error",
    title=Text("A policy out of range", "策略取值超出范围"),
    message=Text("`policies.{name}` is {given}, but {wanted.en}",
                 "`policies.{name}` 为 {given}，但{wanted.zh}"),
    hint=Text("correct the value, or write 0 to switch it off", "请改正，或写 0 将其关闭"),
    why=Text("Steps and retries are counted, and a metric explodes when it is a multiple of "
             "what it was.",
             "步数与重试次数不能为负；所谓爆炸，是指标达到起初的若干倍。"),
    bad="policies: {kl_explosion: 0.5}", good="policies: {kl_explosion: 10}",
)  # fmt: skip
BUDGET_LESS = rule(
    "resources/budget-below-limit", "warning",
    title=Text("A budget that one attempt may exceed", "总时限小于单次时限"),
    message=Text("`budget` ({budget:g} s, all attempts together) is less than `time_limit` "
                 "({limit:g} s, one attempt), which can never be reached",
                 "`budget`（各次尝试合计 {budget:g} 秒）小于 `time_limit`（单次 {limit:g} 秒），"
                 "后者永远用不到"),
    hint=Text("raise `budget`, or remove `time_limit`", "请调大 `budget`，或去掉 `time_limit`"),
    why=Text("The budget counts the time of all attempts, retries and resumes included.",
             "budget 计入所有尝试的时间，包括重试和恢复。"),
    bad="policies: {budget: 1h, time_limit: 2h}", good="policies: {budget: 8h, time_limit: 2h}",
)  # fmt: skip
SHORT = 30.0  # seconds
SHORT_PATIENCE = 120.0
NOT_NEGATIVE = Text("it can't be negative", "不能为负数")
A_FACTOR = Text("a factor is more than 1 (0: never)", "倍数应大于 1（0 表示从不）")


def check_policies(context: PrepareContext) -> Iterator[Finding]:
    """Yield what is wrong with the experiment's policies."""
    yield from _ranges(context)
    yield from _times(context)


def _ranges(context: PrepareContext) -> Iterator[Finding]:
    policies = context.policies
    given = {"no_signal": policies.no_signal, "retries": policies.retries}
    factors = {
        "kl_explosion": policies.kl_explosion,
        "length_explosion": policies.length_explosion,
    }
    bad: list[tuple[str, float, Text]] = [
        (name, value, NOT_NEGATIVE) for name, value in given.items() if value < 0
    ]
    bad += [(name, value, A_FACTOR) for name, value in factors.items() if value and value <= 1]
    for name, value, wanted in bad:
        at = context.at(f"policies.{name}")
        yield POLICY_RANGE.at(at, name=name, given=value, wanted=wanted)


def _times(context: PrepareContext) -> Iterator[Finding]:
    policies, none = context.policies, context.recipe.runtime == "none"
    limit, stalled, budget = policies.time_limit, policies.stalled, policies.budget
    if limit is not None and limit < SHORT and not none:
        yield SHORT_LIMIT.at(context.at("policies.time_limit"), limit=limit)
    if budget is not None and budget < SHORT and not none:
        yield SHORT_BUDGET.at(context.at("policies.budget"), limit=budget)
    if stalled is not None and stalled < SHORT_PATIENCE and not none:
        yield SHORT_STALL.at(context.at("policies.stalled"), limit=stalled)
    if budget is not None and limit is not None and budget < limit:
        at = context.at("policies.budget")
        yield BUDGET_LESS.at(at, budget=budget, limit=limit)

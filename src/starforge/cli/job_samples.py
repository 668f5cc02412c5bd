"""``sf job samples``: prompts and completions that a job logged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import command, json_option, option
from starforge.cli.job_streams import ATTEMPT
from starforge.cli.output import note, number, print_json, say, style, visible
from starforge.cli.session import open_client
from starforge.cli.shared import job_argument
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.wire.samples import Sample, SamplePage

SORTS = ["step", "-step", "reward", "-reward", "length", "-length"]


@command(
    "samples",
    (
        "Show prompts and completions that a job logged.\n\nWith the reward and its parts, the "
        "group (completions of one prompt share it), the length in tokens, and whether a "
        "completion was cut at its limit, as far as the framework tells.",
        "显示任务记录的提示与回答样例。\n\n包括奖励及其各分项、分组（同一提示的回答属于同一组）、"
        "以 token 计的长度，以及回答是否因达到上限而被截断；框架没有提供的信息不显示。",
    ),
    ("sf job samples my-grpo --sort -reward --limit 5", ("the five best", "奖励最高的五条")),
    ("sf job samples my-grpo --step 100", ("of one step", "某一步的样例")),
    ("sf job samples my-grpo --truncated --sort -step", ("cut at the limit", "被截断的回答")),
    ("sf job samples my-grpo --step 100 --group 3", ("of one prompt", "同一提示的各个回答")),
)
@job_argument
@option("--step", type=int, metavar="N", text=("Of this step.", "该步的样例。"))
@option("--search", metavar="TEXT", text=("Only with this text.", "按文字查找。"))
@option("--group", metavar="GROUP", text=("Of this group.", "该组的样例。"))
@option(
    "--truncated/--not-truncated",
    default=None,
    text=("Only what was cut at its limit, or was not.", "只看被截断的，或只看未被截断的。"),
)
@option(
    "--sort",
    type=click.Choice(SORTS),
    default="-step",
    show_default=True,
    text=("Order; `-`: descending.", "排序，`-` 表示降序。"),
)
@option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    text=("How many at most.", "最多多少条。"),
)
@option("--offset", type=click.IntRange(0), default=0, text=("Skip so many.", "跳过多少条。"))
@option("--attempt", type=click.IntRange(0), metavar="N", text=ATTEMPT)
@json_option
def samples(job_id: str, as_json: bool, **query: Any) -> None:
    """JSON is ``{samples, total, steps}``."""
    with open_client() as client:
        page = client.jobs.samples(job_id, **query)
        if not as_json and not page.total:
            _nothing(query, client.jobs.samples(job_id, limit=100))
    if as_json:
        print_json(page)
        return
    for one in page.samples:
        say(style(t("step {s}", "第 {s} 步", s=one.step), "cyan", bold=True) + _facts(one))
        say(style(t("prompt", "提示"), bold=True) + f"  {visible(one.prompt or '')}")
        say(style(t("completion", "回答"), bold=True) + f"  {visible(one.completion or '')}")
        say()
    note(t("{n} of {all} samples", "共 {all} 条，显示 {n} 条", n=len(page.samples), all=page.total))


def _facts(one: Sample) -> str:
    """Return what is known of a sample, for the line above it."""
    return "".join(f"  {fact}" for fact in _each(one))


def _each(one: Sample) -> Iterator[str]:
    if one.reward is not None:
        yield t("reward {r}", "奖励 {r}", r=number(one.reward)) + _parts(one.rewards or {})
    if one.group is not None:
        yield t("group {g}", "第 {g} 组", g=one.group)
    if one.length is not None:
        yield t("{n} tokens", "{n} 个词元", n=one.length)
    if one.truncated:
        yield style(t("truncated", "被截断"), "yellow")


def _parts(rewards: dict[str, float | None]) -> str:
    listed = t(", ", "，").join(f"{name} {number(value)}" for name, value in rewards.items())
    return t(" ({parts})", "（{parts}）", parts=listed) if listed else ""


def _nothing(query: dict[str, Any], logged: SamplePage) -> None:
    """Say when a filter finds nothing because no row has what it asks for."""
    for key in ("group", "truncated"):
        if query[key] is None or not logged.samples:
            continue
        if all(getattr(one, key) is None for one in logged.samples):
            note(
                t(
                    "samples of this job don't say `{key}`: its framework does not tell it",
                    "该任务的样例没有 `{key}` 信息：其框架未提供",
                    key=key,
                )
            )

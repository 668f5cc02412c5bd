"""``sf board``: scores that others measured, beside our own and never among them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from starforge.cli.base import Group, argument, json_option, option
from starforge.cli.output import note, number, print_json, print_table, say
from starforge.cli.session import open_client
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.wire.external import ExternalScore


@click.group(
    "board",
    cls=Group,
    text=(
        "Keep scores that others measured.\n\nThey are shown below the board with where they "
        "come from, and are never compared with own results: how they were taken isn't known.",
        "保存他人测得的得分。\n\n它们列在看板下方并注明出处，不与自己的结果混在一起，"
        "因为评测方式未必相同。",
    ),
    examples=[
        ("sf board add published.yaml", ("add scores from a file", "从文件添加得分")),
        ("sf board ls --benchmark gsm8k", ("list them", "列出得分")),
    ],
)
def board() -> None:
    """Everything happens in the commands."""


@board.command(
    "add",
    text=(
        "Add scores from a YAML or CSV file.\n\nA score has model, benchmark, metric, value and "
        "source (a URL or a paper); stderr, items, date, higher_is_better and settings may be "
        "there. A score that is there already is left as it is.",
        "从 YAML 或 CSV 文件添加得分。\n\n每个得分要有 model、benchmark、metric、value 和 source"
        "（网址或论文），可以有 stderr、items、date、higher_is_better 和 settings。"
        "已有的得分保持不变。",
    ),
    examples=[("sf board add published.csv", ("a table", "一张表"))],
)
@argument(
    "file",
    ("The file.", "文件。"),
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@json_option
def add(file: Path, as_json: bool) -> None:
    """JSON is ``{added, known}``."""
    from starforge.evals.external import read_external

    rows = read_external(file)
    with open_client() as client:
        done = client.add_external(rows)
    if as_json:
        print_json(done)
        return
    say(t("added {n} scores", "添加了 {n} 个得分", n=done.added))
    if done.known:
        note(t("{n} were there already", "{n} 个已经存在", n=done.known))


@board.command(
    "ls",
    text=("List the scores of others.", "列出他人的得分。"),
    examples=[("sf board ls --json", ("for a script", "供脚本使用"))],
)
@option("--benchmark", metavar="NAME", text=("Only this benchmark.", "只看该评测。"))
@option("--model", metavar="MODEL", text=("Only this model.", "只看该模型。"))
@json_option
def ls(benchmark: str | None, model: str | None, as_json: bool) -> None:
    """JSON is ``[{id, model, benchmark, metric, value, source, date, settings, ...}]``."""
    with open_client() as client:
        found = client.external(benchmark=benchmark, model=model)
    if as_json:
        print_json(found)
    elif found:
        print_external(found)
    else:
        note(t("no scores of others: `sf board add FILE` adds some",
               "还没有他人的得分：用 `sf board add 文件` 添加"))  # fmt: skip


@board.command(
    "rm",
    text=("Remove scores of others by their numbers.", "按编号删除他人的得分。"),
    examples=[("sf board rm 3 4", ("remove two", "删除两个"))],
)
@argument(
    "numbers",
    ("Numbers as `sf board ls` shows them.", "`sf board ls` 列出的编号。"),
    nargs=-1,
    required=True,
    type=click.IntRange(1, 2**53),
)
@json_option
def rm(numbers: tuple[int, ...], as_json: bool) -> None:
    """Stop at the first number that is not there; JSON is ``{removed: [NUMBER]}``."""
    with open_client() as client:
        for one in numbers:
            client.remove_external(one)
    if as_json:
        print_json({"removed": numbers})
        return
    say(t("removed {n}", "已删除 {n} 个", n=len(numbers)))


def print_external(found: Sequence[ExternalScore]) -> None:
    """Print scores of others with where they come from."""
    print_table(
        [
            "#",
            t("model", "模型"),
            t("benchmark", "评测"),
            t("metric", "指标"),
            t("value", "得分"),
            t("settings", "设置"),
            t("source", "出处"),
            t("date", "日期"),
        ],
        [
            (one.id, one.model, one.benchmark, one.metric, _value(one),
             ", ".join(f"{k} {v}" for k, v in one.settings.items()), one.source, one.date)
            for one in found
        ],
        right=(0,),
    )  # fmt: skip


def _value(one: ExternalScore) -> str:
    error = f" ±{number(one.stderr, 2)}" if one.stderr is not None else ""
    items = f" n={one.items}" if one.items is not None else ""
    return f"{number(one.value)}{error}{items}"

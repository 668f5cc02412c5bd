"""``sf bench compare``: two jobs or models item by item."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from starforge.cli.base import argument, command, json_option, option
from starforge.cli.output import note, number, print_fields, print_json, say, style, visible
from starforge.cli.session import open_client
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.wire.compare import (
        Answer,
        Compared,
        ComparedSide,
        Comparison,
        ItemAnswers,
    )

SIDE = (
    "A job that measured, or a model as the board calls it.",
    "评测任务，或看板上的模型名。",
)
SHOWN = 600  # characters of a text on the screen; --json has more


@command(
    "compare",
    (
        "Compare two jobs or models item by item.\n\nOf every benchmark that both have: what "
        "both got right or only one of them, the difference with its paired bootstrap interval, "
        "the exact p-value of McNemar's test where items are right or wrong, and with -n the "
        "items that flipped. Results with other settings are refused; a seed of sampling is none.",
        "逐题对比两个任务或模型。\n\n对两者都有的每个评测，给出两者都对、仅一方答对的题数，"
        "分差及其配对自助法置信区间；题目只分对错时还有 McNemar 精确检验的 p 值；"
        "用 -n 列出对错翻转的题目。评测设置不同的结果不予对比；采样的种子不算设置。",
    ),
    ("sf bench compare models/base job:my-sft --pack gsm8k", ("one benchmark", "只比一个评测")),
    ("sf bench compare k3v9x2ab m4w8y1cd -n 5", ("two jobs, five items", "两个任务，看五道题")),
)
@argument("a", SIDE, metavar="A")
@argument("b", SIDE, metavar="B")
@option("--pack", metavar="NAME", text=("Only this benchmark.", "只看该评测。"))
@option(
    "--items",
    "-n",
    type=click.IntRange(0, 10_000),
    default=0,
    metavar="N",
    text=("Show N items that flipped.", "显示 N 道对错翻转的题目。"),
)
@option(
    "--anyway",
    is_flag=True,
    text=("Compare although settings differ.", "设置不同也照样对比。"),
)
@json_option
def compare(a: str, b: str, *, pack: str | None, items: int, anyway: bool, as_json: bool) -> None:
    """JSON is ``{comparisons: [{benchmark, difference, low, high, p_value, ...}], left_out}``."""
    with open_client() as client:
        found = client.compare(
            _reference(a), _reference(b), benchmark=pack, anyway=anyway, flips=items
        )
    if as_json:
        print_json(found)
        return
    _show(found)


def _reference(text: str) -> str:
    """Make a path absolute, as the board has them; a bare word is a name."""
    path = Path(text).expanduser()
    return str(path.resolve()) if "/" in text and path.exists() else text


def _show(found: Compared) -> None:
    for index, one in enumerate(found.comparisons):
        if index:
            say()
        _show_one(one)
    for refused in found.refused:
        said = t(refused.message.en, refused.message.zh)
        note(f"{refused.benchmark}: {said}" if refused.benchmark not in said else said)
    if found.left_out:
        note(
            t(
                "only one of the two was scored on {names}",
                "只有一方做过这些评测：{names}",
                names=", ".join(found.left_out),
            )
        )


def _show_one(one: Comparison) -> None:
    say(style(f"{one.benchmark} {one.metric}", bold=True))
    interval = None
    if one.low is not None and one.high is not None:
        interval = f"{number(one.low)} … {number(one.high)} " + t(
            "({level:.0%}, paired bootstrap)", "（{level:.0%}，配对自助法）", level=one.level
        )
    counts = one.counts
    print_fields(
        [
            ("A", _side(one.a)),
            ("B", _side(one.b)),
            (t("items", "题数"), _items(one)),
            (t("B - A", "B - A"), _signed(one.difference, one.stderr)),
            (t("interval", "置信区间"), interval),
            (t("both right", "两者都对"), counts and counts.both),
            (t("only A", "仅 A 对"), counts and counts.only_a),
            (t("only B", "仅 B 对"), counts and counts.only_b),
            (t("neither", "都错"), counts and counts.neither),
            (t("McNemar p", "McNemar p 值"), None if one.p_value is None else number(one.p_value)),
        ]
    )
    for key, (ours, theirs) in one.differs.items():
        note(
            t("not equal: {key} {a} / {b}", "设置不同：{key} {a} / {b}", key=key, a=ours, b=theirs)
        )
    say(_verdict(one))
    for flip in one.flips:
        _show_flip(flip)


def _side(one: ComparedSide) -> str:
    seed = "" if one.seed is None else t(", seed {n}", "，种子 {n}", n=one.seed)
    return f"{number(one.value)}  {one.model} ({one.job}{seed})"


def _items(one: Comparison) -> str:
    missing = [
        t("{n} only in {side}", "另有 {n} 题仅 {side} 有", n=count, side=side)
        for count, side in ((one.missing_b, "A"), (one.missing_a, "B"))
        if count
    ]
    return ", ".join([str(one.items), *missing])


def _signed(value: float, stderr: float | None) -> str:
    error = f" ±{number(stderr, 2)}" if stderr is not None else ""
    return f"{'+' if value > 0 else ''}{number(value)}{error}"


def _verdict(one: Comparison) -> str:
    """Say whether chance alone explains the difference: the interval holds zero, or not."""
    if one.low is None or one.high is None:
        return t("one item says nothing of chance", "只有一道题，无法判断是否偶然")
    if one.low <= 0 <= one.high or (one.p_value is not None and one.p_value > 1 - one.level):
        return t("the difference may be chance", "分差可能只是偶然")
    better = (one.difference > 0) == one.higher_is_better
    return t("{side} is better", "{side} 更好", side="B" if better else "A")


def _show_flip(flip: ItemAnswers) -> None:
    say()
    say(style(t("item {id}", "题目 {id}", id=flip.item), bold=True))
    for name, text in (
        (t("question", "题目"), flip.prompt),
        (t("right", "正确答案"), flip.reference),
        ("A", _answer(flip.a)),
        ("B", _answer(flip.b)),
    ):
        if text:
            print_fields([(name, _cut(visible(text)))])


def _answer(one: Answer) -> str:
    extracted = one.extracted
    left = f" -> {extracted}" if extracted and extracted != one.completion else ""
    return f"[{number(one.score)}] {one.completion or ''}{left}"


def _cut(text: str) -> str:
    """Keep the beginning and the end, where a question itself stands after its examples."""
    if len(text) <= SHOWN:
        return text
    return f"{text[: SHOWN // 3]}\n…\n{text[-2 * SHOWN // 3 :]}"

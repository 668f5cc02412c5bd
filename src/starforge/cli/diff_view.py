"""Two methods side by side, for ``sf methods diff``."""

from __future__ import annotations

from typing import Any

from starforge.choose.diff import is_empty
from starforge.cli.method_view import value
from starforge.cli.output import print_table, say, style
from starforge.lang import t

Found = dict[str, Any]

_FACTS = {
    "framework": ("framework", "框架"),
    "version": ("version", "版本"),
    "algorithm": ("algorithm", "算法"),
    "model": ("model", "模型"),
    "teacher": ("teacher", "教师"),
    "reward": ("reward", "奖励"),
    "runtime": ("runtime", "运行环境"),
    "kind": ("kind of data", "数据类型"),
    "shapes": ("columns", "列"),
    "train": ("training data", "训练数据"),
    "validation": ("validation data", "验证数据"),
    "test": ("test data", "测试数据"),
    "path": ("key", "键"),
    "type": ("type", "类型"),
    "default": ("default", "默认值"),
    "minimum": ("at least", "最小"),
    "maximum": ("at most", "最大"),
    "exclusive_minimum": ("above the least", "不含最小值"),
    "choices": ("choices", "可选值"),
    "unit": ("unit", "单位"),
    "options": ("choices", "可选值"),
}


def show_diff(found: Found) -> None:
    """Print every difference; nothing is cut."""
    a, b = found["a"], found["b"]
    say(f"{style(a, bold=True)}  {style(b, bold=True)}")
    if is_empty(found):
        say(t("no difference", "没有区别"))
        return
    _pairs(t("The method", "方法本身"), found["facts"] | found["data"], a, b)
    parameters = found["parameters"]
    _different(parameters["different"], a, b)
    if parameters["same"]:
        say()
        say(t("{n} parameters are the same", "有 {n} 个参数完全相同", n=parameters["same"]))
    for side, name in (("only_a", a), ("only_b", b)):
        _names(t("Parameters only in {m}", "仅 {m} 有的参数", m=name), parameters[side])
    _pairs(t("Pins", "固定设置"), found["pins"], a, b)
    for side, name in (("only_a", a), ("only_b", b)):
        _names(t("Metrics only in {m}", "仅 {m} 有的指标", m=name), found["metrics"][side])


def _head(text: str) -> None:
    say()
    say(style(text, bold=True))


def _word(name: str) -> str:
    return t(*_FACTS[name]) if name in _FACTS else name


def _cell(given: Any) -> str:
    return "-" if given is None else value(given)


def _pairs(title: str, pairs: Found, a: str, b: str) -> None:
    if pairs:
        _head(title)
        print_table(
            ["", a, b],
            [(_word(name), _cell(one["a"]), _cell(one["b"])) for name, one in pairs.items()],
        )


def _different(parameters: Found, a: str, b: str) -> None:
    """Show one parameter after the other: lists of choices are too long for a table."""
    if not parameters:
        return
    _head(t("Parameters that differ", "不同的参数") + f" ({a} | {b})")
    for name, facts in parameters.items():
        say(f"  {style(name, bold=True)}")
        for fact, one in facts.items():
            pair = (value(one[side]) if fact == "default" else _cell(one[side]) for side in "ab")
            say(f"    {_word(fact)}: {' | '.join(pair)}")


def _names(title: str, names: list[str]) -> None:
    if names:
        _head(title)
        say("  " + ", ".join(names))

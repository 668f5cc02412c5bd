"""``sf explain``: what a finding means, with a bad and a good example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from starforge.cli.base import argument, command, json_option
from starforge.cli.output import note, print_json, print_table, say, style
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.findings import Rule

SEVERITY = {"error": "错误", "warning": "警告", "info": "提示"}
_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


def _codes(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    from starforge.findings.declared import every_rule

    return [code for code in every_rule() if code.startswith(incomplete)]


@command(
    "explain",
    (
        "Explain a finding: why it is one, how to mend it, a bad and a good example.\n\nWithout a "
        "code, lists all codes; with the part before the slash, those of one area.",
        "解释一条检查结果：为什么、怎么改，并给出不通过与通过的示例。\n\n"
        "不给代码则列出全部代码；只写斜杠前的部分则列出该类。",
    ),
    ("sf explain config/unknown-key", ("one finding", "解释一条检查结果")),
    ("sf explain data", ("all about data", "所有与数据有关的代码")),
    ("sf explain lock/drift --json", ("for a script", "供脚本使用")),
)
@argument(
    "code",
    ("A code, such as data/columns.", "代码，如 data/columns。"),
    required=False,
    shell_complete=_codes,
)
@json_option
def explain(code: str | None, as_json: bool) -> None:
    """JSON is ``{code, severity, title, message, hint, why, bad, good}``, or a list of them."""
    from starforge.findings.declared import every_rule, explained

    rules = every_rule()
    if code is not None and code in rules:
        if as_json:
            print_json(explained(rules[code]))
        else:
            _show(rules[code])
        return
    listed = [rule for name, rule in rules.items() if code is None or name.startswith(f"{code}/")]
    if not listed:
        raise _unknown(str(code), list(rules))
    if as_json:
        print_json([explained(rule) for rule in listed])
        return
    print_table(
        [t("code", "代码"), t("severity", "级别"), t("what it is", "说明")],
        [(rule.code, severity(rule), rule.title.pick()) for rule in listed],
    )
    note(t("{n} codes; `sf explain CODE` explains one",
           "共 {n} 个代码；`sf explain 代码` 解释某一个",
           n=len(listed)))  # fmt: skip


def severity(rule: Rule) -> str:
    """Name the severity in the language of this process."""
    return t(rule.severity, SEVERITY[rule.severity])


def _show(rule: Rule) -> None:
    from starforge.findings.declared import explained

    shown = explained(rule)
    say(f"{style(rule.code, bold=True)}  {rule.title.pick()} "
        f"({style(severity(rule), _COLOURS[rule.severity])})")  # fmt: skip
    say()
    say(f"  {shown['message']}")
    if shown["hint"]:
        say(f"  {style(t('hint: ', '提示：'), 'cyan')}{shown['hint']}")
    say()
    say(shown["why"])
    for label, text in ((t("Bad:", "不通过："), rule.bad), (t("Good:", "通过："), rule.good)):
        say()
        say(style(label, bold=True))
        for line in text.rstrip().splitlines() or [t("(an empty file)", "（空文件）")]:
            say(f"  {line}")


def _unknown(code: str, known: list[str]) -> Exception:
    from starforge.errors import StarForgeError
    from starforge.findings import nearest
    from starforge.i18n import Text

    tails = {name.partition("/")[2]: name for name in known}
    areas = list(dict.fromkeys(name.partition("/")[0] for name in known))
    near = list(dict.fromkeys([
        *nearest(code, known),
        *(tails[name] for name in nearest(code.rpartition("/")[2], tails)),
        *(name for name in known if len(code) > 2 and code.lower() in name),
        *nearest(code, areas, 1),
    ]))[:3]  # fmt: skip
    listed = ", ".join(f"`{one}`" for one in near)
    hint = (
        Text(f"did you mean {listed}?", f"是不是想写 {listed}？")
        if near
        else Text("`sf explain` lists all codes", "用 `sf explain` 列出全部代码")
    )
    return StarForgeError(
        "explain/unknown-code",
        Text(f"there is no finding with the code `{code}`", f"没有代码为 `{code}` 的检查结果"),
        hint,
    )

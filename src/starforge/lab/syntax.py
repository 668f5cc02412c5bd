"""Say in plain words what the YAML parser found wrong."""

from __future__ import annotations

import yaml

from starforge.i18n import Text

# What libyaml (and PyYAML's own parser) says, and what it usually means.
_MEANINGS: tuple[tuple[str, Text], ...] = (
    ("mapping values are not allowed",
     Text("there is a second `:` here, or the indentation is wrong; quote texts that hold `: `",
          "此处多了一个 `:`，或缩进不对；含有 `: ` 的文本请加引号")),
    ("expected ':'", Text("a `:` is missing after a key", "键后面缺少 `:`")),
    ("expected ',' or '}'", Text("a `{` is not closed, or a `,` is missing",
                                 "`{` 没有闭合，或缺少 `,`")),
    ("expected ',' or ']'", Text("a `[` is not closed, or a `,` is missing",
                                 "`[` 没有闭合，或缺少 `,`")),
    ("unexpected end of stream", Text("a quote or a bracket is not closed",
                                      "引号或括号没有闭合")),
    ("did not find expected key", Text("the indentation does not fit the lines above",
                                       "缩进与上面的行不一致")),
    ("expected <block end>", Text("the indentation does not fit the lines above",
                                  "缩进与上面的行不一致")),
    ("maximum nesting", Text("it is nested too deep; check the brackets",
                             "嵌套过深，请检查括号")),
    ("expected '-' indicator", Text("a list item must start with `- `", "列表项必须以 `- ` 开头")),
    ("block sequence entries are not allowed",
     Text("a list can't start here; put it on its own lines", "列表不能从这里开始，请另起一行")),
    ("cannot start any token", Text("this character can't start a value; quote the text",
                                    "值不能以这个字符开头，请给文本加引号")),
    ("escape", Text("unknown escape after `\\`; use single quotes or `\\\\`",
                    "`\\` 后的转义无法识别，请改用单引号或写成 `\\\\`")),
    ("undefined tag handle", Text("unknown tag; texts that start with `!` need quotes",
                                  "无法识别的标签；以 `!` 开头的文本请加引号")),
    ("alphabetic or numeric",
     Text("a name must follow `*` or `&`; texts that start with them need quotes",
          "`*` 或 `&` 后必须有名字；以它们开头的文本请加引号")),
)  # fmt: skip


def explain(error: yaml.MarkedYAMLError) -> Text:
    """Return what is wrong; the parser's own words when the problem is a rare one."""
    problem = error.problem or str(error)
    for part, meaning in _MEANINGS:
        if part in problem:
            return meaning
    context = f" {error.context}" if error.context else ""
    return Text(f"{problem}{context}", f"{problem}{context}")

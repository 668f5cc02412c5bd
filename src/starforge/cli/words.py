"""click's own words in Chinese.

click looks its texts up with gettext's functions, bound once at import in each of its
modules. We bind ours there, which answer in the language of the moment, so no compiled
message catalog has to be shipped.
"""

from __future__ import annotations

import sys

from starforge.lang import current_lang

CHINESE: dict[str, str] = {
    "Aborted!": "已中止！",
    "Options": "选项",
    "Positional arguments": "参数",
    "Commands": "命令",
    "Usage:": "用法:",
    "Show this message and exit.": "显示本帮助。",
    "Missing command.": "缺少命令。",
    "Missing argument": "缺少参数",
    "Missing option": "缺少选项",
    "Missing parameter": "缺少参数",
    "Missing {param_type}": "缺少 {param_type}",
    "Missing parameter: {param_name}": "缺少参数：{param_name}",
    "No such option {name!r}.": "没有选项 {name!r}。",
    "No such command {name!r}.": "没有命令 {name!r}。",
    "Did you mean {possibility}?": "是不是想写 {possibility}？",
    "(Did you mean one of: {possibilities}?)": "（是不是想写其中之一：{possibilities}？）",
    "Invalid value: {message}": "值无效：{message}",
    "Invalid value for {param_hint}: {message}": "{param_hint} 的值无效：{message}",
    "Got unexpected extra argument ({args})": "多余的参数（{args}）",
    "Got unexpected extra arguments ({args})": "多余的参数（{args}）",
    "Option {name!r} does not take a value.": "选项 {name!r} 不带值。",
    "Option {name!r} requires an argument.": "选项 {name!r} 需要一个值。",
    "Option {name!r} requires {nargs} arguments.": "选项 {name!r} 需要 {nargs} 个值。",
    "Argument {name!r} takes {nargs} values.": "参数 {name!r} 需要 {nargs} 个值。",
    "Choose from:\n\t{choices}": "可选：\n\t{choices}",
    "{value!r} is not {choice}.": "{value!r} 不是 {choice}。",
    "{value!r} is not one of {choices}.": "{value!r} 不在可选值 {choices} 之中。",
    "{value!r} is not a valid {number_type}.": "{value!r} 不是有效的 {number_type}。",
    "{value} is not in the range {range}.": "{value} 不在范围 {range} 之内。",
    "{name} {filename!r} does not exist.": "{name} {filename!r} 不存在。",
    "{name} {filename!r} is a file.": "{name} {filename!r} 是一个文件。",
    "{name} {filename!r} is a directory.": "{name} {filename!r} 是一个目录。",
    "{name} {filename!r} is not readable.": "{name} {filename!r} 不可读。",
    "{name} {filename!r} is not writable.": "{name} {filename!r} 不可写。",
    "file": "文件",
    "directory": "目录",
    "path": "路径",
    "env var: {var}": "环境变量：{var}",
    "default: {default}": "默认：{default}",
    "required": "必填",
    "(dynamic)": "（动态）",
    "Do you want to continue?": "要继续吗？",
    "Error: {message}": "错误：{message}",
    "Error: invalid input": "错误：输入无效",
}


def _word(text: str) -> str:
    return CHINESE.get(text, text) if current_lang() == "zh" else text


def _words(one: str, many: str, count: int) -> str:
    return _word(one if count == 1 else many)


def bind() -> None:
    """Give click our lookup."""
    for name, module in list(sys.modules.items()):
        if name.startswith("click."):
            for lookup, ours in (("_", _word), ("ngettext", _words)):
                if lookup in vars(module):
                    setattr(module, lookup, ours)

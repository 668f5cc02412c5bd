"""Words of a launch script pasted into YAML, and how to write them there."""

from __future__ import annotations

import re

from starforge.findings import Finding, Location, rule
from starforge.i18n import Text

SHELL_FORM = rule(
    "yaml/shell-form", "error",
    title=Text("Command line pasted into YAML", "把命令行参数粘贴进了 YAML"),
    message=Text("this is written as on a command line: `{found}`",
                 "这是命令行的写法：`{found}`"),
    hint=Text("write `{better}`, one `key: value` a line; `sf import` reads whole scripts",
              "请写成 `{better}`，每行一个 `键: 值`；整段脚本可用 `sf import` 读入"),
    why=Text("YAML would read the words as one long text, and none of the settings would apply.",
             "YAML 会把它们读成一整段文本，所有设置都不会生效。"),
    bad="--learning_rate 1e-5 \\\n--num_train_epochs 3", good="learning_rate: 1e-5",
)  # fmt: skip

_OPTION = re.compile(r"--?(?P<key>[A-Za-z][\w.-]*)(?:(?:=|\s+)(?P<value>\S.*))?")
_OVERRIDE = re.compile(r"(?:~|\+{0,2})(?P<key>[A-Za-z_][\w./@-]*)=(?P<value>\S.*|)")
_LIMIT = 60


def as_yaml(word: str) -> str | None:
    """Return how a word of a command line is written in YAML; ``None`` when it is none."""
    text = word.strip().removesuffix("\\").strip()
    match = _OPTION.fullmatch(text) if text.startswith("--") else _OVERRIDE.fullmatch(text)
    if match is None:
        return None
    value = (match["value"] or "").strip().strip("'\"") or "true"
    return f"{match['key']}: {value}"


def find_in_lines(text: str, file: str) -> Finding | None:
    """Return the finding for the first line of ``text`` that is a word of a command line."""
    for number, line in enumerate(text.splitlines(), start=1):
        body = re.sub(r"^\s*- +", "", line).split(" #")[0].strip()
        better = as_yaml(body)
        if better is not None:
            column = len(line) - len(line.lstrip()) + 1
            return shell_form(Location(file=file, line=number, column=column), body, better)
    return None


def shell_form(at: Location, found: str, better: str) -> Finding:
    """Return the finding, with long words cut."""
    return SHELL_FORM.at(at, found=_cut(found), better=_cut(better))


def _cut(text: str) -> str:
    return text if len(text) <= _LIMIT else text[: _LIMIT - 1] + "…"

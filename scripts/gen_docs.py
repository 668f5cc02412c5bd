"""Generate the reference pages of the documentation from the code, in both languages.

    python scripts/gen_docs.py            write docs/{en,zh}/cli.md and findings.md
    python scripts/gen_docs.py --check    write nothing; exit with 1 when a page is stale
"""

from __future__ import annotations

import argparse
import pkgutil
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click

from starforge.cli import words
from starforge.cli.base import Argument, Option, _Texts
from starforge.cli.root import root
from starforge.cli.table import SECTIONS
from starforge.findings import Rule, all_rules
from starforge.lang import Lang, set_lang, t

DOCS = Path(__file__).parents[1] / "docs"
LANGS: tuple[Lang, ...] = ("en", "zh")
RULE_PACKAGES = ("starforge.lab", "starforge.checks", "starforge.frameworks", "starforge.evals")
SEVERITY = {"error": "错误", "warning": "警告", "info": "提示"}

CLI_INTRO = (
    """# CLI reference

Generated from the commands by `scripts/gen_docs.py`; do not edit.

Every command prints JSON with `--json` and help with `--help`. `--lang en|zh` may stand anywhere on the line; without it `SF_LANG` decides, then the locale. Colours are used on a terminal only, and never when `NO_COLOR` is set.

## Exit codes

| code | meaning |
| --- | --- |
| 0 | fine |
| 1 | the thing asked about is not fine: an experiment with errors, a failed job, something that does not exist |
| 2 | the command line is wrong |
| 3 | the server or an engine is out of reach |
| 4 | not allowed: no token, or a wrong one |
| 130 | interrupted with Ctrl-C |

An error is a line `error: …` and mostly a line `hint: …` on stderr. With `--json`, stdout holds `{"error": {"code", "message", "hint"}}` as well.

## Environment

| variable | meaning |
| --- | --- |
| `STARFORGE_HOME` | state of the embedded server, runtimes (default `~/.starforge`) |
| `STARFORGE_URL`, `STARFORGE_TOKEN` | a server elsewhere; goes before `sf login` |
| `SF_LANG` | `en` or `zh` |
| `SF_DEBUG=1` | print the traceback of a defect |
| `NO_COLOR` | no colours |

## JSON

| command | shape |
| --- | --- |
| `sf methods` | list of `{name, framework, version, summary: {en, zh}, data, roles}` |
| `sf methods NAME` | the same plus `parameters: [{name, path, type, default, choices, minimum, maximum, group, description}]`, `pins: [{path, value, reason}]`, `metrics`, `stages` |
| `sf validate EXP` | `{ok, method, findings: [{code, severity, file, line, column, key, value, message, hint}]}` |
| `sf plan EXP` | `{method, processes: [{role, argv, env, cwd, count}], files, config, differs, checkpoints, metrics, digest}` |
| `sf submit EXP` | the job: `{id, name, state, …}` |
| `sf job show JOB` | `{id, name, method, state, reason, attempts, created_at, started_at, ended_at, outputs, …}` |
| `sf job metrics JOB` | `{NAME: {step: […], value: […], attempt: […]}}` |
| `sf status` | `{running, url, pid, version, home}` |
| `sf bench board` | list of `{model, job, benchmark, metric, value, stderr, items, settings, created_at}` |

States of a job: `queued`, `starting`, `running`, `stopping`, `succeeded`, `failed`, `stopped`, `unreachable`. More keys may be added to any shape.
""",
    """# 命令行参考

本页由 `scripts/gen_docs.py` 根据命令生成，请勿手工修改。

每个命令都支持 `--json` 输出 JSON、`--help` 查看帮助。`--lang en|zh` 可以写在命令行的任何位置；不写时看 `SF_LANG`，再看系统区域设置。只有在终端中才使用颜色，设置了 `NO_COLOR` 时从不使用。

## 退出码

| 退出码 | 含义 |
| --- | --- |
| 0 | 正常 |
| 1 | 所问的对象有问题：实验有错误、任务失败、对象不存在 |
| 2 | 命令行写错了 |
| 3 | 服务或执行引擎无法连接 |
| 4 | 没有权限：缺少令牌或令牌不对 |
| 130 | 被 Ctrl-C 中断 |

出错时 stderr 上有一行 `错误：…`，多数情况下还有一行 `提示：…`。使用 `--json` 时，stdout 上同时给出 `{"error": {"code", "message", "hint"}}`。

## 环境变量

| 变量 | 含义 |
| --- | --- |
| `STARFORGE_HOME` | 内嵌服务和运行环境的状态目录（默认 `~/.starforge`） |
| `STARFORGE_URL`、`STARFORGE_TOKEN` | 使用别处的服务，优先于 `sf login` |
| `SF_LANG` | `en` 或 `zh` |
| `SF_DEBUG=1` | 遇到缺陷时输出调用栈 |
| `NO_COLOR` | 不使用颜色 |

## JSON 格式

| 命令 | 格式 |
| --- | --- |
| `sf methods` | 列表：`{name, framework, version, summary: {en, zh}, data, roles}` |
| `sf methods NAME` | 在上面的基础上增加 `parameters: [{name, path, type, default, choices, minimum, maximum, group, description}]`、`pins: [{path, value, reason}]`、`metrics`、`stages` |
| `sf validate EXP` | `{ok, method, findings: [{code, severity, file, line, column, key, value, message, hint}]}` |
| `sf plan EXP` | `{method, processes: [{role, argv, env, cwd, count}], files, config, differs, checkpoints, metrics, digest}` |
| `sf submit EXP` | 任务：`{id, name, state, …}` |
| `sf job show JOB` | `{id, name, method, state, reason, attempts, created_at, started_at, ended_at, outputs, …}` |
| `sf job metrics JOB` | `{NAME: {step: […], value: […], attempt: […]}}` |
| `sf status` | `{running, url, pid, version, home}` |
| `sf bench board` | 列表：`{model, job, benchmark, metric, value, stderr, items, settings, created_at}` |

任务状态：`queued`、`starting`、`running`、`stopping`、`succeeded`、`failed`、`stopped`、`unreachable`。各格式今后可能增加新的键。
""",
)

FINDINGS_INTRO = (
    """# Findings

Generated from the rules by `scripts/gen_docs.py`; do not edit.

Everything `sf validate` can say. Codes are stable. `{…}` stands for what was found.
""",
    """# 检查结果

本页由 `scripts/gen_docs.py` 根据规则生成，请勿手工修改。

`sf validate` 可能给出的全部结果。代码是稳定的；`{…}` 处会填入实际内容。
""",
)


def cli_page() -> str:
    """Return the CLI reference in the language of this process."""
    words.bind()
    parts = [t(*CLI_INTRO)]
    context = click.Context(root, info_name="sf")
    for title, commands in SECTIONS:
        parts.append(f"## {t(*title)}\n")
        for name in commands:
            command = root.get_command(context, name)
            assert command is not None
            parts += _command(command, click.Context(command, info_name=name, parent=context))
    return "\n".join(parts)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    assert isinstance(command, _Texts), context.command_path
    path = context.command_path
    yield f"### {path}\n"
    yield t(*command.text) + "\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _command(child, click.Context(child, info_name=name, parent=context))
        return
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    yield f"```\n{usage}\n```\n"
    yield from _parameters(command, context)
    examples = "\n".join(f"# {t(*what)}\n{line}" for line, what in command.examples)
    yield f"```sh\n{examples}\n```\n"


def _parameters(command: click.Command, context: click.Context) -> Iterator[str]:
    rows = []
    for parameter in command.params:
        assert isinstance(parameter, Argument | Option), f"{context.command_path}: {parameter.name}"
        record = parameter.get_help_record(context)
        if record is not None:
            left, right = (text.replace("|", "\\|") for text in record)
            rows.append(f"| `{left}` | {right} |")
    if rows:
        yield f"| {t('argument or option', '参数或选项')} | |\n| --- | --- |"
        yield "\n".join(rows) + "\n"


def findings_page() -> str:
    """Return the findings reference in the language of this process."""
    for name in RULE_PACKAGES:
        package = import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if ".drivers" not in module.name and "._drivers" not in module.name:
                import_module(module.name)
    parts = [t(*FINDINGS_INTRO)]
    area = ""
    for rule in all_rules():
        if rule.code.split("/")[0] != area:
            area = rule.code.split("/")[0]
            parts.append(f"## {area}\n")
        parts += _rule(rule)
    return "\n".join(parts)


def _rule(rule: Rule) -> Iterator[str]:
    severity = t(rule.severity, SEVERITY[rule.severity])
    yield f"### {rule.code}\n"
    yield f"**{rule.title.pick()}** ({severity})\n"
    yield f"> {rule.message.pick()}\n"
    if rule.hint is not None:
        yield f"> {t('hint: ', '提示：')}{rule.hint.pick()}\n"
    yield rule.why.pick() + "\n"
    for label, text in ((t("Bad:", "不通过："), rule.bad), (t("Good:", "通过："), rule.good)):
        fence = "````" if "```" in text else "```"
        yield f"{label}\n\n{fence}\n{text.rstrip()}\n{fence}\n"


def pages() -> dict[Path, str]:
    """Return every generated page with its text."""
    found = {}
    for lang in LANGS:
        set_lang(lang)
        found[DOCS / lang / "cli.md"] = cli_page()
        found[DOCS / lang / "findings.md"] = findings_page()
    set_lang(None)
    return {path: text.rstrip() + "\n" for path, text in found.items()}


def main() -> int:
    """Write the pages, or say which are stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = 0
    for path, text in pages().items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            print(f"stale: {path.relative_to(DOCS.parent)}", file=sys.stderr)
            stale += 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(DOCS.parent)}")
    if stale:
        print("run `python scripts/gen_docs.py`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())

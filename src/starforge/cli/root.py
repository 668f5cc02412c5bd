"""The root of ``sf``: which commands there are, and in which module each lives."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import click

from starforge import __version__
from starforge.cli import words
from starforge.cli.base import Both, Group, option
from starforge.lang import normalize_lang, set_lang, t


class Lazy(NamedTuple):
    """A command that is imported when it is used. ``text`` is its line in ``sf --help``."""

    module: str
    attribute: str
    text: Both


SECTIONS: list[tuple[Both, dict[str, Lazy]]] = [
    (
        ("Experiments", "实验"),
        {
            "init": Lazy("lab", "init", ("Create a lab: a folder for experiments.", "新建一个实验室（存放实验的目录）。")),
            "new": Lazy("lab", "new", ("Create an experiment of a method.", "按某个方法新建一个实验。")),
            "ls": Lazy("lab", "ls", ("List the experiments of this lab.", "列出当前实验室的实验。")),
            "methods": Lazy("methods", "methods", ("Browse the methods and their parameters.", "浏览方法及其参数。")),
            "validate": Lazy("validate", "validate", ("Check an experiment; touch nothing.", "检查一个实验，不做任何改动。")),
            "plan": Lazy("plan", "plan", ("Show exactly what would run.", "显示将要运行的全部内容。")),
        },
    ),
    (
        ("Jobs", "任务"),
        {
            "submit": Lazy("submit", "submit", ("Run an experiment as a job.", "把实验作为任务提交运行。")),
            "job": Lazy("job", "job", ("Look at jobs and steer them.", "查看和控制任务。")),
            "bench": Lazy("bench", "bench", ("Benchmark models and compare scores.", "评测模型、对比得分。")),
        },
    ),
    (
        ("Data, models, runtimes", "数据、模型与运行环境"),
        {
            "dataset": Lazy("dataset", "dataset", ("Register data and look it up.", "登记和查询数据集。")),
            "model": Lazy("model", "model", ("Register models and look them up.", "登记和查询模型。")),
            "runtime": Lazy("runtime", "runtime", ("Install the pinned environments of frameworks.", "安装各框架的固定版本运行环境。")),
        },
    ),
    (
        ("Server", "服务"),
        {
            "up": Lazy("server", "up", ("Start the embedded server.", "启动内嵌服务。")),
            "down": Lazy("server", "down", ("Stop the embedded server; jobs go on.", "停止内嵌服务，任务继续运行。")),
            "status": Lazy("server", "status", ("Show whether a server runs, and where.", "查看服务是否在运行及其地址。")),
            "login": Lazy("login", "login", ("Use a server elsewhere.", "改用别处的服务。")),
            "logout": Lazy("login", "logout", ("Forget that server.", "不再使用那个服务。")),
        },
    ),
    (
        ("This tool", "本工具"),
        {
            "version": Lazy("about", "version", ("Show versions.", "显示版本。")),
            "completion": Lazy("about", "completion", ("Print shell completion.", "输出 shell 补全脚本。")),
        },
    ),
]  # fmt: skip
COMMANDS: dict[str, Lazy] = {name: lazy for _, part in SECTIONS for name, lazy in part.items()}


class Root(Group):
    """The group ``sf``. Its failures become one clear error and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module and return the command."""
        lazy = COMMANDS.get(cmd_name)
        if lazy is None:
            return None
        found: click.Command = getattr(
            import_module(f"starforge.cli.{lazy.module}"), lazy.attribute
        )
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by section without importing any of them."""
        for title, part in SECTIONS:
            with formatter.section(t(*title)):
                rows = [(name, t(*lazy.text)) for name, lazy in part.items()]
                formatter.write_dl(rows, col_max=12)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Complete command names without importing the commands."""
        from click.shell_completion import CompletionItem

        named = [
            CompletionItem(name, help=t(*lazy.text))
            for name, lazy in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return named or click.Command.shell_complete(self, ctx, incomplete)

    def main(  # type: ignore[override]
        self, args: list[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command line and exit with its code (see ``docs/en/cli.md``)."""
        given = list(sys.argv[1:] if args is None else args)
        extra.pop("standalone_mode", None)
        lang, rest = take_lang(given)
        if lang is not None:
            set_lang(normalize_lang(lang))
        words.bind()
        try:
            code = super().main(rest, prog_name or "sf", standalone_mode=False, **extra)
        except Exception as error:
            from starforge.cli.failures import report

            code = report(error, as_json="--json" in rest)
        sys.exit(code if isinstance(code, int) else 0)


def take_lang(args: list[str]) -> tuple[str | None, list[str]]:
    """Take ``--lang en|zh`` out of a command line, wherever it stands before ``--``.

    It has to be known before click shows anything. What is not a language stays, so that
    click says what is wrong with it.
    """
    lang: str | None = None
    rest: list[str] = []
    position = 0
    while position < len(args):
        word = args[position]
        following = args[position + 1] if position + 1 < len(args) else None
        if word == "--":
            return lang, rest + args[position:]
        if word == "--lang" and following in ("en", "zh"):
            lang, position = following, position + 2
        elif word in ("--lang=en", "--lang=zh"):
            lang, position = word.removeprefix("--lang="), position + 1
        else:
            rest.append(word)
            position += 1
    return lang, rest


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"sf {__version__}")
        ctx.exit()


@click.group(
    cls=Root,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    text=(
        "StarForge: from a base model and some data to a better model.",
        "StarForge：从基座模型和数据，得到更好的模型。",
    ),
    examples=[
        ("sf init my-lab && cd my-lab", ("a lab with room for experiments", "新建一个实验室")),
        ("sf new my-sft --method trl/sft", ("an experiment that runs as created", "新建一个开箱即可运行的实验")),
        ("sf submit my-sft --watch", ("check it, run it, watch it", "检查、提交并实时观看")),
    ],
)  # fmt: skip
@option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    expose_value=False,
    text=("Language (else SF_LANG, else the locale).", "语言（默认看 SF_LANG，再看系统区域设置）。"),
)
@option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    text=("Show the version.", "显示版本。"),
)
def root() -> None:
    """Everything happens in the commands."""

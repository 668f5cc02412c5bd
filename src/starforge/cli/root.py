"""The root of ``sf``: it imports a command when it is used, and catches what goes wrong."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, NoReturn

import click
from click.exceptions import NoSuchCommand

from starforge import __version__
from starforge.cli import words
from starforge.cli.base import Group, option
from starforge.cli.table import COMMANDS, SECTIONS
from starforge.lang import normalize_lang, set_lang, t


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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a misspelt one, name those that are near."""
        try:
            return super().resolve_command(ctx, args)
        except NoSuchCommand as error:
            raise NoSuchCommand(error.command_name, possibilities=COMMANDS, ctx=ctx) from None

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
            code = super().main(rest, "sf", standalone_mode=False, **extra)
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
    "sf",
    cls=Root,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    text=(
        "StarForge: from a base model and some data to a better model.",
        "StarForge：从基座模型和数据，得到更好的模型。",
    ),
    examples=[
        ("sf init my-lab && cd my-lab", ("a lab with room for experiments", "新建一个 lab")),
        (
            "sf new my-sft --method trl/sft",
            ("an experiment that runs as created", "新建一个开箱即可运行的实验"),
        ),
        ("sf submit my-sft --watch", ("check it, run it, watch it", "检查、提交并实时观看")),
    ],
)
@option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    expose_value=False,
    text=(
        "Language (else SF_LANG, else the locale).",
        "语言（默认看 SF_LANG，再看系统区域设置）。",
    ),
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

"""click commands whose texts exist in two languages.

A text is given as ``(english, chinese)`` and picked when it is shown, so help, shell
completion and the generated reference all follow the language of the moment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from starforge.lab.wrap import wrap
from starforge.lang import t

Both = tuple[str, str]
Example = tuple[str, Both]
F = TypeVar("F", bound=Callable[..., Any])


class Option(click.Option):
    """An option with a text in both languages."""

    def __init__(self, *args: Any, text: Both, **attrs: Any) -> None:
        self.text = text
        super().__init__(*args, **attrs)

    @property
    def help(self) -> str | None:
        """The text in the language of this process."""
        return t(*self.text)

    @help.setter
    def help(self, value: str | None) -> None:
        """Ignore what click sets: the text is :attr:`text`."""


class Argument(click.Argument):
    """A positional argument with a text in both languages."""

    def __init__(self, *args: Any, text: Both, **attrs: Any) -> None:
        self.text = text
        super().__init__(*args, **attrs)

    @property
    def help(self) -> str | None:
        """The text in the language of this process."""
        return t(*self.text)

    @help.setter
    def help(self, value: str | None) -> None:
        """Ignore what click sets: the text is :attr:`text`."""


class _Texts(click.Command):
    """What :class:`Command` and :class:`Group` have in common: texts and examples."""

    text: Both
    examples: Sequence[Example]

    def _give_texts(self, text: Both, examples: Sequence[Example]) -> None:
        self.text = text
        self.examples = examples

    @property
    def help(self) -> str | None:
        """The text in the language of this process."""
        return t(*self.text)

    @help.setter
    def help(self, value: str | None) -> None:
        """Ignore what click sets: the text is :attr:`text`."""

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first paragraph; it is written to fit a line."""
        return t(*self.text).split("\n\n")[0].strip()

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return ``--help`` with its text looked up now, not once for good."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = t("Show this help.", "显示本帮助。")
        return option

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the text wrapped by columns; click counts a Chinese character as one."""
        with formatter.indentation():
            for paragraph in t(*self.text).split("\n\n"):
                formatter.write_paragraph()
                indent = " " * formatter.current_indent
                for line in wrap(paragraph, formatter.width - formatter.current_indent):
                    formatter.write(f"{indent}{line}\n")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, each command under what it does."""
        if not self.examples:
            return
        with formatter.section(t("Examples", "示例")):
            indent = " " * formatter.current_indent
            for line, what in self.examples:
                formatter.write(f"{indent}# {t(*what)}\n{indent}{line}\n")


class Command(_Texts):
    """A command with help and examples in both languages."""

    def __init__(
        self, *args: Any, text: Both, examples: Sequence[Example] = (), **attrs: Any
    ) -> None:
        self._give_texts(text, examples)
        super().__init__(*args, **attrs)


class Group(_Texts, click.Group):
    """A group of :class:`Command`."""

    command_class = Command

    def __init__(
        self, *args: Any, text: Both, examples: Sequence[Example] = (), **attrs: Any
    ) -> None:
        self._give_texts(text, examples)
        super().__init__(*args, **attrs)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order they were written, which is how they are used."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their first paragraph, whole."""
        rows = [
            (name, command.get_short_help_str())
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None and not command.hidden
        ]
        with formatter.section(t("Commands", "命令")):
            formatter.write_dl(rows)


def command(name: str, text: Both, *examples: Example, **attrs: Any) -> Callable[[F], Command]:
    """Make a command outside a group."""
    return click.command(name, cls=Command, text=text, examples=examples, **attrs)


def option(*decls: str, text: Both, **attrs: Any) -> Callable[[F], F]:
    """Attach an :class:`Option`."""
    return click.option(*decls, cls=Option, text=text, **attrs)


def argument(name: str, text: Both, **attrs: Any) -> Callable[[F], F]:
    """Attach an :class:`Argument`."""
    return click.argument(name, cls=Argument, text=text, **attrs)


def json_option(function: F) -> F:
    """Attach ``--json`` (parameter ``as_json``)."""
    decorate: Callable[[F], F] = option(
        "--json", "as_json", is_flag=True, text=("Print JSON.", "以 JSON 输出。")
    )
    return decorate(function)


def set_option(function: F) -> F:
    """Attach ``--set KEY=VALUE`` (parameter ``sets``, may be repeated)."""
    decorate: Callable[[F], F] = option(
        "--set",
        "sets",
        multiple=True,
        metavar="KEY=VALUE",
        text=(
            "Override a published parameter, or a key of the framework. May be repeated.",
            "覆盖一个公开参数或框架自己的键，可重复使用。",
        ),
    )
    return decorate(function)

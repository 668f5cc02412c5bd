"""Every `sf` command line in the documentation is one that `sf` takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from starforge.cli.root import root

ROOT = Path(__file__).parents[3]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINE = re.compile(r"^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(sf [^`#\n]*)", re.MULTILINE)


def command_lines(page: Path) -> Iterator[str]:
    """Yield lines of code blocks that begin with ``sf``."""
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```(?:sh|bash|console|text)?\n(.*?)^```", text, re.S | re.M):
        for line in LINE.findall(block):
            yield from re.split(r"&&|;|\||>", line)[:1]


def problem(line: str) -> str | None:
    """Say what click would refuse in ``line``; placeholders in capitals are fine."""
    words = shlex.split(line, comments=True)[1:]
    if not words or words[0].startswith("-"):
        return None
    command: click.Command | None = root
    while isinstance(command, click.Group) and words and words[0] not in ("--help", "[OPTIONS]"):
        if re.search(r"[|]", words[0]):
            return None  # a list of alternatives, as in `sf job stop|resume`
        try:
            _, command, words = command.resolve_command(click.Context(command), words)
        except click.UsageError:
            return f"no command {words[0]!r}"
    assert command is not None
    known = {opt for parameter in command.params for opt in parameter.opts}
    known |= {"--help", "-h", "--lang"}
    if "--" in words:
        words = words[: words.index("--")]
    for word in words:
        flag = word.strip("[]").split("=")[0]
        # One dash may begin a value: `--sort -reward`.
        if flag.startswith("--") and flag not in known:
            return f"no option {flag}"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_the_documentation_exist(page: Path) -> None:
    wrong = {line: why for line in command_lines(page) if (why := problem(line))}
    assert not wrong


def test_the_check_itself() -> None:
    assert problem("sf submit x --watch") is None
    assert problem("sf submti x") == "no command 'submti'"
    assert problem("sf job logs x --folow") == "no option --folow"
    lines = [line for page in PAGES for line in command_lines(page)]
    assert len(lines) > 30

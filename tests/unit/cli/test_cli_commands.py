"""What is true of every command: help with examples in both languages, ``--json``, speed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from starforge.cli.base import Argument, Option, _Texts
from starforge.cli.root import root
from starforge.cli.table import COMMANDS

CJK = re.compile(r"[\u4e00-\u9fff]")


def every_command() -> Iterator[tuple[str, click.Command]]:
    def walk(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
        yield path, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                child = command.get_command(context, name)
                assert child is not None
                yield from walk(f"{path} {name}", child)

    context = click.Context(root)
    for name in COMMANDS:
        command = root.get_command(context, name)
        assert command is not None
        yield from walk(name, command)


ALL = dict(every_command())
LEAVES = {path: command for path, command in ALL.items() if not isinstance(command, click.Group)}


def test_the_published_commands_exist() -> None:
    published = [
        *("up", "down", "status", "open", "login", "logout", "init", "new", "ls", "methods"),
        *("suggest", "validate", "explain", "plan", "smoke", "submit", "import", "port"),
        *("reward try", "reward bench"),
        *("version", "completion"),
    ]
    groups = {
        "job": "ls show logs metrics samples stop resume retry delete edit import watch wait "
        "config experiment record rerun",
        "dataset": "add ls show",
        "model": "add ls show",
        "runtime": "ls install doctor rm",
        "bench": "ls run board new compare contamination",
        "board": "add ls rm",
        "admin": "backup restore verify",
        "recipe": "status upgrade",
        "pipeline": "new validate plan run ls show resume stop",
        "sweep": "run ls show best resume stop",
    }
    published += [f"{group} {name}" for group, names in groups.items() for name in names.split()]
    assert set(published) == set(LEAVES)


@pytest.mark.parametrize("path", ALL)
def test_texts_and_examples_in_both_languages(path: str) -> None:
    command = ALL[path]
    assert isinstance(command, _Texts)
    assert not CJK.search(command.text[0]) and CJK.search(command.text[1])
    assert command.examples, "a command without an example"
    for line, (english, chinese) in command.examples:
        assert "sf " in line
        assert not CJK.search(english) and CJK.search(chinese)
    for parameter in command.params:
        assert isinstance(parameter, Option | Argument), parameter.name
        english, chinese = parameter.text
        assert english and not CJK.search(english)
        assert CJK.search(chinese), f"{parameter.name}: {chinese}"


@pytest.mark.parametrize("path", ALL)
def test_examples_parse(path: str) -> None:
    """An example in the help that click would refuse teaches something wrong."""
    import shlex

    for line, _ in ALL[path].examples:  # type: ignore[attr-defined]
        for part in re.split(r"&&|\|", line):
            words = shlex.split(part.split(">")[0])
            if words[:1] != ["sf"]:
                continue
            context = click.Context(root)
            _, command, rest = root.resolve_command(context, words[1:])
            while isinstance(command, click.Group):
                _, command, rest = command.resolve_command(click.Context(command), rest)
            assert command is not None
            options = {opt for param in command.params for opt in param.opts}
            given = rest[: rest.index("--")] if "--" in rest else rest
            for word in given:
                if word.startswith("--"):
                    assert word.split("=")[0] in options, f"{word} in: {line}"


@pytest.mark.parametrize("path", LEAVES)
def test_every_command_prints_json(path: str) -> None:
    assert any("--json" in parameter.opts for parameter in LEAVES[path].params)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("path", ["", *ALL])
def test_help_in_both_languages(sf, path: str, lang: str) -> None:
    shown = sf(*path.split(), "--help", "--lang", lang)
    assert shown.code == 0
    assert bool(CJK.search(shown.out)) == (lang == "zh")
    assert ("Examples:" if lang == "en" else "示例:") in shown.out


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "args",
    [
        ["nope"],
        ["validate"],
        ["validate", "a", "b"],
        ["validate", "a", "--nope"],
        ["validate", "a", "--format", "xml"],
        ["validate", "a", "--format"],
        ["job", "ls", "--limit", "0"],
        ["job", "ls", "--limit", "x"],
        ["job", "import", "/does/not/exist"],
        ["methods", "--data", "soup"],
    ],
)
def test_wrong_command_lines(sf, args: list[str], lang: str) -> None:
    shown = sf("--lang", lang, *args)
    assert shown.code == 2
    assert shown.out == ""
    assert ("error: " if lang == "en" else "错误：") in shown.err
    assert ("hint: " if lang == "en" else "提示：") in shown.err
    message = next(line for line in shown.err.splitlines() if line.startswith(("error", "错误")))
    assert bool(CJK.search(message.removeprefix("错误："))) == (lang == "zh")


def test_a_misspelt_command_names_the_right_one(sf) -> None:
    assert "submit" in sf("submti").err


def test_lang_may_stand_anywhere(sf) -> None:
    assert "指令与回答" in sf("methods", "--lang=zh").out
    assert "Instructions and answers" in sf("methods", "--lang", "en").out
    wrong = sf("methods", "--lang", "fr")
    assert wrong.code == 2


def test_nothing_heavy_is_loaded_for_help() -> None:
    code = (
        "import sys\n"
        "from starforge.cli.root import root\n"
        "try: root.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = ('httpx2', 'pydantic', 'rich', 'msgspec', 'yaml', 'starforge.catalog')\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "Usage: sf" in done.stdout


def test_group_help_does_not_load_the_client() -> None:
    code = (
        "import sys\n"
        "from starforge.cli.root import root\n"
        "for name in ('job', 'model', 'dataset', 'runtime', 'bench'):\n"
        "    try: root.main([name, '--help'])\n"
        "    except SystemExit: pass\n"
        "print([n for n in ('httpx2', 'pydantic', 'rich') if n in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"

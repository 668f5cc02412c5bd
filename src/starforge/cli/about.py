"""``sf version`` and ``sf completion``."""

from __future__ import annotations

import platform

import click

from starforge import __version__
from starforge.cli.base import argument, command, json_option
from starforge.lang import t


@command(
    "version",
    (
        "Show the versions of StarForge and Python, and of the server when one runs.",
        "显示 StarForge 与 Python 的版本；有服务在运行时也显示服务的版本。",
    ),
    ("sf version", ("versions", "查看版本")),
    ("sf version --json", ("for a script", "供脚本使用")),
)
@json_option
def version(as_json: bool) -> None:
    """Never starts a server: it only looks whether one is there."""
    from starforge.cli.output import print_fields, print_json
    from starforge.client.embedded import running_version

    found = {
        "version": __version__,
        "python": platform.python_version(),
        "server": running_version(),
    }
    if as_json:
        print_json(found)
        return
    print_fields(
        [
            ("StarForge", found["version"]),
            ("Python", found["python"]),
            (t("server", "服务"), found["server"] or t("not running", "未运行")),
        ]
    )


@command(
    "completion",
    ("Print the completion script of a shell.", "输出某个 shell 的补全脚本。"),
    (
        "echo 'eval \"$(sf completion bash)\"' >> ~/.bashrc",
        ("complete in every new bash", "在每个新的 bash 中启用补全"),
    ),
    (
        "sf completion fish > ~/.config/fish/completions/sf.fish",
        ("for fish", "用于 fish"),
    ),
)
@argument("shell", ("The shell.", "shell 的名字。"), type=click.Choice(["bash", "zsh", "fish"]))
@json_option
def completion(shell: str, as_json: bool) -> None:
    """The script calls ``sf`` itself for what to complete."""
    from click.shell_completion import get_completion_class

    from starforge.cli.output import print_json
    from starforge.cli.root import root

    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(root, {}, "sf", "_SF_COMPLETE").source()
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        click.echo(script)

"""``sf login`` and ``sf logout``: use a server elsewhere."""

from __future__ import annotations

import sys
from typing import IO

import click

from starforge.cli.base import argument, command, json_option, option
from starforge.cli.output import note, print_json, say
from starforge.lang import t


@command(
    "login",
    (
        "Use a server elsewhere from now on.\n\nThe token is the content of the file `token` in "
        "the server's home. It is asked for, or read from --token-file (`-`: standard input), and "
        "kept in a file only you can read. STARFORGE_URL and STARFORGE_TOKEN go before it.",
        "从现在起使用别处的服务。\n\n令牌是服务的状态目录下 `token` 文件的内容。可以按提示输入，"
        "也可以用 --token-file 读取（`-` 表示标准输入），保存在只有你能读的文件中。"
        "环境变量 STARFORGE_URL 和 STARFORGE_TOKEN 优先。",
    ),
    ("sf login https://train.example.org", ("asks for the token", "按提示输入令牌")),
    (
        "sf login http://10.0.0.5:7827 --token-file ~/token",
        ("the token from a file", "从文件读取令牌"),
    ),
)
@argument("url", ("Address of the server.", "服务地址。"))
@option(
    "--token-file",
    type=click.File("r"),
    text=("File with the token; `-`: standard input.", "令牌文件，`-` 表示标准输入。"),
)
@json_option
def login(url: str, token_file: IO[str] | None, as_json: bool) -> None:
    """Nothing is kept unless the server is there and takes the token."""
    from starforge.client.client import Client
    from starforge.client.config import Login, write_login
    from starforge.client.embedded import check_version

    url = url.rstrip("/")
    if "://" not in url:
        url = f"http://{url}"
    version = check_version(url)
    token = (token_file.read() if token_file else _ask()).strip()
    if not token:
        raise click.UsageError(t("the token is empty", "令牌为空"))
    with Client(url, token) as client:
        client.check_token()
    path = write_login(Login(url, token))
    if as_json:
        print_json({"url": url, "version": version, "file": str(path)})
    else:
        say(
            t(
                "logged in to {url} (StarForge {version})",
                "已登录 {url}（StarForge {version}）",
                url=url,
                version=version,
            )
        )


def _ask() -> str:
    if not sys.stdin.isatty():
        raise click.UsageError(
            t(
                "there is no terminal to ask for the token: give --token-file",
                "没有终端可供输入令牌：请使用 --token-file",
            )
        )
    answer: str = click.prompt(t("token", "令牌"), hide_input=True, err=True)
    return answer


@command(
    "logout",
    (
        "Forget the server of `sf login`; commands use the embedded one again.",
        "不再使用 `sf login` 的服务，各命令改回内嵌服务。",
    ),
    ("sf logout", ("back to the embedded server", "改回内嵌服务")),
)
@json_option
def logout(as_json: bool) -> None:
    """Not being logged in is fine."""
    from starforge.client.config import forget_login

    forgotten = forget_login()
    url = forgotten.url if forgotten else None
    if as_json:
        print_json({"url": url})
    elif url:
        say(t("logged out of {url}", "已退出 {url}", url=url))
    else:
        note(t("you were not logged in", "当前没有登录任何服务"))

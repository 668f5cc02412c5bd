"""``sf methods``: browse the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import argument, command, json_option, option
from starforge.cli.complete import complete_method
from starforge.cli.output import note, print_json
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.client.embedded import Target


@command(
    "methods",
    (
        "List the methods by the data they take, show one in full, or compare two (`diff A B`)."
        "\n\nShows the catalog of the server when one is configured or runs, else the one that "
        "comes with this tool.",
        "按所需数据列出方法，完整显示一个方法，或比较两个方法（`diff A B`）。"
        "\n\n配置了服务或服务正在运行时显示服务的目录，否则显示本工具自带的目录。",
    ),
    ("sf methods", ("all methods", "全部方法")),
    ("sf methods trl/sft", ("one, with its parameters", "查看一个方法及其参数")),
    ("sf methods --data preference", ("what takes preference pairs", "查找接受偏好数据的方法")),
    (
        "sf methods --framework verl --search kl",
        ("verl's methods with a parameter about KL", "verl 中带 KL 参数的方法"),
    ),
    ("sf methods diff trl/grpo verl/grpo", ("two of them, side by side", "逐项比较两个方法")),
    (
        "sf methods diff trl/sft trl/sft@bundled",
        (
            "the server's version and the one that comes with this tool",
            "比较服务上的版本与本工具自带的版本",
        ),
    ),
    ("sf methods trl/sft --json", ("for a script", "供脚本使用")),
    (
        "sf methods --check --framework trl",
        ("prove the plans with the installed package", "用已安装的软件包验证"),
    ),
)
@argument(
    "names",
    (
        "A method, such as trl/sft, with @VERSION or @bundled for one version of it; or `diff` and "
        "two.",
        "方法名，如 trl/sft，可加 @版本 或 @bundled 指定其中一个版本；或 `diff` 加两个方法名。",
    ),
    nargs=-1,
    metavar="[NAME | diff A B]",
    shell_complete=complete_method,
)
@option(
    "--data",
    type=str,
    metavar="KIND",
    text=(
        "Only methods for this kind of data: instruction, preference, binary, verifiable, "
        "prompts, none.",
        "只列出接受这类数据的方法：instruction、preference、binary、verifiable、prompts、none。",
    ),
)
@option(
    "--framework", metavar="NAME", text=("Only methods of this framework.", "只列出该框架的方法。")
)
@option(
    "--search",
    metavar="TEXT",
    text=(
        "Only methods with these words, in texts or names of parameters.",
        "按文字查找，包括参数名。",
    ),
)
@option(
    "--check",
    is_flag=True,
    text=(
        "Prove with the packages installed here that every published parameter is accepted.",
        "用本机安装的软件包验证每个公开参数都被上游接受。",
    ),
)
@json_option
def methods(
    *,
    names: tuple[str, ...],
    data: str | None,
    framework: str | None,
    search: str | None,
    check: bool,
    as_json: bool,
) -> None:
    """The published shapes of ``docs/en/cli.md``."""
    data = _kind(data)
    if names[:1] == ("diff",):
        _diff(names[1:], as_json=as_json)
        return
    if len(names) > 1:
        raise click.UsageError(
            t(
                "one method at a time; `sf methods diff A B` compares two",
                "一次只能显示一个方法；`sf methods diff A B` 可比较两个",
            )
        )
    name = names[0] if names else None
    if check:
        _check(name, data, framework, search, as_json=as_json)
        return
    if name is not None:
        from starforge.cli.method_versions import find_version

        found = find_version(name, _one)
        if as_json:
            print_json(found)
        else:
            from starforge.cli.method_view import show_method

            show_method(found)
        return
    listed, where, rest = _many(data, framework, search)
    if as_json:
        print_json(listed)
        return
    from starforge.cli.method_view import show_list

    show_list(listed)
    if not listed:
        note(t("no method fits", "没有符合条件的方法"))
    note(where)
    for line in rest:
        note(line)


def _kind(word: str | None) -> str | None:
    """Return the kind of data that a word means."""
    if word is None:
        return None
    from starforge.choose.kinds import KINDS, kind_named

    kind = kind_named(word)
    if kind is None:
        raise click.UsageError(
            t(
                "there is no kind of data `{data}`; there are {kinds}",
                "没有名为 `{data}` 的数据类型；可选：{kinds}",
                data=word,
                kinds=", ".join(KINDS),
            )
        )
    return kind


def _diff(pair: tuple[str, ...], *, as_json: bool) -> None:
    from starforge.choose.diff import diff_methods
    from starforge.cli.diff_view import show_diff
    from starforge.cli.method_versions import find_version

    if len(pair) != 2:
        raise click.UsageError(
            t("`sf methods diff` takes two methods", "`sf methods diff` 需要两个方法名")
        )
    found = diff_methods(*(find_version(name, _one) for name in pair))
    if found["a"] == found["b"] and pair[0] != pair[1]:
        found |= {"a": pair[0], "b": pair[1]}  # two recipes of one version
    if as_json:
        print_json(found)
    else:
        show_diff(found)


def _check(
    name: str | None,
    data: str | None,
    framework: str | None,
    search: str | None,
    *,
    as_json: bool,
) -> None:
    import sys

    from starforge.catalog.load import load_catalog
    from starforge.catalog.search import search as find
    from starforge.cli.methods_check import check_methods
    from starforge.errors import ExitCode

    catalog = load_catalog()
    headers = find(catalog, data=data, framework=framework, text=search)
    names = [name] if name else [header.name for header in headers]
    if not check_methods(names, as_json=as_json):
        sys.exit(ExitCode.NOT_FINE)


def _many(
    data: str | None, framework: str | None, search: str | None
) -> tuple[list[dict[str, Any]], str, list[str]]:
    server = _server()
    if server is not None:
        from starforge.client.light import get_json

        wanted = {"data": data, "framework": framework, "search": search}
        shown = get_json(server, "/methods", wanted)
        where = t("catalog of {url}", "目录来自 {url}", url=server.url)
        return shown, where, _not_here(server, shown)
    from starforge.catalog.public import summary
    from starforge.catalog.search import search as find
    from starforge.client.catalogs import local_catalog

    headers = find(local_catalog(), data=data, framework=framework, text=search)
    where = t("catalog of this tool (no server runs)", "目录为本工具自带（没有服务在运行）")
    return [summary(header) for header in headers], where, []


def _not_here(server: Target, shown: list[dict[str, Any]]) -> list[str]:
    """Say what this tool knows and the server does not publish, and what only it has."""
    from starforge.client.catalogs import left_out

    rest = left_out(server)
    hidden = {one["name"]: one["reason"] for one in rest["hidden"]}
    lines = [
        t("not published there: {name} ({why})", "该服务未发布：{name}（{why}）",
          name=name, why=_pick(why))
        for name, why in hidden.items()
    ]  # fmt: skip
    lines += [
        t("broken there: {file}: {why}", "该服务的文件无效：{file}：{why}",
          file=one["file"], why=one["problem"])
        for one in rest["broken"]
    ]  # fmt: skip
    own = [one["name"] for one in shown if one.get("source") == "deployment"]
    if own:
        names = ", ".join(own)
        lines.append(t("the server's own: {names}", "服务自有的方法：{names}", names=names))
    return lines


def _pick(text: dict[str, str]) -> str:
    from starforge.lang import current_lang

    return text.get(current_lang()) or text["en"]


def _one(name: str) -> dict[str, Any]:
    server = _server()
    if server is not None:
        from urllib.parse import quote

        from starforge.client.light import get_json

        found: dict[str, Any] = get_json(server, f"/methods/{quote(name)}")
        return found
    from starforge.catalog.public import detail
    from starforge.client.catalogs import local_catalog

    return detail(local_catalog().recipe(name))


def _server() -> Target | None:
    """Return a server that is there; the bundled catalog serves otherwise."""
    from starforge.client.embedded import configured, find, reach
    from starforge.errors import ExitCode, StarForgeError

    try:
        return reach() if configured() else find(launch=False)
    except StarForgeError as error:
        if error.exit_code != ExitCode.UNREACHABLE:
            raise
        note(t("note: {why}", "注意：{why}", why=error.message.pick()))
        return None

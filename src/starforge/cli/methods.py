"""``sf methods``: browse the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starforge.cli.base import argument, command, json_option, option
from starforge.cli.complete import complete_method
from starforge.cli.output import note, print_fields, print_json, print_table, say, style
from starforge.lang import current_lang, t

if TYPE_CHECKING:
    from starforge.client.client import Client

KINDS = ["instruction", "preference", "binary", "verifiable", "prompts", "none"]


@command(
    "methods",
    (
        "List the methods, or show one with its parameters and pins.\n\nShows the catalog of the "
        "server when one is configured or runs, else the one that comes with this tool.",
        "列出所有方法，或详细显示某个方法的参数和固定设置。\n\n配置了服务或服务正在运行时显示服务的目录，"
        "否则显示本工具自带的目录。",
    ),
    ("sf methods", ("all methods", "全部方法")),
    ("sf methods trl/sft", ("one, with its parameters", "查看一个方法及其参数")),
    ("sf methods --data preference", ("what takes preference pairs", "查找接受偏好数据的方法")),
    ("sf methods trl/sft --json", ("for a script", "供脚本使用")),
)
@argument(
    "name",
    ("A method, such as trl/sft.", "方法名，如 trl/sft。"),
    required=False,
    shell_complete=complete_method,
)
@option(
    "--data",
    type=str,
    metavar="KIND",
    text=("Only methods for this kind of data.", "只列出接受这类数据的方法。"),
)
@option(
    "--framework", metavar="NAME", text=("Only methods of this framework.", "只列出该框架的方法。")
)
@option("--search", metavar="TEXT", text=("Only methods with these words.", "按文字查找。"))
@json_option
def methods(
    name: str | None, data: str | None, framework: str | None, search: str | None, as_json: bool
) -> None:
    """The published shapes of ``docs/en/cli.md``."""
    if data is not None and data not in KINDS:
        import click

        raise click.UsageError(
            t(
                "there is no kind of data `{data}`; there are {kinds}",
                "没有名为 `{data}` 的数据类型；可选：{kinds}",
                data=data,
                kinds=", ".join(KINDS),
            )
        )
    if name is not None:
        found = _one(name)
        if as_json:
            print_json(found)
        else:
            show_method(found)
        return
    listed, where = _many(data, framework, search)
    if as_json:
        print_json(listed)
        return
    print_table(
        [t("method", "方法"), t("version", "版本"), t("data", "数据"), t("what it is", "说明")],
        [
            (m["name"], m["version"], m["data"], _pick(m.get("title") or m["summary"]))
            for m in listed
        ],
    )
    if not listed:
        note(t("no method fits", "没有符合条件的方法"))
    note(where)


def _many(
    data: str | None, framework: str | None, search: str | None
) -> tuple[list[dict[str, Any]], str]:
    client = _server()
    if client is not None:
        with client:
            found = client.methods(data=data, framework=framework, search=search)
            shown = [method.model_dump(mode="json") for method in found]
            return shown, t("catalog of {url}", "目录来自 {url}", url=client.url)
    from starforge.catalog.load import load_catalog
    from starforge.catalog.public import summary
    from starforge.catalog.search import search as find

    headers = find(load_catalog(), data=data, framework=framework, text=search)
    return [summary(header) for header in headers], t(
        "catalog of this tool (no server runs)", "目录为本工具自带（没有服务在运行）"
    )


def _one(name: str) -> dict[str, Any]:
    client = _server()
    if client is not None:
        with client:
            return client.method(name).model_dump(mode="json")
    from starforge.catalog.load import load_catalog
    from starforge.catalog.public import detail

    return detail(load_catalog().recipe(name))


def _server() -> Client | None:
    """Return a client of a server that is there; the bundled catalog serves otherwise."""
    from starforge.client.embedded import configured, connect, connect_running
    from starforge.errors import ExitCode, StarForgeError

    try:
        return connect() if configured() else connect_running()
    except StarForgeError as error:
        if error.exit_code != ExitCode.UNREACHABLE:
            raise
        note(t("note: {why}", "注意：{why}", why=error.message.pick()))
        return None


def _pick(text: Any) -> str:
    return str(text.get(current_lang()) or text.get("en")) if isinstance(text, dict) else str(text)


def show_method(method: dict[str, Any]) -> None:
    """Show everything a person needs to choose and use a method."""
    say(style(f"{method['name']}", bold=True) + f"  {_pick(method.get('title', ''))}")
    say(_pick(method["summary"]))
    say()
    print_fields(
        [
            (t("framework", "框架"), f"{method['framework']}@{method['version']}"),
            (t("use it when", "适用"), _pick(method.get("use_when") or "")),
            (t("rather not when", "不适用"), _pick(method.get("avoid_when") or "")),
            (t("data", "数据"), _data(method)),
            (t("roles", "角色"), ", ".join(map(str, method.get("roles", [])))),
            (t("needs", "所需硬件"), _pick((method.get("minimum") or {}).get("text", ""))),
            (t("stages", "阶段"), ", ".join(map(str, method.get("stages", [])))),
        ]
    )
    _parameters(method)
    _pins(method)
    _metrics(method)
    for link in method.get("links") or []:
        say(f"{link['title']}: {link['url']}")


def _data(method: dict[str, Any]) -> str:
    spec = method.get("data_spec") or {}
    shapes = [" + ".join(shape) for shape in spec.get("shapes", [])]
    columns = t(" or ", " 或 ").join(shapes)
    return f"{method['data']}" + (t(" (columns: {c})", "（列：{c}）", c=columns) if columns else "")


def _parameters(method: dict[str, Any]) -> None:
    if not method.get("parameters"):
        return
    say()
    say(style(t("Parameters", "参数"), bold=True))
    rows = []
    for one in method["parameters"]:
        default = _value(one.get("default"))
        if one.get("upstream_default") != one.get("default"):
            default += t(" (upstream: {v})", "（上游：{v}）", v=_value(one.get("upstream_default")))
        rows.append((one["name"], one["type"], default, one["group"], _pick(one["description"])))
    print_table(
        [t("name", "名称"), t("type", "类型"), t("default", "默认值"), t("group", "分组"), ""], rows
    )


def _pins(method: dict[str, Any]) -> None:
    if not method.get("pins"):
        return
    say()
    say(
        style(t("Pins: set by the method, not by you", "固定设置：由方法决定，不可修改"), bold=True)
    )
    print_table(
        [t("key", "键"), t("value", "值"), t("reason", "原因")],
        [(pin["path"], _value(pin.get("value")), _pick(pin["reason"])) for pin in method["pins"]],
    )


def _metrics(method: dict[str, Any]) -> None:
    if not method.get("metrics"):
        return
    say()
    say(style(t("Metrics", "指标"), bold=True))
    arrows = {"lower": "↓", "higher": "↑"}
    print_table(
        [t("name", "名称"), "", t("what it says", "含义")],
        [
            (one["name"], arrows.get(one.get("goal", ""), ""), _pick(one["description"]))
            for one in method["metrics"]
        ],
    )


def _value(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)

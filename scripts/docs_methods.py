"""The generated pages about methods: one each, and the matrix of versions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from starforge.catalog.load import Catalog
from starforge.catalog.models import Recipe
from starforge.catalog.public import detail
from starforge.choose.kinds import KINDS
from starforge.cli.method_view import allowed, group_title, pick, value
from starforge.lab.scaffold import sample_rows
from starforge.lang import t

NEEDS = {"required": ("required", "必需"), "optional": ("optional", "可选")}


def page_name(method: str) -> str:
    """Return the file of a method's page, without its folder."""
    return method.replace("/", "-") + ".md"


def matrix_page(catalog: Catalog) -> str:
    """Return the list of all methods with their versions."""
    recipes = [catalog.recipe(name) for name in catalog.names()]
    parts = [
        "# " + t("Methods", "方法"), "",
        t("Everything this version of StarForge publishes, grouped by the data you have. A server "
          "may publish more or fewer: `sf methods` shows what yours does.",
          "本版本 StarForge 发布的全部方法，按手头的数据分组。"
          "具体的服务可能有增减，以 `sf methods` 为准。"), "",
    ]  # fmt: skip
    for kind, about in KINDS.items():
        members = [recipe for recipe in recipes if recipe.data.kind == kind]
        if members:
            parts += [f"## {about.title.pick()}", "", *_method_table(members), ""]
    parts += [f"## {t('Versions', '版本')}", "", *_version_table(catalog, recipes)]
    return "\n".join(parts)


def _method_table(recipes: list[Recipe]) -> Iterator[str]:
    yield f"| {t('method', '方法')} | {t('what it is', '是什么')} | {t('use it when', '适用')} |"
    yield "| --- | --- | --- |"
    for recipe in recipes:
        link = f"[`{recipe.name}`]({page_name(recipe.name)})"
        yield f"| {link} | {_cell(recipe.summary.pick())} | {_cell(recipe.use_when.pick())} |"


def _version_table(catalog: Catalog, recipes: list[Recipe]) -> Iterator[str]:
    yield (f"| {t('framework', '框架')} | {t('methods', '方法')} | {t('keys known', '已知的键')} "
           f"| {t('read from', '提取自')} |")  # fmt: skip
    yield "| --- | --- | --- | --- |"
    for pin in dict.fromkeys(recipe.pin for recipe in recipes):
        members = [recipe for recipe in recipes if recipe.pin == pin]
        contract = catalog.contract(members[0])
        names = ", ".join(f"`{one.name.partition('/')[2]}`" for one in members)
        keys = len({key for config in contract.configs.values() for key in config.keys})
        packages = ", ".join(f"{name} {v}" for name, v in sorted(contract.packages.items()))
        yield f"| {pin} | {names} | {keys} | {packages or t('our own code', '自有代码')} |"


def method_page(catalog: Catalog, recipe: Recipe) -> str:
    """Return the page of one method."""
    shown = detail(recipe)
    parts = [
        f"# {recipe.name}", "",
        f"**{recipe.title.pick()}** ({recipe.pin}). {recipe.summary.pick()}", "",
        f"- **{t('Use it when', '适用')}**: {recipe.use_when.pick()}",
        f"- **{t('Rather not when', '不适用')}**: {recipe.avoid_when.pick()}",
        *_facts(recipe), "",
        "```sh", f"sf new my-experiment --method {recipe.name}", "sf validate my-experiment",
        "sf submit my-experiment --watch", "```", "",
        *_data(recipe), *_roles(recipe), *_parameters(shown), *_presets(shown),
        *_pins(shown), *_ignored(shown), *_renamed(recipe), *_metrics(shown),
        *_config_note(catalog, recipe), *_links(recipe),
    ]  # fmt: skip
    return "\n".join(parts)


def _facts(recipe: Recipe) -> Iterator[str]:
    inputs = [
        f"`{key}` ({t(*NEEDS[need])})"
        for key in ("model", "teacher", "reward")
        if (need := getattr(recipe, key)) in NEEDS
    ]
    if inputs:
        yield f"- **{t('Inputs', '输入')}**: {', '.join(inputs)}"
    yield f"- **{t('Hardware', '硬件')}**: {recipe.minimum.text.pick()}"
    if recipe.checkpoint is not None:
        pattern = f"`{recipe.checkpoint.pattern}`"
        yield f"- **{t('Checkpoints', '检查点')}**: {recipe.checkpoint.format}, {pattern}"
    if recipe.stages:
        yield f"- **{t('Stages', '阶段')}**: {', '.join(recipe.stages)}"
    if recipe.same_as:
        links = ", ".join(f"[`{name}`]({page_name(name)})" for name in recipe.same_as)
        yield f"- **{t('The same algorithm on other stacks', '其他框架上的同一算法')}**: {links}"


def _data(recipe: Recipe) -> Iterator[str]:
    yield f"## {t('Data', '数据')}"
    yield ""
    yield KINDS[recipe.data.kind].title.pick() + _columns(recipe)
    rows = sample_rows(recipe)
    if rows:
        yield ""
        yield "```json"
        yield json.dumps(rows[0], ensure_ascii=False)
        yield "```"
    yield ""


def _columns(recipe: Recipe) -> str:
    shapes = t(" or ", " 或 ").join(
        " + ".join(f"`{c}`" for c in shape) for shape in recipe.data.shapes
    )
    return t(". Columns: {s}.", "。列：{s}。", s=shapes) if shapes else t(".", "。")


def _roles(recipe: Recipe) -> Iterator[str]:
    yield f"## {t('Roles', '角色')}"
    yield ""
    yield f"| {t('role', '角色')} | {t('pool', '资源池')} | {t('what it does', '作用')} |"
    yield "| --- | --- | --- |"
    for role in recipe.roles:
        yield f"| {role.name} | {role.pool} | {_cell(role.description.pick())} |"
    yield ""


def _parameters(shown: dict[str, Any]) -> Iterator[str]:
    parameters = shown["parameters"]
    if not parameters:
        return
    yield f"## {t('Parameters', '参数')} ({len(parameters)})"
    yield ""
    for group in dict.fromkeys(one["group"] for one in parameters):
        yield f"### {group_title(group)}"
        yield ""
        for one in parameters:
            if one["group"] == group:
                yield from _parameter(one)


def _parameter(one: dict[str, Any]) -> Iterator[str]:
    facts = [f"`{one['path']}`", f"`{one['type']}`", t("default ", "默认 ") + _default(one)]
    if allowed(one):
        facts.append(_cell(allowed(one)))
    if one.get("unit"):
        facts.append(str(one["unit"]))
    yield f"**`{one['name']}`** · {' · '.join(facts)}"
    yield ""
    texts = [pick(one[key]) for key in ("description", "advice", "why_default") if one.get(key)]
    yield t(" ", "").join(texts)
    yield ""


def _default(one: dict[str, Any]) -> str:
    default = f"`{value(one.get('default'))}`"
    if one.get("upstream_default") != one.get("default"):
        upstream = f"`{value(one.get('upstream_default'))}`"
        default += t(" (upstream {v})", "（上游 {v}）", v=upstream)
    return default


def _presets(shown: dict[str, Any]) -> Iterator[str]:
    for preset in shown.get("presets") or []:
        yield f"### {t('Preset', '预设')} `{preset['name']}`"
        yield ""
        yield pick(preset["description"])
        yield ""
        yield f"| {t('choice', '取值')} | {t('sets', '设置')} | {t('what it is', '说明')} |"
        yield "| --- | --- | --- |"
        for word, option in preset["options"].items():
            sets = "<br>".join(f"`{path}={value(v)}`" for path, v in option["values"].items())
            yield f"| `{word}` | {sets} | {_cell(pick(option['description']))} |"
        yield ""


def _pins(shown: dict[str, Any]) -> Iterator[str]:
    if not shown["pins"]:
        return
    yield f"## {t('Pins', '固定设置')}"
    yield ""
    yield t("Set by the method. Writing one of them is refused with the reason.",
            "由方法决定。在配置里写这些键会被拒绝，并说明原因。")  # fmt: skip
    yield ""
    yield f"| {t('key', '键')} | {t('value', '值')} | {t('reason', '原因')} |"
    yield "| --- | --- | --- |"
    for pin in shown["pins"]:
        yield f"| `{pin['path']}` | `{_cell(value(pin['value']))}` | {_cell(pick(pin['reason']))} |"
    yield ""


def _ignored(shown: dict[str, Any]) -> Iterator[str]:
    if not shown.get("ignored"):
        return
    yield f"## {t('Keys that upstream accepts and ignores', '上游接受但从不读取的键')}"
    yield ""
    yield f"| {t('key', '键')} | {t('use instead', '请改用')} | {t('why', '原因')} |"
    yield "| --- | --- | --- |"
    for one in shown["ignored"]:
        new = f"`{one['new']}`" if one.get("new") else ""
        yield f"| `{one['path']}` | {new} | {_cell(pick(one['note']))} |"
    yield ""


def _renamed(recipe: Recipe) -> Iterator[str]:
    if not recipe.renamed:
        return
    yield f"## {t('Names of other versions', '其他版本的名字')}"
    yield ""
    yield f"| {t('written', '写法')} | {t('here', '本版本')} | |"
    yield "| --- | --- | --- |"
    for one in recipe.renamed:
        new = f"`{one.new}`" if one.new else ""
        yield f"| `{one.old}` | {new} | {_cell(one.note.pick()) if one.note else ''} |"
    yield ""


def _metrics(shown: dict[str, Any]) -> Iterator[str]:
    if not shown["metrics"]:
        return
    arrows = {"lower": "↓", "higher": "↑"}
    yield f"## {t('Metrics', '指标')}"
    yield ""
    yield f"| {t('name', '名称')} | | {t('upstream', '上游名')} | {t('what it says', '含义')} |"
    yield "| --- | --- | --- | --- |"
    for one in shown["metrics"]:
        native = "<br>".join(f"`{name}`" for name in one["native"])
        arrow = arrows.get(one.get("goal", ""), "")
        yield f"| `{one['name']}` | {arrow} | {native} | {_cell(pick(one['description']))} |"
    yield ""


def _config_note(catalog: Catalog, recipe: Recipe) -> Iterator[str]:
    config = catalog.contract(recipe).configs[recipe.config]
    if config.open or not config.keys:
        return
    yield f"## {t('Native keys', '原生键')}"
    yield ""
    yield t("Any other of the {n} keys of {pin} can be set in `config.yaml`.",
            "{pin} 的 {n} 个键中，其余的都可以写在 `config.yaml` 里。",
            n=len(config.keys), pin=recipe.pin)  # fmt: skip
    yield ""


def _links(recipe: Recipe) -> Iterator[str]:
    if recipe.links:
        yield f"## {t('Read more', '延伸阅读')}"
        yield ""
        yield from (f"- [{link.title}]({link.url})" for link in recipe.links)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

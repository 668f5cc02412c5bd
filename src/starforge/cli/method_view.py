"""Everything the catalog says of one method, for ``sf methods NAME``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from starforge.cli.output import print_fields, print_table, say, style
from starforge.lang import current_lang, t

Method = dict[str, Any]


def show_method(method: Method) -> None:
    """Show all a person needs to choose and use a method; nothing is cut."""
    say(style(f"{method['name']}", bold=True) + f"  {pick(method.get('title', ''))}")
    say(pick(method["summary"]))
    say()
    print_fields(_facts(method))
    _roles(method)
    _example(method)
    _parameters(method)
    _presets(method)
    _pins(method)
    _ignored(method)
    _metrics(method)
    _links(method)


def show_list(methods: list[Method]) -> None:
    """List methods under the kinds of data they take, by the names people use for them."""
    from starforge.choose.kinds import KINDS

    width = max((len(one["name"]) for one in methods), default=0)
    pins = max((len(one["version"]) for one in methods), default=0)
    first = True
    for kind, about in KINDS.items():
        members = [one for one in methods if one["data"] == kind]
        if not members:
            continue
        if not first:
            say()
        first = False
        say(style(about.title.pick(), bold=True) + f" ({kind})")
        for one in members:
            title = pick(one.get("title") or one["summary"])
            say(f"  {one['name']:<{width}}  {one['version']:<{pins}}  {title}")


def pick(text: Any) -> str:
    """Return a text of both languages in the current one."""
    return str(text.get(current_lang()) or text.get("en")) if isinstance(text, dict) else str(text)


def _facts(method: Method) -> list[tuple[str, str]]:
    checkpoint = method.get("checkpoint") or {}
    rows = [
        (t("framework", "框架"), f"{method['framework']}@{method['version']}"),
        (t("use it when", "适用"), pick(method.get("use_when") or "")),
        (t("rather not when", "不适用"), pick(method.get("avoid_when") or "")),
        (t("data", "数据"), _data(method)),
        (t("inputs", "输入"), _inputs(method)),
        (t("needs", "所需硬件"), pick((method.get("minimum") or {}).get("text", ""))),
        (t("checkpoint", "检查点"), checkpoint.get("format", "")),
        (t("stages", "阶段"), ", ".join(map(str, method.get("stages", [])))),
        (t("same algorithm", "同一算法"), ", ".join(method.get("same_as") or [])),
        (t("runs in", "运行于"), _place(method.get("place") or {})),
        (t("recipe", "配方"), _recipe(method)),
    ]
    return [(label, value) for label, value in rows if value]


def _place(place: dict[str, Any]) -> str:
    """Say where the connected server runs the method."""
    named = " ".join(part for part in (place.get("kind", ""), place.get("name", "")) if part)
    detail = place.get("detail")
    return f"{named} ({detail})" if detail else named


def _recipe(method: Method) -> str:
    own = (
        t(", the deployment's own", "，本部署自有") if method.get("source") == "deployment" else ""
    )
    return f"{str(method.get('digest') or '')[:12]}{own}"


def _data(method: Method) -> str:
    from starforge.choose.kinds import KINDS

    spec = method.get("data_spec") or {}
    shapes = [" + ".join(shape) for shape in spec.get("shapes", [])]
    columns = t(" or ", " 或 ").join(shapes)
    return f"{KINDS[method['data']].title.pick()}, {method['data']}" + (
        t(" (columns: {c})", "（列：{c}）", c=columns) if columns else ""
    )


def _inputs(method: Method) -> str:
    words = {"required": t("required", "必需"), "optional": t("optional", "可选")}
    named = [(key, method.get(key, "none")) for key in ("model", "teacher", "reward")]
    return ", ".join(f"{key} ({words[need]})" for key, need in named if need in words)


def _head(en: str, zh: str) -> None:
    say()
    say(style(t(en, zh), bold=True))


def _roles(method: Method) -> None:
    roles = method.get("role_specs") or []
    if len(roles) < 2:
        return
    _head("Roles", "角色")
    print_table(
        [t("role", "角色"), t("pool", "资源池"), t("what it does", "作用")],
        [(one["name"], one.get("pool", "default"), pick(one["description"])) for one in roles],
    )


def _example(method: Method) -> None:
    rows = (method.get("data_spec") or {}).get("example") or []
    if rows:
        _head("A row of data", "一行数据")
        say(json.dumps(rows[0], ensure_ascii=False))


def _parameters(method: Method) -> None:
    parameters = method.get("parameters") or []
    if not parameters:
        return
    _head("Parameters", "参数")
    for group, members in _by_group(parameters):
        say()
        say(style(group_title(group), "cyan"))
        for one in members:
            _parameter(one)


def _by_group(parameters: list[Method]) -> Iterable[tuple[str, list[Method]]]:
    groups = dict.fromkeys(one["group"] for one in parameters)
    return [(group, [p for p in parameters if p["group"] == group]) for group in groups]


def _parameter(one: Method) -> None:
    name = style(one["name"], bold=True)
    native = f"  ({one['path']})" if one["path"] != one["name"] else ""
    say(f"  {name}{native}  {facts_of(one)}")
    for text in (one["description"], one.get("advice"), one.get("why_default")):
        if text:
            say(f"    {pick(text)}")


def facts_of(parameter: Method) -> str:
    """Return type, default and what is allowed, on one line."""
    default = value(parameter.get("default"))
    if parameter.get("upstream_default") != parameter.get("default"):
        upstream = value(parameter.get("upstream_default"))
        default += t(" (upstream {v})", "（上游 {v}）", v=upstream)
    parts = [str(parameter["type"]), t("default {v}", "默认 {v}", v=default)]
    if allowed(parameter):
        parts.append(allowed(parameter))
    if parameter.get("unit"):
        parts.append(str(parameter["unit"]))
    return "; ".join(parts)


def allowed(parameter: Method) -> str:
    """Return choices or range, empty when anything of its type goes."""
    if parameter.get("choices"):
        listed = ", ".join(str(choice) for choice in parameter["choices"])
        words = ", ".join(f"{word}→{meant}" for word, meant in parameter.get("aliases", {}).items())
        return listed + (t(" (also {w})", "（也可写 {w}）", w=words) if words else "")
    low, high = parameter.get("minimum"), parameter.get("maximum")
    parts = []
    if low is not None:
        parts.append(f"{'>' if parameter.get('exclusive_minimum') else '>='} {low:g}")
    if high is not None:
        parts.append(f"<= {high:g}")
    return ", ".join(parts)


def _presets(method: Method) -> None:
    for preset in method.get("presets") or []:
        say()
        say(style(preset["name"], bold=True) + f"  {pick(preset['description'])}")
        print_table(
            [t("choice", "取值"), t("sets", "设置"), t("what it is", "说明")],
            [
                (word, ", ".join(f"{p}={value(v)}" for p, v in option["values"].items()),
                 pick(option["description"]))
                for word, option in preset["options"].items()
            ],
        )  # fmt: skip


def _pins(method: Method) -> None:
    if method.get("pins"):
        _head("Pins: set by the method, not by you", "固定设置：由方法决定，不可修改")
        print_table(
            [t("key", "键"), t("value", "值"), t("reason", "原因")],
            [(p["path"], value(p.get("value")), pick(p["reason"])) for p in method["pins"]],
        )


def _ignored(method: Method) -> None:
    if method.get("ignored"):
        _head("Keys that upstream accepts and ignores", "上游接受但从不读取的键")
        print_table(
            [t("key", "键"), t("use", "请改用"), t("why", "原因")],
            [(one["path"], one.get("new") or "", pick(one["note"])) for one in method["ignored"]],
        )


def _metrics(method: Method) -> None:
    if not method.get("metrics"):
        return
    _head("Metrics", "指标")
    arrows = {"lower": "↓", "higher": "↑"}
    print_table(
        [t("name", "名称"), "", t("upstream", "上游名"), t("what it says", "含义")],
        [
            (one["name"], arrows.get(one.get("goal", ""), ""), ", ".join(one.get("native", [])),
             pick(one["description"]))
            for one in method["metrics"]
        ],
    )  # fmt: skip


def _links(method: Method) -> None:
    if method.get("links"):
        say()
    for link in method.get("links") or []:
        say(f"{link['title']}: {link['url']}")


GROUPS = {
    "duration": ("Duration", "时长"), "batch": ("Batch", "批量"),
    "optimizer": ("Optimizer", "优化器"), "schedule": ("Schedule", "学习率曲线"),
    "loss": ("Loss", "损失与算法"), "rollout": ("Rollout", "采样"), "data": ("Data", "数据"),
    "lora": ("LoRA", "LoRA"), "parallelism": ("Parallelism", "并行"), "memory": ("Memory", "显存"),
    "precision": ("Precision", "精度"), "validation": ("Validation", "验证"),
    "saving": ("Saving", "保存"), "logging": ("Logging", "日志"), "run": ("Run", "运行"),
}  # fmt: skip


def group_title(group: str) -> str:
    """Name a group of parameters."""
    return t(*GROUPS[group]) if group in GROUPS else group


def value(given: Any) -> str:
    """Write a value as JSON."""
    return json.dumps(given, ensure_ascii=False)

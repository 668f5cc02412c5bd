"""``sf job config``: what a job ran with, who decided it, and how another job differs."""

from __future__ import annotations

import json
from typing import Any

from starforge.cli.base import command, json_option, option
from starforge.cli.complete import complete_job
from starforge.cli.shared import job_argument
from starforge.lang import t

Found = dict[str, Any]


@command(
    "config",
    (
        "Show the resolved configuration of a job.\n\nOnly what differs from upstream's defaults, "
        "with who decided it; --all shows every key. --against compares with another job.",
        "显示任务最终生效的配置。\n\n默认只列出与上游默认值不同的键及其来源，--all 列出全部。"
        "--against 与另一个任务比较。",
    ),
    ("sf job config my-sft", ("what differs from upstream", "与上游不同的部分")),
    ("sf job config my-sft-2 --against my-sft", ("how two jobs differ", "两个任务的差异")),
    ("sf job config my-sft --all --json", ("for a script", "供脚本使用")),
)
@job_argument
@option(
    "--against",
    metavar="JOB",
    shell_complete=complete_job,
    text=("Compare with this job.", "与这个任务比较。"),
)
@option("--all", "everything", is_flag=True, text=("Every key.", "列出全部键。"))
@json_option
def config(job_id: str, against: str | None, everything: bool, as_json: bool) -> None:
    """JSON is ``wire.config.JobConfig``, always with all keys."""
    from urllib.parse import quote

    from starforge.cli.output import note, print_json
    from starforge.client.embedded import reach
    from starforge.client.light import get_json

    path = f"/jobs/{quote(job_id, safe='')}/config"
    found = get_json(reach(notify=note), path, {"against": against})
    if as_json:
        print_json(found)
    elif against is not None:
        _show_differences(found)
    else:
        _show_keys(found, everything=everything)


def _show_keys(found: Found, *, everything: bool) -> None:
    from starforge.cli.output import note, print_table

    keys = [one for one in found["keys"] if everything or one["differs"]]
    print_table(
        [t("key", "键"), t("value", "值"), t("upstream", "上游"), t("from", "来源"),
         t("why", "原因")],
        [(_name(one), _value(one["value"]), _default(one, found), _source(one),
          one["reason"] or "") for one in keys],
    )  # fmt: skip
    rest = len(found["keys"]) - len(keys)
    if rest:
        note(t("{n} more keys as upstream (--all)", "另有 {n} 个键与上游相同（--all）", n=rest))
    if found["parent"]:
        note(
            t(
                "compare with the job it comes from: `sf job config {job} --against {parent}`",
                "与其来源任务比较：`sf job config {job} --against {parent}`",
                job=found["job"],
                parent=found["parent"],
            )
        )


def _name(one: Found) -> str:
    named = one["name"] and one["name"] != one["path"]
    return f"{one['path']} ({one['name']})" if named else str(one["path"])


def _default(one: Found, found: Found) -> str:
    return _value(one["default"]) if one["differs"] or found["exact"] else "?"


def _source(one: Found) -> str:
    line = f":{one['line']}" if one["line"] else ""
    return f"{one['source']}{line}"


def _value(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _show_differences(found: Found) -> None:
    from starforge.cli.output import print_table, say

    other = found["against"]
    if not other["differences"]:
        say(
            t(
                "{job} and {other} ran with the same",
                "{job} 与 {other} 的配置完全相同",
                job=found["job"],
                other=other["job"],
            )
        )
        return
    print_table(
        [t("what", "类别"), t("key", "键"), found["job"], other["job"]],
        [
            (
                _part(one["part"]),
                one["key"],
                "–" if one["only"] == "there" else _value(one["value"]),
                "–" if one["only"] == "here" else _value(one["other"]),
            )
            for one in other["differences"]
        ],
    )


def _part(part: str) -> str:
    names = {
        "method": t("method", "方法"),
        "model": t("model", "模型"),
        "input": t("data", "数据"),
        "parameter": t("parameter", "参数"),
        "config": t("config", "配置"),
        "resources": t("resources", "资源"),
        "policy": t("policy", "策略"),
        "file": t("file", "文件"),
    }
    return names.get(part, part)

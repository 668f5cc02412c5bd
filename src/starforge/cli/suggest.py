"""``sf suggest``: what kind of data this is, and which methods fit it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import argument, command, json_option, option
from starforge.cli.output import note, print_json, say, style
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.choose.detect import Detected
    from starforge.choose.source import Source
    from starforge.choose.suggest import Recommendation, Situation

_CELL = 200  # characters of a value shown to a person


@command(
    "suggest",
    (
        "Look at data and recommend methods, best first.\n\nReads a .jsonl, .json, .csv or .tsv "
        "file, or the training file of a folder. Says what kind of data it is and why, shows "
        "three rows as a method would see them, and gives the next command. Starts nothing and "
        "changes nothing.",
        "查看数据并推荐方法，最合适的在前。\n\n读取 .jsonl、.json、.csv、.tsv 文件，"
        "或文件夹中的训练数据。说明数据属于哪一类及理由，按方法看到的样子显示三行，"
        "并给出下一条命令。不启动也不改动任何东西。",
    ),
    ("sf suggest data/train.jsonl", ("what fits these data", "哪些方法适合这份数据")),
    (
        "sf suggest prompts.jsonl --teacher Qwen/Qwen3-32B",
        ("with a stronger model to learn from", "有更强的模型可供学习"),
    ),
    (
        "sf suggest math.csv --map prompt=problem --gpus 1 --gpu-memory 24",
        ("rename a column; for one GPU of 24 GB", "重命名一列；一块 24 GB 的 GPU"),
    ),
    ("sf suggest data/train.jsonl --json", ("for a script", "供脚本使用")),
)
@argument(
    "data",
    ("A file, or a folder with one.", "数据文件，或含有数据文件的文件夹。"),
    type=click.Path(path_type=Path),
)
@option("--teacher", metavar="M", text=("A stronger model to learn from.", "更强的教师模型。"))
@option(
    "--gpu-memory",
    type=click.FloatRange(min=1),
    metavar="N",
    text=(
        "GB of memory of each GPU (else of this machine's).",
        "每块 GPU 的显存（GB），默认看本机。",
    ),
)
@option(
    "--gpus",
    type=click.IntRange(min=0),
    metavar="N",
    text=("How many GPUs there are (else this machine's).", "GPU 数量，默认看本机。"),
)
@option(
    "--map",
    "renames",
    multiple=True,
    metavar="NEW=OLD",
    text=("Read column OLD as NEW. May be repeated.", "把列 OLD 当作 NEW 读取，可重复使用。"),
)
@json_option
def suggest(
    *,
    data: Path,
    teacher: str | None,
    gpu_memory: float | None,
    gpus: int | None,
    renames: tuple[str, ...],
    as_json: bool,
) -> None:
    """JSON is the shape of :func:`starforge.choose.public.public`."""
    from starforge.choose.columns import parse_map
    from starforge.choose.public import examine, public
    from starforge.choose.source import read_source
    from starforge.choose.suggest import recommend
    from starforge.client.catalogs import connected_catalog

    mapping = parse_map(renames)
    source = read_source(data)
    found = examine(source, mapping)
    situation = _situation(gpus, gpu_memory, teacher)
    catalog, where = connected_catalog()
    best = recommend(found, situation, catalog, str(source.file))
    if as_json:
        print_json(public(source, found, best, str(source.file)))
        return
    _show_data(source, found)
    _show_methods(found, best, situation)
    note(where)


def _situation(gpus: int | None, memory: float | None, teacher: str | None) -> Situation:
    """Take what was not said from this machine; ``--gpu-memory`` alone means one GPU."""
    from starforge.choose.suggest import Situation

    if gpus is None and memory is None:
        from starforge.engines.local.devices import find_gpus

        found = find_gpus()
        sizes = [gpu.memory_bytes for gpu in found if gpu.memory_bytes]
        return Situation(
            gpus=len(found), gpu_memory=min(sizes) / 1e9 if sizes else None, teacher=teacher
        )
    return Situation(gpus=1 if gpus is None else gpus, gpu_memory=memory, teacher=teacher)


def _show_data(source: Source, found: Detected) -> None:
    from starforge.choose.detect import as_seen, kind_title

    say(f"{source.file}: {style(kind_title(found).pick(), bold=True)} ({found.kind})")
    for reason in found.why:
        say(t("why: {text}", "理由：{text}", text=reason.pick()))
    if source.others:
        names = ", ".join(str(path.name) for path in source.others[:5])
        say(t("also in that folder: {names}", "该文件夹中还有：{names}", names=names))
    if found.mapping:
        pairs = ", ".join(f"{old} → {new}" for old, new in found.mapping.items())
        say(t("columns read as: {pairs}", "列的读法：{pairs}", pairs=pairs))
    for one in found.notes:
        say(style(t("note: ", "注意："), "yellow") + one.pick())
    say()
    say(t("Rows as the method sees them:", "方法看到的数据："))
    for row in as_seen(found):
        say("  " + json.dumps({k: _short(v) for k, v in row.items()}, ensure_ascii=False))


def _short(value: Any) -> Any:
    """Return a value with its long texts cut, for the eye only."""
    if isinstance(value, str):
        return value if len(value) <= _CELL else value[:_CELL] + "…"
    if isinstance(value, list):
        return [_short(one) for one in value]
    if isinstance(value, dict):
        return {key: _short(one) for key, one in value.items()}
    return value


def _show_methods(found: Detected, best: list[Recommendation], situation: Situation) -> None:
    say()
    if not best:
        say(t("No method of this catalog takes such rows.", "目录中没有接受这类数据的方法。"))
        return
    say(_machine(situation))
    say()
    for number, one in enumerate(best, start=1):
        say(f"{number}. {style(one.method, bold=True)}  {one.title.pick()}")
        say(f"   {one.reason.pick()}")
    say()
    if found.kind == "verifiable":
        say(t("Each needs a reward; `sf new` brings a reward.py to adapt.",
              "都需要奖励函数；`sf new` 会附带一个 reward.py 供修改。"))  # fmt: skip
    say(t("next: `{command}`", "下一步：`{command}`", command=best[0].command))


def _machine(situation: Situation) -> str:
    """Say for which machine the order is, and how large a model it can train."""
    from starforge.choose.suggest import largest_model

    if situation.gpus == 0:
        return t(
            "Methods, best first, for a machine without a GPU (--gpus N for another):",
            "推荐的方法（按没有 GPU 的机器排序，其他机器请加 --gpus N）：",
        )
    size = largest_model(situation)
    room = (
        t("; full training has room for about {n:.1f}B parameters",
          "；全参训练约可容纳 {n:.1f}B 参数", n=size / 1e9)
        if size
        else ""
    )  # fmt: skip
    return t(
        "Methods, best first, for {gpus} GPU(s){room}:",
        "推荐的方法（{gpus} 块 GPU{room}）：",
        gpus=situation.gpus,
        room=room,
    )

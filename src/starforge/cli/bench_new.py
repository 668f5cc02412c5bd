"""``sf bench new``: a benchmark pack out of rows of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import argument, command, json_option, option
from starforge.cli.output import note, print_json, say
from starforge.lang import current_lang, t

if TYPE_CHECKING:
    from starforge.evals.making import Made
    from starforge.findings import Finding

SHOWN = 20  # findings


@command(
    "new",
    (
        "Make a benchmark of your own rows.\n\nDATA holds JSON lines with a question and an "
        "answer, and choices where there are any. The pack lies in the lab's benchmarks/NAME and "
        "runs with both harnesses. Rows that lack something are told, and nothing is written.",
        "用自己的数据建评测包。\n\nDATA 是 JSON Lines，每行含题目和答案，选择题还要有选项。"
        "评测包建在 lab 的 benchmarks/NAME 下，两种评测框架都能运行。"
        "有缺失的行会逐一指出，此时不写入任何内容。",
    ),
    ("sf bench new capitals data/capitals.jsonl", ("find out the kind", "自动判断类型")),
    (
        "sf bench new sums data/sums.jsonl --kind numeric --question problem --answer result",
        ("with other columns", "指定列名"),
    ),
)
@argument("name", ("Name of the benchmark.", "评测包的名字。"), metavar="NAME")
@argument(
    "data",
    ("The items, JSON lines.", "题目文件，JSON Lines。"),
    metavar="DATA",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@option(
    "--kind",
    type=click.Choice(("exact", "numeric", "choice", "math")),
    text=(
        "How answers are compared: as text, as numbers, as choices, as mathematics.",
        "答案的比较方式：文本、数值、选项或数学等价。",
    ),
)
@option("--question", metavar="COLUMN", text=("Column of the question.", "题目所在的列。"))
@option("--answer", metavar="COLUMN", text=("Column of the answer.", "答案所在的列。"))
@option("--choices", metavar="COLUMN", text=("Column of the choices.", "选项所在的列。"))
@json_option
def new(name: str, data: Path, *, as_json: bool, kind: Any, **columns: str | None) -> None:
    """JSON is ``{name, folder, kind, items, findings}``; ``folder`` is null when refused."""
    from starforge.evals.making import Columns, read_items

    folder = _free_folder(name)
    made = read_items(data, kind, Columns(**columns))
    found = _findings(name, data, made)
    if not found:
        _write(folder, name, made, data)
    if as_json:
        print_json({
            "name": name, "folder": None if found else str(folder), "kind": made.kind,
            "items": len(made.rows),
            "findings": [one.to_public(current_lang()) for one in found],
        })  # fmt: skip
    else:
        _tell(folder, made, found)
    if found:
        raise click.exceptions.Exit(1)


def _free_folder(name: str) -> Path:
    """Return the folder of a new pack; refuse a bad or a taken name."""
    from starforge.errors import StarForgeError
    from starforge.evals.library import BENCHMARKS, bundled
    from starforge.evals.pack import NAME
    from starforge.i18n import Text
    from starforge.lab.lab import find_lab

    if not NAME.fullmatch(name):
        raise StarForgeError(
            "eval/broken-pack", Text(f"`{name}` is not a name", f"`{name}` 不能用作名称"),
            Text("use letters, digits, `-`, `_` and `.`", "请使用字母、数字、`-`、`_` 和 `.`"),
        )  # fmt: skip
    lab = find_lab()
    folder = (lab.root if lab else Path.cwd()) / BENCHMARKS / name
    if folder.exists() or name in bundled():
        where = str(folder) if folder.exists() else "StarForge"
        raise StarForgeError(
            "eval/pack-exists",
            Text(f"there is a benchmark `{name}` already ({where})",
                 f"已有名为 `{name}` 的评测包（{where}）"),
            Text("choose another name", "请换一个名字"),
            status=409,
        )  # fmt: skip
    return folder


def _findings(name: str, data: Path, made: Made) -> list[Finding]:
    from starforge.checks.rules_evaluation import BAD_ITEMS
    from starforge.findings import Location

    wanted = "question, choices, answer" if made.kind == "choice" else "question, answer"
    return [
        BAD_ITEMS.at(Location(file=str(data), line=one.row), file=data.name, row=one.row,
                     problem=one.text, name=name, columns=wanted)
        for one in made.problems
    ]  # fmt: skip


def _write(folder: Path, name: str, made: Made, data: Path) -> None:
    """Write the pack beside its place and move it there whole."""
    import shutil

    import yaml

    from starforge.evals.generators import as_lines
    from starforge.evals.making import pack_of

    draft = folder.with_name(f".{name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    text = yaml.safe_dump(
        pack_of(name, made, data.name), allow_unicode=True, sort_keys=False, width=100
    )
    (draft / "pack.yaml").write_text(text, "utf-8")
    (draft / "test.jsonl").write_text(as_lines(made.rows), "utf-8")
    draft.rename(folder)


def _tell(folder: Path, made: Made, found: list[Finding]) -> None:
    from starforge.cli.findings_view import print_findings

    if not found:
        say(t("made {folder}: {n} items ({kind})", "已建 {folder}：{n} 道题（{kind}）",
              folder=folder, n=len(made.rows), kind=made.kind))  # fmt: skip
        say(t("read pack.yaml and say where the items come from; then: sf bench run MODEL -b {n}",
              "请核对 pack.yaml 并写明题目来源，然后运行：sf bench run 模型 -b {n}",
              n=folder.name))  # fmt: skip
        return
    shown = [one.to_public(current_lang()) for one in found[:SHOWN]]
    print_findings(shown, [Path("/")], err=True)
    rows = "1 row" if len(found) == 1 else f"{len(found)} rows"
    note(t("{rows} can't be used; nothing was written", "有 {n} 行不可用，未写入任何内容",
           rows=rows, n=len(found)))  # fmt: skip

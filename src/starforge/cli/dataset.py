"""``sf dataset``: register data by content, and look it up."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from starforge.cli.base import Group, argument, json_option, option
from starforge.cli.output import ago, note, print_fields, print_json, print_table, say, size
from starforge.cli.registry import progress_of
from starforge.cli.session import open_client
from starforge.client.versions import pick_version, split_ref
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.wire.datasets import Dataset

CONVERTED = (".json", ".csv", ".tsv")


@click.group(
    "dataset",
    cls=Group,
    text=(
        "Register data and look it up.\n\nA registered dataset is a file by content; experiments "
        "name it as dataset:NAME@VERSION.",
        "登记和查询数据集。\n\n登记的数据集按内容保存，实验中写作 dataset:名字@版本。",
    ),
    examples=[("sf dataset add gsm data/train.jsonl", ("register a file", "登记一个文件"))],
)
def dataset() -> None:
    """Everything happens in the commands."""


@dataset.command(
    "add",
    text=(
        "Register a file as the next version of a dataset.\n\nThe same content under the same "
        "name keeps the version it has. A .json, .csv or .tsv file becomes JSON lines, which "
        "methods read.",
        "把文件登记为数据集的下一个版本。\n\n同名且内容相同时沿用已有版本。"
        ".json、.csv 和 .tsv 文件会转成方法能读取的 JSON Lines。",
    ),
    examples=[
        ("sf dataset add gsm data/train.jsonl", ("a new version", "登记一个新版本")),
        (
            'sf dataset add gsm data/train.jsonl --description "filtered"',
            ("with a note", "附上说明"),
        ),
    ],
)
@argument("name", ("Name of the dataset.", "数据集的名字。"))
@argument(
    "file",
    ("The file, usually JSON lines.", "文件，通常是 JSON Lines。"),
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@option("--description", metavar="TEXT", text=("What it is.", "说明。"))
@json_option
def add(name: str, file: Path, description: str | None, as_json: bool) -> None:
    """The bytes are uploaded only when the server does not have them."""
    from starforge.lab.inputs import rows_digest

    with as_lines(file) as lines:
        digest, _ = rows_digest(lines)
        with open_client() as client, progress_of(lines, quiet=as_json) as pieces:
            if not client.blobs.has(digest):
                client.blobs.put(digest, pieces)
            found = client.datasets.add(name, digest, lines.name, description)
    if as_json:
        print_json(found)
    else:
        rows = t("{n} rows", "{n} 行", n=found.rows) if found.rows is not None else ""
        say(t("registered as {ref}  {rows}", "已登记为 {ref}  {rows}", ref=found.ref, rows=rows))


@contextlib.contextmanager
def as_lines(file: Path) -> Iterator[Path]:
    """Yield a file of JSON lines with the rows of ``file``: itself unless it is a table or JSON."""
    if file.suffix.lower() not in CONVERTED:
        yield file
        return
    from starforge.choose.source import write_lines

    with tempfile.TemporaryDirectory(prefix="starforge-dataset-") as folder:
        target = Path(folder, file.with_suffix(".jsonl").name)
        write_lines(file, target)
        yield target


@dataset.command(
    "ls",
    text=("List all datasets with their versions.", "列出全部数据集及其版本。"),
    examples=[("sf dataset ls --json", ("for a script", "供脚本使用"))],
)
@json_option
def ls(as_json: bool) -> None:
    """JSON is a list of dataset versions."""
    with open_client() as client:
        found = client.datasets.all()
    if as_json:
        print_json(found)
    elif not found:
        note(t("no datasets", "没有数据集"))
    else:
        print_table(
            [
                t("use as", "引用"),
                t("rows", "行数"),
                t("size", "大小"),
                t("columns", "列"),
                t("added", "登记"),
            ],
            [
                (one.ref, one.rows, size(one.bytes), ", ".join(one.columns), ago(one.created_at))
                for one in found
            ],
            right=(1, 2),
        )


@dataset.command(
    "show",
    text=(
        "Show a dataset: NAME for the newest version, or NAME@VERSION.",
        "显示数据集：名字（最新版本）或 名字@版本。",
    ),
    examples=[("sf dataset show gsm@2", ("one version", "查看某个版本"))],
)
@argument("ref", ("NAME or NAME@VERSION.", "名字，或 名字@版本。"), metavar="NAME")
@json_option
def show(ref: str, as_json: bool) -> None:
    """JSON is the dataset version."""
    name, version = split_ref(ref, "dataset:")
    with open_client() as client:
        found = pick_version(client.datasets.versions(name), ref, version)
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: Dataset) -> None:
    print_fields(
        [
            (t("use as", "引用"), found.ref),
            (t("rows", "行数"), found.rows),
            (t("size", "大小"), size(found.bytes)),
            (t("columns", "列"), ", ".join(found.columns)),
            (t("file", "文件"), found.file),
            (t("description", "说明"), found.description),
            ("sha256", found.digest),
            (t("added", "登记"), ago(found.created_at)),
        ]
    )

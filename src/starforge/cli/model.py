"""``sf model``: register models, and look them up."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from starforge.cli.base import Group, argument, json_option, option
from starforge.cli.output import ago, note, print_fields, print_json, print_table, say, size
from starforge.cli.registry import progress_of
from starforge.cli.session import open_client
from starforge.client.versions import pick_version, split_ref
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.wire.models import Model


@click.group(
    "model",
    cls=Group,
    text=(
        "Register models and look them up.\n\nExperiments name a registered model as "
        "model:NAME@VERSION. The model a job made can also be used directly, as job:ID.",
        "登记和查询模型。\n\n实验中写作 model:名字@版本。任务产出的模型也可以直接用 job:ID 引用。",
    ),
    examples=[("sf model add base models/SmolLM2", ("register a folder", "登记一个模型文件夹"))],
)
def model() -> None:
    """Everything happens in the commands."""


@model.command(
    "add",
    text=(
        "Register a model folder, or the model a job made.\n\nA folder on the server's own machine "
        "stays where it is; with --upload, and for a server elsewhere, its files are uploaded.",
        "登记一个模型文件夹，或某个任务产出的模型。\n\n"
        "与服务在同一台机器上的文件夹留在原处；加 --upload 或服务在别处时会上传文件。",
    ),
    examples=[
        ("sf model add base models/SmolLM2", ("a folder", "登记文件夹")),
        ("sf model add tuned job:my-sft", ("what a job made", "登记任务产出的模型")),
    ],
)
@argument("name", ("Name of the model.", "模型的名字。"))
@argument("source", ("A model folder, or job:ID.", "模型文件夹，或 job:ID。"))
@option("--upload", is_flag=True, text=("Upload the files.", "上传文件。"))
@option("--description", metavar="TEXT", text=("What it is.", "说明。"))
@json_option
def add(name: str, source: str, upload: bool, description: str | None, as_json: bool) -> None:
    """JSON is the registered version."""
    if source.startswith("job:"):
        with open_client() as client:
            found = client.models.add(name, job=source, description=description)
    else:
        folder = _folder(source)
        with open_client() as client:
            if upload or not _is_here(client.url):
                files = list(_upload(client, folder, quiet=as_json))
                found = client.models.add(name, files=files, description=description)
            else:
                path = str(folder.resolve())
                found = client.models.add(name, path=path, description=description)
    if as_json:
        print_json(found)
    else:
        say(t("registered as {ref}", "已登记为 {ref}", ref=found.ref))


def _folder(source: str) -> Path:
    from starforge.errors import StarForgeError
    from starforge.i18n import Text

    folder = Path(source).expanduser()
    if not folder.is_dir():
        raise StarForgeError(
            "model/no-folder",
            Text(f"there is no model folder {source}", f"没有模型文件夹 {source}"),
            Text(
                "give a folder with config.json and weights, or job:ID",
                "请给出含有 config.json 和权重的文件夹，或 job:ID",
            ),
        )
    return folder


def _is_here(url: str) -> bool:
    return urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")


def _upload(client: Client, folder: Path, *, quiet: bool) -> list[tuple[str, str]]:
    """Upload all files that are not hidden; return their relative paths and digests."""
    from starforge.lab.files import file_digest

    sent = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for file in (Path(root, one) for one in sorted(names) if not one.startswith(".")):
            digest = file_digest(file)
            if not client.blobs.has(digest):
                with progress_of(file, quiet=quiet) as pieces:
                    client.blobs.put(digest, pieces)
            sent.append((file.relative_to(folder).as_posix(), digest))
    return sent


@model.command(
    "ls",
    text=("List all models with their versions.", "列出全部模型及其版本。"),
    examples=[("sf model ls --json", ("for a script", "供脚本使用"))],
)
@json_option
def ls(as_json: bool) -> None:
    """JSON is a list of model versions."""
    with open_client() as client:
        found = client.models.all()
    if as_json:
        print_json(found)
    elif not found:
        note(t("no models", "没有模型"))
    else:
        print_table(
            [
                t("use as", "引用"),
                t("architecture", "结构"),
                t("size", "大小"),
                t("from", "来源"),
                t("added", "登记"),
            ],
            [
                (
                    one.ref,
                    one.architecture,
                    size(one.bytes),
                    one.job or one.location,
                    ago(one.created_at),
                )
                for one in found
            ],
            right=(2,),
        )


@model.command(
    "show",
    text=(
        "Show a model: NAME for the newest version, or NAME@VERSION.",
        "显示模型：名字（最新版本）或 名字@版本。",
    ),
    examples=[("sf model show base", ("the newest version", "查看最新版本"))],
)
@argument("ref", ("NAME or NAME@VERSION.", "名字，或 名字@版本。"), metavar="NAME")
@json_option
def show(ref: str, as_json: bool) -> None:
    """JSON is the model version."""
    name, version = split_ref(ref, "model:")
    with open_client() as client:
        found = pick_version(client.models.versions(name), ref, version)
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: Model) -> None:
    print_fields(
        [
            (t("use as", "引用"), found.ref),
            (t("kind", "类型"), found.kind),
            (t("location", "位置"), found.location),
            (t("architecture", "结构"), found.architecture),
            (t("size", "大小"), size(found.bytes)),
            (t("made by job", "产自任务"), found.job),
            (t("description", "说明"), found.description),
            ("sha256", found.digest),
            (t("added", "登记"), ago(found.created_at)),
        ]
    )

"""``sf job experiment``: the experiment of a job as a folder, to change and submit again."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path

import click

from starforge.cli.base import command, json_option, option
from starforge.cli.shared import job_argument
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lang import t


@command(
    "experiment",
    (
        "Write the experiment of a job into a new folder, its data included.\n\nWhat --set changed "
        "is in the files. In a lab the folder is made in experiments/.",
        "把任务的实验（含数据）写入一个新文件夹。\n\n--set 所做的修改会写进文件。"
        "在 lab 中，文件夹建在 experiments/ 下。",
    ),
    ("sf job experiment my-sft", ("to change it and submit it again", "修改后重新提交")),
    ("sf job experiment my-sft --out ../again", ("into a folder of your own", "写到指定文件夹")),
)
@job_argument
@option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    text=("The new folder.", "新文件夹。"),
)
@json_option
def experiment(job_id: str, out: Path | None, as_json: bool) -> None:
    """JSON is ``{job, folder, method}``."""
    from starforge.cli.output import print_json, say
    from starforge.cli.session import open_client

    with open_client() as client:
        job = client.jobs.get(job_id)
        with tempfile.TemporaryDirectory(prefix="sf-experiment-") as temp:
            archive = Path(temp) / "experiment.zip"
            with archive.open("wb") as file:
                for part in client.jobs.experiment_archive(job.id):
                    file.write(part)
            made = _unpack(archive, Path(temp) / "files")
            target = _place(made, out)
    if as_json:
        print_json({"job": job.id, "folder": str(target), "method": job.method})
        return
    say(
        t(
            "written to {folder}; next: `sf validate {folder}`",
            "已写入 {folder}；下一步：`sf validate {folder}`",
            folder=target,
        )
    )


def _unpack(archive: Path, folder: Path) -> Path:
    """Unpack the one folder of an archive and return it."""
    from starforge.lab.names import is_plain_name

    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            if not is_plain_name(info.filename):
                raise StarForgeError(
                    "experiment/archive",
                    Text(f"the archive holds {info.filename!r}", f"压缩包中含有 {info.filename!r}"),
                    Text("is this server yours?", "请确认所连接的服务是否可信"),
                )
            opened.extract(info, folder)
            (folder / info.filename).chmod(0o755 if info.external_attr >> 16 & 0o100 else 0o644)
    (made,) = folder.iterdir()
    return made


def _place(made: Path, out: Path | None) -> Path:
    """Move a folder to where it is wanted; nothing that is there is touched."""
    from starforge.lab.lab import EXPERIMENTS, find_lab

    target = out
    if target is None:
        lab = find_lab(Path.cwd())
        target = (lab.root / EXPERIMENTS if lab is not None else Path.cwd()) / made.name
    if target.exists() or target.is_symlink():
        raise StarForgeError(
            "experiment/exists",
            Text(f"{target} is there already", f"{target} 已存在"),
            Text("name another folder with `--out`", "请用 `--out` 指定另一个文件夹"),
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StarForgeError(
            "experiment/write",
            Text(f"{target} can't be written: {reason}", f"无法写入 {target}：{reason}"),
        ) from error
    return target

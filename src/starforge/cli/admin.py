"""``sf admin``: look after the state of the embedded server."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from starforge.cli.base import Group, argument, json_option, option
from starforge.cli.output import moment, note, print_fields, print_json, say, size
from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text
from starforge.lang import t

FILE = ("The backup file.", "备份文件。")


@click.group(
    "admin",
    cls=Group,
    text=(
        "Back up the server's state, and restore it.\n\nWorks on the home of this machine "
        "(STARFORGE_HOME), whether its server runs or not; a server elsewhere is backed up there.",
        "备份和恢复服务的状态。\n\n操作的是本机的状态目录（STARFORGE_HOME），无论服务是否在运行；"
        "别处的服务请在它所在的机器上备份。",
    ),
    examples=[
        ("sf admin backup /backups/monday.tar.zst", ("while jobs run", "任务运行时也可以备份")),
        ("sf admin verify /backups/monday.tar.zst", ("is it whole?", "检查备份是否完好")),
    ],
)
def admin() -> None:
    """Everything happens in the commands."""


@admin.command(
    "backup",
    text=(
        "Back up the state while jobs run.\n\nThe database, logs, samples, job folders, models, "
        "the blobs they need and the keys go into one archive, which appears whole or not at all. "
        "Runtimes are left out: they can be installed again.",
        "备份状态，任务运行时也可以。\n\n数据库、日志、样例、任务目录、模型、所需的 blob 和密钥"
        "都写入同一个归档文件；文件要么完整出现，要么不出现。运行环境不备份，可以重新安装。",
    ),
    examples=[
        ("sf admin backup /backups/monday.tar.zst", ("everything", "备份全部内容")),
        (
            "sf admin backup small.tar.zst --without-outputs",
            ("without checkpoints and models of jobs", "不含任务的检查点和模型"),
        ),
    ],
)
@argument("file", FILE, metavar="FILE")
@option(
    "--without-outputs",
    is_flag=True,
    text=("Leave out checkpoints and models of jobs.", "不含任务产出的检查点和模型。"),
)
@json_option
def backup(file: str, without_outputs: bool, as_json: bool) -> None:
    """JSON is ``{file, database, jobs, files, bytes, changed, skipped}``."""
    made = _run("create", file, *(["--without-outputs"] if without_outputs else []))
    if made["database"] == "postgresql":
        note(
            t(
                "the database is PostgreSQL and not in this file: it belongs to a dump that "
                "pg_dump made before this backup",
                "数据库是 PostgreSQL，不在此文件中：请配合在本次备份之前用 pg_dump 导出的数据使用",
            )
        )
    _note_odd(made)
    if as_json:
        print_json(made)
        return
    say(
        t(
            "backed up {jobs} jobs, {files} files: {file} ({size})",
            "已备份 {jobs} 个任务、{files} 个文件：{file}（{size}）",
            jobs=made["jobs"],
            files=made["files"],
            file=made["file"],
            size=size(made["bytes"]),
        )
    )


@admin.command(
    "restore",
    text=(
        "Restore a backup into an empty home.\n\nNothing is overwritten. Jobs that ran when the "
        "backup was made end as failed (reason: restored) and can be resumed from their last "
        "checkpoint; queued ones start with the server.",
        "把备份恢复到一个空的状态目录。\n\n不会覆盖任何内容。制作备份时正在运行的任务会以失败结束"
        "（原因：restored），可以从最后的检查点恢复；排队中的任务会随服务启动。",
    ),
    examples=[
        (
            "sf admin restore monday.tar.zst --home /data/starforge",
            ("into a new home", "恢复到新的状态目录"),
        ),
    ],
)
@argument("file", FILE, metavar="FILE")
@option(
    "--home",
    metavar="FOLDER",
    text=("The new home (default: STARFORGE_HOME).", "新的状态目录（默认为 STARFORGE_HOME）。"),
)
@json_option
def restore(file: str, home: str | None, as_json: bool) -> None:
    """JSON is ``{home, created_at, version, database, jobs, ended}``."""
    done = _run("restore", file, *(["--home", str(Path(home).absolute())] if home else []))
    done["created_at"] = _iso(done["created_at"])
    if done["database"] == "postgresql":
        note(
            t(
                "now load the dump of the PostgreSQL database, before the server starts",
                "接下来请在启动服务之前导入 PostgreSQL 数据库的导出文件",
            )
        )
    if as_json:
        print_json(done)
        return
    say(
        t(
            "restored {n} jobs into {home}",
            "已恢复 {n} 个任务到 {home}",
            n=done["jobs"],
            home=done["home"],
        )
    )
    if done["ended"]:
        say(
            t(
                "{n} of them ran when the backup was made and have ended: {jobs}",
                "其中 {n} 个任务在备份时正在运行，现已结束：{jobs}",
                n=len(done["ended"]),
                jobs=", ".join(done["ended"]),
            )
        )


@admin.command(
    "verify",
    text=(
        "Check that a backup is whole.\n\nReads the archive to its end and compares every file "
        "with its checksum; writes nothing.",
        "检查备份是否完好。\n\n完整读取归档，核对每个文件的校验和，不写入任何内容。",
    ),
    examples=[("sf admin verify monday.tar.zst", ("is it whole?", "检查备份是否完好"))],
)
@argument("file", FILE, metavar="FILE")
@json_option
def verify(file: str, as_json: bool) -> None:
    """JSON is ``{file, version, created_at, home, database, outputs, files, ...}``."""
    found = _run("verify", file)
    made = datetime.fromtimestamp(found["created_at"], UTC)
    found["created_at"] = made.isoformat()
    _note_odd(found)
    if as_json:
        print_json(found)
        return
    print_fields(
        [
            (t("backup", "备份"), t("whole", "完好")),
            (t("made", "制作时间"), moment(made)),
            (t("version", "版本"), found["version"]),
            (t("home", "状态目录"), found["home"]),
            (t("database", "数据库"), found["database"]),
            (t("files", "文件数"), found["files"]),
            (
                t("outputs", "任务产出"),
                t("in it", "包含") if found["outputs"] else t("left out", "不含"),
            ),
        ]
    )


def _note_odd(found: dict[str, Any]) -> None:
    for name in found["changed"]:
        note(t("{f} was being shortened while it was read", "{f} 在读取时被截短", f=name))
    for name in found["skipped"]:
        note(t("{f} is no file and was left out", "{f} 不是普通文件，未备份", f=name))


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _run(what: str, file: str, *more: str) -> dict[str, Any]:
    """Let the server's own code do it, in a process of its own; return its answer.

    Ctrl-C reaches that process too; it is waited for, so that it can tidy up.
    """
    words = [sys.executable, "-m", "starforge.server.backup", what, *more, "--", file]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as process:
        out, err = process.communicate()
    try:
        answer: dict[str, Any] = json.loads(out)
    except ValueError:
        said = err.decode("utf-8", "replace").strip()[-2000:]
        code = process.returncode
        raise RuntimeError(f"starforge.server.backup ended with {code}: {said}") from None
    error = answer.get("error")
    if error is not None:
        hint = Text(**error["hint"]) if error["hint"] else None
        code = ExitCode(process.returncode)
        raise StarForgeError(error["code"], Text(**error["message"]), hint, exit_code=code)
    return answer

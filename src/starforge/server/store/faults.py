"""Turn failures of disks and databases into errors a person can act on."""

from __future__ import annotations

import errno
from pathlib import Path

from starforge.errors import StarForgeError
from starforge.i18n import Text


def disk_fault(error: OSError, path: Path) -> StarForgeError:
    """Say what a failed file operation on ``path`` means."""
    where = str(error.filename or path)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _disk_full(where)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return _read_only(where)
    return StarForgeError(
        "store/files",
        Text("cannot use {path}: {why}", "无法使用 {path}：{why}").format(
            path=where, why=error.strerror or error
        ),
        Text(
            "check that the folder exists and the server may write there, or choose another "
            "with STARFORGE_HOME",
            "请确认该目录存在且服务可以写入，或用 STARFORGE_HOME 指定其他目录",
        ),
        status=500,
    )


def database_fault(error: Exception, where: str) -> StarForgeError | None:
    """Say what a database error means; ``None`` when it is a defect of ours."""
    text = str(getattr(error, "orig", None) or error)
    lower = text.lower()
    if "disk is full" in lower or "no space left" in lower or "could not extend" in lower:
        return _disk_full(where)
    if "readonly database" in lower or "read-only transaction" in lower:
        return _read_only(where)
    if "not a database" in lower or "malformed" in lower:
        return _corrupt(where, text)
    if "database is locked" in lower or "locking protocol" in lower:
        return _locked(where)
    unusable = ("unable to open", "disk i/o error", "connection", "password", "does not exist")
    if type(error).__name__ == "OperationalError" and any(sign in lower for sign in unusable):
        return _unusable(where, text)
    return None


def _disk_full(where: str) -> StarForgeError:
    return StarForgeError(
        "store/disk-full",
        Text("no disk space left for {where}", "磁盘空间不足：{where}").format(where=where),
        Text(
            "free some space and try again; what was kept before is intact",
            "请释放一些空间后重试；已保存的内容完好无损",
        ),
        status=507,
    )


def _read_only(where: str) -> StarForgeError:
    return StarForgeError(
        "store/read-only",
        Text("{where} cannot be written to", "{where} 不可写").format(where=where),
        Text(
            "give the server's user write permission, or choose another folder with STARFORGE_HOME",
            "请为运行服务的用户授予写权限，或用 STARFORGE_HOME 指定其他目录",
        ),
        status=500,
    )


def _corrupt(where: str, why: str) -> StarForgeError:
    return StarForgeError(
        "store/corrupt",
        Text(
            "{where} is damaged or not a database: {why}", "{where} 已损坏或不是数据库：{why}"
        ).format(where=where, why=why),
        Text(
            "nothing was changed. Restore a backup, or move the file (with its -wal and -shm) "
            "away to start with an empty database",
            "未做任何改动。请恢复备份，或将该文件（连同 -wal、-shm）移走，从空数据库重新开始",
        ),
        status=500,
    )


def _locked(where: str) -> StarForgeError:
    return StarForgeError(
        "store/locked",
        Text("{where} is locked by another program", "{where} 被其他程序锁定").format(where=where),
        Text(
            "close whatever else has it open (a database browser, a backup) and try again",
            "请关闭其他正在使用它的程序（如数据库浏览器、备份工具）后重试",
        ),
        status=503,
    )


def _unusable(where: str, why: str) -> StarForgeError:
    return StarForgeError(
        "store/unreachable",
        Text("cannot use the database {where}: {why}", "无法使用数据库 {where}：{why}").format(
            where=where, why=why.strip().splitlines()[0]
        ),
        Text(
            "check the address, the folder and its permissions, and that the database server runs",
            "请检查地址、目录及其权限，并确认数据库服务正在运行",
        ),
        status=503,
    )

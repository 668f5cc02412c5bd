"""What frameworks that keep a folder a checkpoint have in common. Runs inside a runtime."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from job_files import say

from starforge.lang import t

GOING = ".gone-"  # before the name of a checkpoint that is being deleted


def numbered(folder: Path, pattern: str) -> list[tuple[int, Path]]:
    """Return folders whose whole name fits ``pattern``, the lowest step (its group 1) first."""
    if not folder.is_dir():
        return []
    found = []
    for path in folder.iterdir():
        match = re.fullmatch(pattern, path.name)
        if match and path.is_dir():
            found.append((int(match[1]), path))
    return sorted(found)


def say_damaged(name: str, problem: str) -> None:
    """Say that a checkpoint is passed over."""
    say(
        "checkpoint {name} is not whole ({problem}), trying the one before",
        "检查点 {name} 不完整（{problem}），改用更早的一个",
        name=name,
        problem=problem,
    )


def damaged(name: str) -> str:
    """Say that a file of a checkpoint can't be read to its end."""
    return t("{name} is damaged", "{name} 已损坏", name=name)


def no_weights() -> str:
    """Say that a checkpoint holds no weights."""
    return t("the weights are missing", "缺少权重")


def move_away(folder: Path) -> None:
    """Move all checkpoints of an earlier attempt away, beside their folder.

    Left where they are, a later resume would take one of them for this attempt's.
    """
    place = folder.with_name(f"{folder.name}-before-{int(time.time())}")
    folder.rename(place)
    say(
        "checkpoints of an earlier attempt were moved to {place}",
        "先前尝试的检查点已移到 {place}",
        place=place.name,
    )


def delete(paths: Iterable[Path], folder: Path) -> None:
    """Delete checkpoints of ``folder``, and what an earlier process had only half deleted."""
    for path in paths:
        # Under another name first: what is half deleted must not be taken for a checkpoint.
        path.rename(path.with_name(f"{GOING}{path.name}"))
    for path in folder.glob(f"{GOING}*"):
        shutil.rmtree(path, ignore_errors=True)

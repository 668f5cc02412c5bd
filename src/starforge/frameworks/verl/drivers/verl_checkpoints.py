"""verl's checkpoints on disk: which one is the last whole, and which may go.

A checkpoint is ``global_step_N/``, with the actor (and the critic) in folders of their own
in reinforcement learning. verl names the newest one in a tracker file once all is written.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from checkpoint_folders import damaged, delete, move_away, no_weights, numbered, say_damaged

from starforge.lang import t

TRACKER = "latest_checkpointed_iteration.txt"
NAME = r"global_step_(\d+)"


def newest(folder: Path) -> Path | None:
    """Return the checkpoint that the tracker names, if it is there."""
    step = tracked(folder)
    found = folder / f"global_step_{step}"
    return found if step is not None and found.is_dir() else None


def tracked(folder: Path) -> int | None:
    """Return the step that the tracker names; ``None`` without a tracker, or a broken one."""
    try:
        return int((folder / TRACKER).read_text("utf-8").strip())
    except (OSError, ValueError):
        return None


def ready_to_resume(folder: Path) -> Path | None:
    """Make the tracker name the newest whole checkpoint, and return that; ``None`` without one.

    verl truncates the tracker before it writes it, so a kill can leave it empty.
    """
    limit = tracked(folder)
    for step, path in reversed(numbered(folder, NAME)):
        if limit is not None and step > limit:
            continue  # not finished: verl had not named it yet
        problem = damage(path)
        if problem is None:
            _track(folder, str(step))
            return path
        say_damaged(path.name, problem)
    (folder / TRACKER).unlink(missing_ok=True)
    return None


def set_aside(folder: Path) -> None:
    """Move checkpoints of an earlier attempt away when training starts from the beginning.

    verl itself would go on from them.
    """
    if numbered(folder, NAME):
        move_away(folder)


def tidy(folder: Path, keep: int | None) -> None:
    """Delete all but the newest ``keep`` finished checkpoints, those of earlier attempts too.

    The newest that the tracker names always stays, and so does one that is being written.
    """
    limit = tracked(folder)
    if not keep or keep < 1 or limit is None or not (folder / f"global_step_{limit}").is_dir():
        return
    finished = [path for step, path in numbered(folder, NAME) if step <= limit]
    delete(finished[:-keep], folder)


def damage(checkpoint: Path) -> str | None:
    """Say what is wrong with a checkpoint, or ``None`` when it is whole.

    Files of torch.save are zip archives, whose directory stands at the end.
    """
    roles = [part for part in (checkpoint / "actor", checkpoint / "critic") if part.is_dir()]
    for folder in roles or [checkpoint]:
        missing = _missing_rank(folder)
        if missing:
            return missing
    if not list(checkpoint.glob("data*.pt")):
        return t("the state of the data is missing", "缺少数据读取位置")
    files = sorted(checkpoint.rglob("*.pt"))
    broken = next((file.name for file in files if not zipfile.is_zipfile(file)), None)
    return damaged(broken) if broken else None


def _missing_rank(folder: Path) -> str | None:
    """Say whose weights are missing: each of the processes wrote a part."""
    pattern = re.compile(r"model_world_size_(\d+)_rank_(\d+)\.pt")
    found = [match for file in folder.iterdir() if (match := pattern.fullmatch(file.name))]
    if not found:
        return no_weights()
    lacking = set(range(int(found[0][1]))) - {int(match[2]) for match in found}
    if not lacking:
        return None
    return t("the weights of rank {rank} are missing", "缺少 rank {rank} 的权重", rank=min(lacking))


def _track(folder: Path, step: str) -> None:
    fresh = folder / f"{TRACKER}.tmp"
    fresh.write_text(step, "utf-8")
    fresh.replace(folder / TRACKER)

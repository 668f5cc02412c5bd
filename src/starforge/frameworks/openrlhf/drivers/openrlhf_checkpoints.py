"""OpenRLHF's checkpoints on disk: which one is the last whole, and which may go.

A job can die in the middle of writing one, or of deleting one.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from checkpoint_folders import damaged, delete, move_away, no_weights, numbered, say_damaged

from starforge.lang import t

LATEST = "latest"  # the file in which DeepSpeed names the checkpoint to load, once it is whole
NAME = r"(?:best_)?global_step(\d+)"


def ready_to_resume(folder: Path) -> str | None:
    """Make ``latest`` name the newest whole checkpoint; return its name, if there is one.

    Reinforcement learning keeps one folder for the model and, with a critic, one more; the
    checkpoint must be whole in both.
    """
    parts = _parts(folder)
    for name in _names(parts[0]):
        problem = next((p for part in parts if (p := damage(part / name)) is not None), None)
        if problem is None:
            for part in parts:
                (part / LATEST).write_text(name, "utf-8")
            return name
        say_damaged(name, problem)
    return None


def set_aside(folder: Path) -> None:
    """Move checkpoints of an earlier attempt away when training starts from the beginning."""
    if folder.is_dir() and any(folder.iterdir()):
        move_away(folder)


def tidy(folder: Path, keep: int) -> None:
    """Delete all but the newest ``keep`` whole checkpoints, those of earlier attempts too.

    Folders that ``save_hf`` wrote are counted by themselves. The best checkpoint stays, and so
    does what is being written: nothing goes before the newest is named and whole everywhere.
    """
    parts = _parts(folder)
    latest = [_latest(part) for part in parts]
    limit = min((step_of(name) if name else 0 for name in latest), default=0)
    whole = [name for name in latest if name]
    if not limit or any(damage(p / n) for p, n in zip(parts, whole, strict=True)):
        return
    for place, pattern in [*((part, r"global_step(\d+)") for part in parts),
                           (folder, r"global_step(\d+)_hf")]:  # fmt: skip
        _delete_older(place, pattern, limit, max(1, keep))


def step_of(name: str) -> int:
    """Return the step in the name of a checkpoint."""
    return int(name.rpartition("global_step")[2])


def damage(checkpoint: Path) -> str | None:
    """Say what is wrong with a checkpoint, or ``None`` when it is whole.

    Files of torch.save are zip archives whose directory stands at the end.
    """
    files = sorted(checkpoint.glob("*.pt"))
    if not any("model_states" in file.name for file in files):
        return no_weights()
    if not any("optim_states" in file.name for file in files):
        return t("the optimizer's state is missing", "缺少优化器状态")
    broken = next((file.name for file in files if not zipfile.is_zipfile(file)), None)
    return damaged(broken) if broken else None


def _parts(folder: Path) -> list[Path]:
    parts = [part for part in (folder / "_actor", folder / "_critic") if part.is_dir()]
    return parts or [folder]


def _latest(part: Path) -> str | None:
    try:
        name = (part / LATEST).read_text("utf-8").strip()
    except (OSError, ValueError):
        return None
    return name if re.fullmatch(NAME, name) else None


def _delete_older(place: Path, pattern: str, limit: int, keep: int) -> None:
    finished = [path for step, path in numbered(place, pattern) if step <= limit]
    delete(finished[:-keep], place)


def _names(folder: Path) -> list[str]:
    """Return checkpoints by step, the newest first (``best_global_stepN`` counts by N, too)."""
    return [path.name for _, path in reversed(numbered(folder, NAME))]

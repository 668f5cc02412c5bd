"""Find the last checkpoint that is whole. A job can die in the middle of writing one."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

from checkpoint_folders import damaged, move_away, no_weights, numbered, say_damaged

from starforge.lang import t

WEIGHTS = ("model.safetensors", "adapter_model.safetensors")
SHARDED = ("pytorch_model_fsdp_0", "pytorch_model_fsdp.bin", "global_step*")
STATE = "trainer_state.json"
NAME = r"checkpoint-(\d+)"


def last_whole(folder: Path) -> Path | None:
    """Return the newest whole checkpoint of ``folder``; a damaged one is named in the log."""
    for step, checkpoint in reversed(numbered(folder, NAME)):
        problem = damage(checkpoint, step)
        if problem is None:
            return checkpoint
        say_damaged(checkpoint.name, problem)
    return None


def set_aside(folder: Path) -> None:
    """Move checkpoints of an earlier attempt away when training starts from the beginning."""
    if numbered(folder, NAME):
        move_away(folder)


def damage(checkpoint: Path, step: int) -> str | None:
    """Say what is wrong with a checkpoint, or ``None`` when it is whole."""
    # The trainer writes its state last, so a checkpoint cut short usually lacks it.
    try:
        state = json.loads((checkpoint / STATE).read_text("utf-8"))
    except OSError:
        return t("{name} is missing", "缺少 {name}", name=STATE)
    except ValueError:
        return damaged(STATE)
    if not isinstance(state, dict) or state.get("global_step") != step:
        return t("{name} is of another step", "{name} 属于另一步", name=STATE)
    return _damaged_weights(checkpoint) or _damaged_archive(checkpoint)


def _damaged_weights(checkpoint: Path) -> str | None:
    files = [checkpoint / name for name in WEIGHTS if (checkpoint / name).exists()]
    index = checkpoint / "model.safetensors.index.json"
    if index.exists():
        try:
            names = set(json.loads(index.read_text("utf-8"))["weight_map"].values())
        except (ValueError, KeyError, AttributeError):
            return damaged(index.name)
        files = [checkpoint / name for name in sorted(names)]
    if not files and not any(any(checkpoint.glob(name)) for name in SHARDED):
        return no_weights()
    for file in files:
        if not safetensors_whole(file):
            return damaged(file.name)
    return None


def _damaged_archive(checkpoint: Path) -> str | None:
    # Files of torch.save are zip archives whose directory stands at the end.
    for name in ("optimizer.pt", "scheduler.pt"):
        file = checkpoint / name
        if file.exists() and not zipfile.is_zipfile(file):
            return damaged(name)
    return None


def safetensors_whole(file: Path) -> bool:
    """Say whether a safetensors file is as long as its own header says."""
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > size - 8:
                return False
            header = json.loads(stream.read(length))
        ends = [t["data_offsets"][1] for name, t in header.items() if name != "__metadata__"]
    except (OSError, ValueError, KeyError, struct.error):
        return False
    return size == 8 + length + max(ends, default=0)

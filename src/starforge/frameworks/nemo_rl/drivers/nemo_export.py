"""From NeMo-RL's newest checkpoint to a Hugging Face folder in ``output/model``.

Checkpoints are ``step_<N>/policy/{weights,optimizer,tokenizer}``. The second DTensor worker
leaves a whole model below ``weights`` when ``save_consolidated`` is on; the first writes
PyTorch's distributed format, which upstream's own converter turns into one.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from job_files import say

_STEP = re.compile(r"step_(\d+)")


def newest(checkpoints: Path) -> Path | None:
    """Return the whole checkpoint with the highest step; unfinished ones have other names."""
    found = {
        int(match[1]): folder
        for folder in checkpoints.glob("step_*")
        if (match := _STEP.fullmatch(folder.name)) and (folder / "training_info.json").is_file()
    }
    return found[max(found)] if found else None


def consolidated(checkpoint: Path) -> Path | None:
    """Return the folder of a whole model inside a checkpoint, if there is one."""
    places = sorted((checkpoint / "policy" / "weights").glob("**/config.json"))
    return next((one.parent for one in places if list(one.parent.glob("*.safetensors"))), None)


def distributed(checkpoint: Path) -> Path | None:
    """Return the folder in PyTorch's distributed format, if there is one."""
    weights = checkpoint / "policy" / "weights"
    places = (weights, weights / "model")
    return weights if any((one / ".metadata").is_file() for one in places) else None


def export(checkpoints: Path, target: Path, home: Path, python: str) -> bool:
    """Write ``target`` from the newest checkpoint; say so, and return whether it was written."""
    checkpoint = newest(checkpoints)
    if checkpoint is None:
        say("there is no checkpoint to export", "没有可导出的检查点")
        return False
    fresh = target.with_name(f".{target.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    whole = consolidated(checkpoint)
    if whole is not None:
        shutil.copytree(whole, fresh)
        _add_tokenizer(checkpoint, fresh)
    elif distributed(checkpoint) is None or not _convert(checkpoint, fresh, home, python):
        say(
            "{name} holds no whole model (sharded or adapter weights); it stays as it is",
            "{name} 中没有完整模型（分片或适配器权重），保持原样",
            name=checkpoint.name,
        )
        shutil.rmtree(fresh, ignore_errors=True)
        return False
    if target.exists():
        shutil.rmtree(target)
    fresh.rename(target)
    return True


def _add_tokenizer(checkpoint: Path, folder: Path) -> None:
    for file in (checkpoint / "policy" / "tokenizer").glob("*"):
        if file.is_file() and not (folder / file.name).exists():
            shutil.copy2(file, folder / file.name)


def _convert(checkpoint: Path, folder: Path, home: Path, python: str) -> bool:
    command = [
        python, str(home / "examples" / "converters" / "convert_dcp_to_hf.py"),
        "--config", str(checkpoint / "config.yaml"),
        "--dcp-ckpt-path", str(distributed(checkpoint)),
        "--hf-ckpt-path", str(folder),
    ]  # fmt: skip
    return subprocess.run(command, cwd=home, check=False).returncode == 0

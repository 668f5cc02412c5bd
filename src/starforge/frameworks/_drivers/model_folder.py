"""What can be said of a model's folder before anything heavy is loaded. Runs inside a runtime."""

from __future__ import annotations

from pathlib import Path

from job_files import JobError

from starforge.lang import t


def check_folder(model: str, *, checkpoint: str, refusal: str) -> None:
    """Raise a clear error when a folder holds no model; a hub id is not looked at.

    ``checkpoint`` is the name (a glob) of files that only the framework's own checkpoints have,
    and ``refusal`` what is said of such a folder.
    """
    folder = Path(model)
    if not folder.is_absolute() and not folder.exists():
        return  # a hub id
    if not folder.is_dir():
        raise JobError(
            t("model folder {path} does not exist", "模型目录 {path} 不存在", path=model)
        )
    if (folder / "config.json").is_file():
        return
    if any(folder.rglob(checkpoint)):
        raise JobError(refusal)
    raise JobError(
        t(
            "{path} has no config.json: not a model folder",
            "{path} 里没有 config.json：不是模型目录",
            path=model,
        )
    )

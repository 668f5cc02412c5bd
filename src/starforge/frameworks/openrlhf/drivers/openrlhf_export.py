"""Turn what OpenRLHF wrote at its end into the job's final model."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from job_files import JobError, declare_artifact, say

from starforge.lang import t
from upstream import run_upstream


def export(
    made: Path, output: Path, *, model: str, lora: bool, precision: str, env: Mapping[str, str]
) -> None:
    """Move the model from ``made`` to ``output/model`` and declare it.

    An adapter is kept as it is in ``output/adapter`` and merged into ``model`` by upstream's
    own tool, in the environment ``env``. Raises :class:`JobError` when nothing was written.
    """
    if not (made / "config.json").is_file():
        raise JobError(t("OpenRLHF wrote no model", "OpenRLHF 没有写出模型"))
    final = output / "model"
    if not lora:
        _replace(made, final)
    else:
        adapter = output / "adapter"
        _replace(made, adapter)
        merged = output / "model.partial"
        shutil.rmtree(merged, ignore_errors=True)
        _merge(model, adapter, merged, precision, env)
        _replace(merged, final)
        declare_artifact(adapter, "adapter", "adapter")
    declare_artifact(final, "model", "model")
    say("the model is in {path}", "模型已写入 {path}", path="output/model")


def _merge(model: str, adapter: Path, target: Path, precision: str, env: Mapping[str, str]) -> None:
    code = run_upstream([
        sys.executable, "-m", "openrlhf.cli.lora_combiner", "--model_path", model,
        "--lora_path", str(adapter), "--output_path", str(target),
        "--ds.param_dtype", precision,
    ], env=env)  # fmt: skip
    if code or not (target / "config.json").is_file():
        raise JobError(
            t("the adapter could not be merged; it is whole in output/adapter",
              "无法合并适配器；适配器本身完好，在 output/adapter 中")
        )  # fmt: skip


def _replace(fresh: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(fresh, folder)

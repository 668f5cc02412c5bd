"""What all TRL jobs do: read the plan's files, train or resume, export, declare.

A driver (``sft.py``, ``grpo.py``, ...) says how its trainer is built; the rest is here.
``config.json`` is ``{"config": {native keys}, "data": {split: file}, "reward": file?}``.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import job_files
import tiny_model
from job_files import JobError, declare_artifact, fill, output_dir, resuming, say

from starforge.lang import t


class Job(NamedTuple):
    """What a driver builds its trainer from; models are folders or hub ids."""

    config: dict[str, Any]
    files: dict[str, Path]
    model: str
    teacher: str | None = None
    reward_file: Path | None = None
    reward_model: str | None = None


Build = Callable[[Job], Any]


def run(build: Build) -> None:
    """Run a driver: ``build`` turns the job into a ready trainer."""
    job_files.run(lambda: _main(build))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--model", required=True, help="a folder, a hub id, or starforge:tiny")
    parser.add_argument("--teacher", help="the model to learn from, named like --model")
    parser.add_argument("--reward", type=Path, help="a Python file with a function `reward`")
    parser.add_argument("--reward-model", help="a trained reward model")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data files")
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


def _read_job(args: argparse.Namespace) -> Job:
    job = json.loads(args.config.read_text("utf-8"))
    model, teacher = _resolve(args.model), _resolve(args.teacher, "teacher")
    places = {"OUTPUT": str(args.output), "DATA": str(args.data), "MODEL": model}
    places |= {"TEACHER": teacher} if teacher else {}
    return Job(
        config=fill(job["config"], places),
        files={split: args.data / name for split, name in job["data"].items()},
        model=str(model),
        teacher=teacher,
        reward_file=args.reward,
        reward_model=_resolve(args.reward_model),
    )


def _resolve(reference: str | None, role: str = "model") -> str | None:
    import trl_model

    if reference is None:
        return None
    if reference != tiny_model.REFERENCE:
        trl_model.check_folder(reference)
    return tiny_model.resolve(reference, trl_model.scratch_dir(), role)


def _main(build: Build) -> None:
    args = _arguments()
    import trl_model
    from transformers.utils import logging

    logging.disable_progress_bar()
    trainer = build(_read_job(args))
    _train(trainer)
    final = output_dir() / "model"
    trl_model.export(trainer, final)
    if trainer.is_world_process_zero():
        adapter = final.with_name("adapter")
        if adapter.is_dir():
            tiny_model.name_in(adapter, args.model)
            declare_artifact(adapter, "adapter", "adapter")
        declare_artifact(final, "model", "model")
        say("the model is in {path}", "模型已写入 {path}", path="output/model")
        shutil.rmtree(trl_model.scratch_dir(), ignore_errors=True)


def _train(trainer: Any) -> None:
    """Train from the beginning or from the last whole checkpoint."""
    import torch

    checkpoint = _start_from(trainer)
    trainer.accelerator.wait_for_everyone()
    try:
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    except torch.OutOfMemoryError as error:
        raise JobError(
            t(
                "the GPU ran out of memory; lower batch_size (and raise gradient_accumulation "
                "to keep the batch), shorten sequences (max_tokens, max_completion_tokens), or "
                "train with lora",
                "显存不足；请调小 batch_size（同时增大 gradient_accumulation 以保持总批量）、"
                "缩短序列（max_tokens、max_completion_tokens），或改用 LoRA",
            )
        ) from error


def _start_from(trainer: Any) -> Path | None:
    import trl_checkpoints

    folder = Path(trainer.args.output_dir)
    if not resuming():
        if trainer.is_world_process_zero():
            trl_checkpoints.set_aside(folder)
        return None
    checkpoint = trl_checkpoints.last_whole(folder)
    if checkpoint is None:
        say(
            "no checkpoint to resume from: starting from the beginning",
            "没有可恢复的检查点：从头开始",
        )
    else:
        say("resuming from {name}", "从 {name} 恢复", name=checkpoint.name)
    return checkpoint

"""Supervised fine-tuning with TRL, as a StarForge job.

Reads ``config.json`` (``{"config": {native keys}, "data": {split: file}}``), trains with
``SFTTrainer``, and leaves checkpoints and the final model in the job's output folder.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

import tiny_model
from job_files import (
    JobError,
    declare_artifact,
    fill,
    output_dir,
    resuming,
    run,
    say,
)

from starforge.lang import t


def arguments() -> argparse.Namespace:
    """Read the command line the plan makes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--model", required=True, help="a folder, a hub id, or starforge:tiny")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data files")
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


def read_job(args: argparse.Namespace, model: str) -> tuple[dict[str, Any], dict[str, Path]]:
    """Return the native config with placeholders filled, and the data files by split."""
    job = json.loads(args.config.read_text("utf-8"))
    places = {"OUTPUT": str(args.output), "DATA": str(args.data), "MODEL": model}
    files = {split: args.data / name for split, name in job["data"].items()}
    return fill(job["config"], places), files


def build_trainer(model: str, config: dict[str, Any], files: dict[str, Path]) -> Any:
    """Return a ready ``SFTTrainer``; raises :class:`JobError` for what a user can mend."""
    import trl_callbacks
    import trl_data
    import trl_model
    from trl import SFTConfig, SFTTrainer, get_peft_config, get_quantization_config

    training, model_config = trl_model.build_configs(config, SFTConfig)
    tokenizer = trl_model.load_tokenizer(model, training, model_config)
    if trl_data.conversational(next(trl_data.read(files["train"]), {})):
        trl_model.require_chat_template(tokenizer, training, model)
    scratch = trl_model.scratch_dir()
    datasets = {split: trl_data.load(path, scratch / split) for split, path in files.items()}
    try:
        return SFTTrainer(
            model=model,
            args=training,
            train_dataset=datasets["train"],
            eval_dataset=datasets.get("validation"),
            processing_class=tokenizer,
            quantization_config=get_quantization_config(model_config),
            peft_config=get_peft_config(model_config),
            callbacks=[
                trl_callbacks.Progress(),
                trl_callbacks.Samples(files.get("validation", files["train"])),
            ],
        )
    except trl_model.MISTAKES as error:
        what = t("TRL can't start the training", "TRL 无法开始训练")
        raise trl_model.refused(what, error) from error


def train(trainer: Any) -> None:
    """Train from the beginning or from the last whole checkpoint."""
    import torch
    import trl_checkpoints

    folder = Path(trainer.args.output_dir)
    checkpoint = None
    if resuming():
        checkpoint = trl_checkpoints.last_whole(folder)
        if checkpoint is None:
            say(
                "no checkpoint to resume from: starting from the beginning",
                "没有可恢复的检查点：从头开始",
            )
        else:
            say("resuming from {name}", "从 {name} 恢复", name=checkpoint.name)
    elif trainer.is_world_process_zero():
        trl_checkpoints.set_aside(folder)
    trainer.accelerator.wait_for_everyone()
    try:
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    except torch.OutOfMemoryError as error:
        raise JobError(
            t(
                "the GPU ran out of memory; lower batch_size (and raise gradient_accumulation "
                "to keep the batch), lower max_tokens, or train with lora",
                "显存不足；请调小 batch_size（同时增大 gradient_accumulation 以保持总批量）、"
                "调小 max_tokens，或改用 LoRA",
            )
        ) from error


def main() -> None:
    """Train, export, declare."""
    args = arguments()
    import trl_model
    from transformers.utils import logging

    logging.disable_progress_bar()
    trl_model.check_folder(args.model)
    model = tiny_model.resolve(args.model, trl_model.scratch_dir())
    config, files = read_job(args, model)
    trainer = build_trainer(model, config, files)
    train(trainer)
    final = output_dir() / "model"
    trl_model.export(trainer, final)
    if trainer.is_world_process_zero():
        declare_artifact(final, "model", "model")
        say("the model is in {path}", "模型已写入 {path}", path="output/model")
        shutil.rmtree(trl_model.scratch_dir(), ignore_errors=True)


if __name__ == "__main__":
    run(main)

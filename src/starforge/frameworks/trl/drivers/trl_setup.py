"""What the trainers of TRL have in common: configuration, tokenizer, data, callbacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import trl_callbacks
import trl_data
import trl_model
from trl_data import Shapes
from trl_job import Job

from starforge.lang import t


class Setup(NamedTuple):
    """TRL's own objects for one job."""

    training: Any
    model_config: Any
    tokenizer: Any
    scratch: Path

    @property
    def arguments(self) -> dict[str, Any]:
        """Return the arguments that every trainer takes."""
        from trl import get_peft_config, get_quantization_config

        return {
            "args": self.training,
            "processing_class": self.tokenizer,
            "quantization_config": get_quantization_config(self.model_config),
            "peft_config": get_peft_config(self.model_config),
        }


def prepare(job: Job, config_class: type) -> Setup:
    """Return the job's configuration and tokenizer; bad ones raise :class:`JobError`."""
    training, model_config = trl_model.build_configs(job.config, config_class)
    tokenizer = trl_model.load_tokenizer(job.model, training, model_config)
    if trl_data.conversational(next(trl_data.read(job.files["train"]), {})):
        trl_model.require_chat_template(tokenizer, training, job.model)
    return Setup(training, model_config, tokenizer, trl_model.scratch_dir())


def datasets(job: Job, setup: Setup, shapes: Shapes) -> dict[str, Any]:
    """Return the datasets of a job as a trainer's arguments."""
    loaded = {
        split: trl_data.load(path, setup.scratch / split, shapes)
        for split, path in job.files.items()
    }
    return {"train_dataset": loaded["train"], "eval_dataset": loaded.get("validation")}


def construct(trainer_class: type, **arguments: Any) -> Any:
    """Return a trainer; what TRL refuses is one line."""
    try:
        return trainer_class(**arguments)
    except (*trl_model.MISTAKES, NotImplementedError) as error:
        what = t("TRL can't start the training", "TRL 无法开始训练")
        raise trl_model.refused(what, error) from error


def train_on_rows(job: Job, config_class: type, trainer_class: type, shapes: Shapes) -> Any:
    """Return the trainer of a method that learns from the rows as they are.

    What the model answers to some of the prompts is logged while it trains.
    """
    setup = prepare(job, config_class)
    source = job.files.get("validation", job.files["train"])
    return construct(
        trainer_class,
        model=job.model,
        callbacks=[trl_callbacks.Progress(), trl_callbacks.Samples(source)],
        **datasets(job, setup, shapes),
        **setup.arguments,
    )

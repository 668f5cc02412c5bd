"""Load the model that is to be scored, with errors a user can act on."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from job_files import JobError, one_line

from starforge.lang import t


def pick_device() -> str:
    """Return the device to score on; a CPU gets the threads the job asked for."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    return "cpu"


@contextlib.contextmanager
def loading(model: str) -> Iterator[None]:
    """Turn what goes wrong while loading ``model`` into one line."""
    try:
        yield
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        if "out of memory" in str(error).lower():
            raise JobError(
                t("the model does not fit in memory: use a smaller batch_size or model_dtype, "
                  "or split_over_gpus",
                  "内存或显存放不下模型：请减小 batch_size、换更省的 model_dtype，"
                  "或打开 split_over_gpus")
            ) from error  # fmt: skip
        raise JobError(
            t("the model {model} can't be loaded: {reason}", "无法加载模型 {model}：{reason}",
              model=model, reason=one_line(error))
        ) from error  # fmt: skip


def load_model(model: str, arguments: dict[str, Any]) -> Any:
    """Return lm-eval's Hugging Face model for a folder or hub id."""
    from lm_eval.models.huggingface import HFLM

    device = pick_device()
    with loading(model):
        return HFLM(pretrained=model, device=device, **arguments)


def check_chat_template(tokenizer: Any, wanted: bool | str) -> str | None:
    """Return the chat template that will be used, ``None`` when none is wanted."""
    if wanted is False:
        return None
    template = getattr(tokenizer, "chat_template", None)
    if isinstance(template, dict):
        template = template.get(wanted if isinstance(wanted, str) else "default")
    if not template:
        raise JobError(
            t("the model has no chat template: set apply_chat_template: false to ask it without",
              "模型没有对话模板：若要不用模板提问，请设置 apply_chat_template: false")
        )  # fmt: skip
    return str(template)

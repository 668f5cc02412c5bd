"""Build TRL's own configuration objects, the tokenizer and the final model."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

from job_files import TRACEBACK, JobError, attempt_dir, one_line, say

from starforge.lang import t

MISTAKES = (ValueError, TypeError, OSError, ImportError)


def refused(what: str, error: BaseException) -> JobError:
    """Return the one-line form of a refusal by TRL; its traceback is kept in a file."""
    more = t("details: {file}", "详情：{file}", file=TRACEBACK)
    return JobError(f"{what}: {one_line(error)} ({more})")


def split_config(config: dict[str, Any], *classes: type) -> list[dict[str, Any]]:
    """Deal native keys out to the dataclasses that declare them; an unknown key is an error."""
    left = dict(config)
    dealt = []
    for cls in classes:
        names = [field.name for field in dataclasses.fields(cls) if field.name in left]
        dealt.append({name: left.pop(name) for name in names})
    if left:
        unknown = ", ".join(sorted(left))
        raise JobError(t("TRL has no key {keys}", "TRL 没有这些键：{keys}", keys=unknown))
    return dealt


def for_this_device(training: dict[str, Any]) -> dict[str, Any]:
    """Complete what depends on the device: precision, and training without a GPU."""
    import torch

    made = dict(training)
    if made.get("activation_checkpointing") is None:
        # TRL's own default under the name that does not warn.
        made["activation_checkpointing"] = made.get("gradient_checkpointing", True)
    precision = made.get("bf16")
    if torch.cuda.is_available() and not made.get("use_cpu"):
        if precision is None and not made.get("fp16"):
            made["bf16"] = torch.cuda.is_bf16_supported()
        return made
    made["use_cpu"] = True
    made.setdefault("dataloader_pin_memory", False)
    if precision is None:
        made["bf16"] = False
    if made.get("fp16"):
        say("fp16 needs a GPU: training in 32 bit", "fp16 需要 GPU：改用 32 位训练")
        made["fp16"] = False
    return made


def build_configs(config: dict[str, Any], training_class: type) -> tuple[Any, Any]:
    """Return ``(training config, model config)`` as TRL's own objects."""
    from trl import ModelConfig

    training, model = split_config(config, training_class, ModelConfig)
    if isinstance(training.get("parallelism_config"), dict):
        from accelerate import ParallelismConfig

        training["parallelism_config"] = ParallelismConfig(**training["parallelism_config"])
    try:
        model_config = ModelConfig(**model)
        training_config = training_class(**for_this_device(training))
    except MISTAKES as error:
        raise refused(t("TRL refuses the configuration", "TRL 拒绝这份配置"), error) from error
    training_config.model_init_kwargs = {
        "revision": model_config.model_revision,
        "attn_implementation": model_config.attn_implementation,
        "dtype": model_config.dtype,
        **(training_config.model_init_kwargs or {}),
    }
    return training_config, model_config


def check_folder(model: str) -> None:
    """Raise a clear error when a model named by a path is not a model folder."""
    looks_local = Path(model).is_absolute() or model.startswith(".")
    folder = Path(model)
    if not looks_local and not folder.exists():
        return
    if not folder.is_dir():
        raise JobError(
            t("model folder {path} does not exist", "模型目录 {path} 不存在", path=model)
        )
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
    except OSError as error:
        raise JobError(
            t(
                "{path} has no config.json: not a model folder",
                "{path} 里没有 config.json：不是模型目录",
                path=model,
            )
        ) from error
    except ValueError as error:
        raise JobError(
            t("{path}/config.json is not JSON", "{path}/config.json 不是合法的 JSON", path=model)
        ) from error
    if not config.get("architectures"):
        raise JobError(
            t(
                "{path}/config.json names no architecture",
                "{path}/config.json 没有写明 architectures",
                path=model,
            )
        )


def load_tokenizer(model: str, training: Any, model_config: Any) -> Any:
    """Return the tokenizer of ``model``; ``model_config`` is ``None`` for other models."""
    from transformers import AutoTokenizer

    revision = {"revision": model_config.model_revision} if model_config else {}
    try:
        return AutoTokenizer.from_pretrained(
            model, trust_remote_code=training.trust_remote_code, **revision
        )
    except MISTAKES as error:
        what = t(
            "the tokenizer of {model} can't be loaded", "无法加载 {model} 的分词器", model=model
        )
        raise refused(what, error) from error


def require_chat_template(tokenizer: Any, training: Any, model: str) -> None:
    """Raise a clear error when messages can't be turned into text."""
    if tokenizer.chat_template or training.chat_template_path:
        return
    raise JobError(
        t(
            "the data holds messages, but the tokenizer of {model} has no chat template; set "
            "chat_template to a Jinja file or to a model that has one, or use text columns",
            "数据是对话消息，但 {model} 的分词器没有对话模板；请把 chat_template 设为 Jinja 文件"
            "或带有模板的模型，或改用纯文本列",
            model=model,
        )
    )


def export(trainer: Any, folder: Path) -> None:
    """Write the trained model as a complete folder, replacing one of an earlier attempt.

    Adapters are also kept on their own beside it (``adapter``), and merged into the model.
    All processes call this; one writes.
    """
    fresh = folder.with_name(f"{folder.name}.partial")
    if trainer.is_world_process_zero():
        shutil.rmtree(fresh, ignore_errors=True)
    trainer.accelerator.wait_for_everyone()
    adapter = _is_adapter(trainer)
    trainer.save_model(str(fresh))
    trainer.accelerator.wait_for_everyone()
    if not trainer.is_world_process_zero():
        return
    (fresh / "training_args.bin").unlink(missing_ok=True)
    if adapter:
        _replace(fresh, folder.with_name("adapter"))
        _merge(trainer, fresh)
    _replace(fresh, folder)


def _is_adapter(trainer: Any) -> bool:
    from peft import PeftModel

    return isinstance(trainer.accelerator.unwrap_model(trainer.model), PeftModel)


def _merge(trainer: Any, fresh: Path) -> None:
    model = trainer.accelerator.unwrap_model(trainer.model)
    merged = model.merge_and_unload()
    merged.save_pretrained(fresh)
    trainer.processing_class.save_pretrained(fresh)


def _replace(fresh: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def scratch_dir() -> Path:
    """Return a folder for what only this attempt needs (Arrow copies, the tiny model)."""
    return attempt_dir() / "scratch"

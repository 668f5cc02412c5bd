"""From verl's sharded checkpoint to a Hugging Face folder, with verl's own merger."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from job_files import JobError, say

from starforge.lang import t

ADAPTER = "lora_adapter"  # where verl's merger leaves an adapter
Runner = Callable[[list[str]], int]


def export(
    checkpoint: Path, final: Path, base: str, *, lora: dict[str, Any], runner: Runner
) -> Path | None:
    """Write the model of ``checkpoint`` to ``final``, which appears whole or not at all.

    With LoRA the adapter goes to ``adapter/`` beside it and ``final`` holds both merged;
    ``base`` is where the model lies that the adapter belongs to, and ``lora`` its ``rank``,
    its ``alpha`` and how the experiment names that model (``base``). Returns the adapter's
    folder, if any.
    """
    fresh = final.with_name(f".{final.name}-new")
    shutil.rmtree(fresh, ignore_errors=True)
    command = [sys.executable, "-m", "verl.model_merger", "merge", "--backend", "fsdp",
               "--local_dir", str(checkpoint), "--target_dir", str(fresh)]  # fmt: skip
    code = runner(command)
    if code:
        raise JobError(
            t(
                "verl's model merger ended with exit code {code}; the checkpoint {name} is whole",
                "verl 的模型合并工具以退出码 {code} 结束；检查点 {name} 仍然完整",
                code=code,
                name=checkpoint.parent.name,
            )
        )
    adapter = None
    if (fresh / ADAPTER).is_dir():
        adapter = final.with_name("adapter")
        _replace(fresh / ADAPTER, adapter)
        complete(adapter, lora)
        merge(base, adapter, fresh)
    _replace(fresh, final)
    return adapter


def _replace(fresh: Path, place: Path) -> None:
    old = place.with_name(f".{place.name}-old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    fresh.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def complete(adapter: Path, lora: dict[str, Any]) -> None:
    """Write into the adapter's config what verl's merger does not know: alpha and base."""
    path = adapter / "adapter_config.json"
    config = json.loads(path.read_text("utf-8"))
    config |= {
        "lora_alpha": lora["alpha"],
        "r": lora["rank"],
        "base_model_name_or_path": lora["base"],
    }
    config.setdefault("task_type", "CAUSAL_LM")
    path.write_text(json.dumps(config, indent=1, ensure_ascii=False) + "\n", "utf-8")


def merge(base: str, adapter: Path, target: Path) -> None:
    """Write the base model with the adapter merged in to ``target``."""
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    say("merging the adapter into the model", "正在把适配器合并进模型")
    model = AutoModelForCausalLM.from_pretrained(base, dtype="auto")
    PeftModel.from_pretrained(model, str(adapter)).merge_and_unload().save_pretrained(target)

"""Turn a GGUF file into a Hugging Face folder, and prove that the result answers.

Runs inside the TRL runtime: ``convert_gguf.py FILE FOLDER``.
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

QUESTION = "What is the capital of France?"


def convert(source: Path, target: Path) -> None:
    """Write model and tokenizer to ``target``, the weights in bfloat16."""
    where = {"pretrained_model_name_or_path": str(source.parent), "gguf_file": source.name}
    tokenizer = AutoTokenizer.from_pretrained(**where)
    loaded = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    # A model read from GGUF counts as quantized and refuses to be saved; a fresh one that takes
    # over its weights does not, once the config no longer says where they came from.
    config = copy.deepcopy(loaded.config)
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = AutoModelForCausalLM.from_config(config)
    model.load_state_dict(loaded.state_dict())
    model.generation_config = loaded.generation_config
    model.to(torch.bfloat16).save_pretrained(target)
    tokenizer.save_pretrained(target)


def answer(folder: Path) -> str:
    """Return what the model in ``folder`` answers to a question."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    asked = tokenizer.apply_chat_template(
        [{"role": "user", "content": QUESTION}], add_generation_prompt=True, return_tensors="pt",
        return_dict=True,
    )  # fmt: skip
    made = model.generate(**asked, max_new_tokens=24, do_sample=False)
    text = tokenizer.decode(made[0, asked["input_ids"].shape[1] :], skip_special_tokens=True)
    return " ".join(text.split())


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:3])
    convert(source, target)
    said = answer(target)
    if "Paris" not in said:
        sys.exit(f"the converted model does not answer as it should: {said!r}")
    print(f"{QUESTION} {said}")

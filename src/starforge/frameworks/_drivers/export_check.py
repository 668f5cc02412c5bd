"""Prove an exported model: load its folder as any user would, and let it answer once.

A language model generates a few tokens, a reward model scores a text. What was seen is
written to ``output/export.json`` and declared with it: architecture, dtype, number of
parameters, and the tokens or the score. The folder itself is only read.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import job_files
import tiny_model
from job_files import JobError, append_row, attempt_dir, one_line, output_dir, say

from starforge import layout
from starforge.lang import t

PROMPT = "Say in one sentence what you can do."
NEW_TOKENS = 8


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="the exported folder")
    parser.add_argument("--form", choices=("model", "adapter"), default="model")
    parser.add_argument("--scores", action="store_true", help="it is a reward model")
    return parser.parse_args()


def main() -> None:
    """Check the folder and declare what was seen."""
    args = arguments()
    folder = args.model if args.form == "model" else adapter_beside(args.model)
    say("checking {folder}", "正在检查 {folder}", folder=folder.name)
    model = attempt(lambda: load(folder, args.model, args))
    tokenizer = attempt(lambda: load_tokenizer(args.model))
    found = about(model, folder, args.form)
    found |= attempt(lambda: (score if args.scores else generate)(model, tokenizer))
    keep(found)


def adapter_beside(model: Path) -> Path:
    """Return the adapter that lies beside an exported model."""
    folder = model.with_name("adapter")
    if (folder / "adapter_config.json").is_file():
        return folder
    raise JobError(
        t("the job trained no adapter: export the model instead (`export`)",
          "该任务没有训练适配器：请改为导出模型（`export`）")
    )  # fmt: skip


def attempt(work: Callable[[], Any]) -> Any:
    """Run a step of the check; whatever a broken folder makes it raise is one line."""
    try:
        return work()
    except JobError:
        raise
    except Exception as error:
        raise JobError(
            t("the exported model can't be used: {kind}: {reason}",
              "导出的模型无法使用：{kind}：{reason}",
              kind=type(error).__name__, reason=one_line(error))
        ) from error  # fmt: skip


def load(folder: Path, model: Path, args: argparse.Namespace) -> Any:
    """Return the model on the device at hand, with weights in the type they are kept in.

    Weights that the folder lacks would silently be random: that is an error.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification

    if args.form == "adapter":
        return load_adapter(folder, scores=args.scores)
    kind = AutoModelForSequenceClassification if args.scores else AutoModelForCausalLM
    more = {"num_labels": 1} if args.scores else {}
    made, seen = kind.from_pretrained(model, dtype="auto", output_loading_info=True, **more)
    missing = sorted(seen["missing_keys"])
    if missing:
        raise JobError(
            t("the exported folder lacks weights: {names}", "导出的文件夹缺少权重：{names}",
              names=", ".join(missing[:3]) + (" ..." if len(missing) > 3 else ""))
        )  # fmt: skip
    return made.to("cuda" if torch.cuda.is_available() else "cpu").eval()


def load_adapter(folder: Path, *, scores: bool) -> Any:
    """Return the base model with the adapter on it; the adapter's config names its base."""
    import torch
    from peft import AutoPeftModelForCausalLM, AutoPeftModelForSequenceClassification

    kind = AutoPeftModelForSequenceClassification if scores else AutoPeftModelForCausalLM
    more = {"num_labels": 1} if scores else {}
    scratch = attempt_dir() / "scratch"
    try:
        made = kind.from_pretrained(tiny_model.with_base(folder, scratch), **more)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return made.to("cuda" if torch.cuda.is_available() else "cpu").eval()


def load_tokenizer(model: Path) -> Any:
    """Return the tokenizer that was exported with the model."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(model)


def about(model: Any, folder: Path, form: str) -> dict[str, Any]:
    """Return what the loaded model is."""
    import transformers

    config = json.loads((folder / _config_name(form)).read_text("utf-8"))
    names = config.get("architectures") or [type(model).__name__]
    return {
        "form": form,
        "architecture": names[0],
        "dtype": str(next(model.parameters()).dtype).removeprefix("torch."),
        "parameters": sum(one.numel() for one in model.parameters()),
        "transformers": transformers.__version__,
    }


def _config_name(form: str) -> str:
    return "config.json" if form == "model" else "adapter_config.json"


def prompt_ids(model: Any, tokenizer: Any) -> Any:
    """Return the prompt as the model's chat template or plain text has it."""
    if getattr(tokenizer, "chat_template", None):
        text = tokenizer.apply_chat_template(
            [{"role": "user", "content": PROMPT}], tokenize=False, add_generation_prompt=True
        )
    else:
        text = PROMPT
    return tokenizer(text, return_tensors="pt").to(model.device)


def generate(model: Any, tokenizer: Any) -> dict[str, Any]:
    """Let a language model go on for exactly ``NEW_TOKENS`` tokens, greedily."""
    import torch

    inputs = prompt_ids(model, tokenizer)
    inputs.pop("token_type_ids", None)
    length = inputs["input_ids"].shape[1]
    with torch.no_grad():
        if not torch.isfinite(model(**inputs).logits).all():
            raise JobError(t("its logits are not finite", "它的 logits 含有 NaN 或无穷"))
        out = model.generate(
            **inputs, do_sample=False, min_new_tokens=NEW_TOKENS, max_new_tokens=NEW_TOKENS
        )
    new = out[0, length:]
    if len(new) != NEW_TOKENS:
        raise JobError(
            t("it gave {n} tokens instead of {wanted}", "它只生成了 {n} 个词元，应为 {wanted} 个",
              n=len(new), wanted=NEW_TOKENS)
        )  # fmt: skip
    return {"tokens": len(new), "text": tokenizer.decode(new, skip_special_tokens=False)}


def score(model: Any, tokenizer: Any) -> dict[str, Any]:
    """Let a reward model score the prompt."""
    import torch

    if model.config.pad_token_id is None:
        model.config.pad_token_id = tokenizer.pad_token_id
    inputs = prompt_ids(model, tokenizer)
    inputs.pop("token_type_ids", None)
    with torch.no_grad():
        value = float(model(**inputs).logits.flatten()[-1])
    if not math.isfinite(value):
        raise JobError(t("its score is {value}", "它给出的分数是 {value}", value=value))
    return {"score": value}


def keep(found: dict[str, Any]) -> None:
    """Write the result and declare it; one sample shows what was generated."""
    path = output_dir() / "export.json"
    path.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")
    row = {"kind": "check", "path": str(path), "name": path.name, "meta": found}
    append_row(attempt_dir() / layout.ARTIFACTS, row)
    if "text" in found:
        say("{n} tokens generated; {what}, {dtype}", "已生成 {n} 个词元；{what}，{dtype}",
            n=found["tokens"], what=found["architecture"], dtype=found["dtype"])  # fmt: skip
    else:
        say("score {score}; {what}, {dtype}", "得分 {score}；{what}，{dtype}",
            score=found["score"], what=found["architecture"], dtype=found["dtype"])  # fmt: skip


if __name__ == "__main__":
    job_files.run(main)

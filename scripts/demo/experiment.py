"""The demo's experiment: fine-tune the small model on worked sums."""

from __future__ import annotations

from pathlib import Path

from places import EXPERIMENT, LAB, MODEL_NAME
from shell import run_sf, say

FOLDER = LAB / "experiments" / EXPERIMENT

TEXT = """\
method: trl/sft
model: models/{model}
data:
  train: data/train.jsonl
  validation: data/validation.jsonl
params:
  max_steps: 60
  batch_size: 8
  learning_rate: 2.0e-4
  warmup_steps: 5
  max_tokens: 128
  model_dtype: {dtype}
  activation_checkpointing: false
  validation_strategy: steps
  validation_steps: 20
  validation_batch_size: 16
  log_steps: 2
  save_strategy: "no"
tags: [demo]
"""


def fast_dtype() -> str:
    """Return the precision this CPU is fast in: bfloat16 only where it has instructions for it."""
    try:
        flags = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return "float32"
    known = ("avx512_bf16", "amx_bf16", " bf16")
    return "bfloat16" if any(flag in flags for flag in known) else "float32"


def make_experiment() -> None:
    """Create the experiment with ``sf new`` and fill it in."""
    if not (FOLDER / "experiment.yaml").exists():
        run_sf("new", EXPERIMENT, "--method", "trl/sft")
    text = TEXT.format(model=MODEL_NAME, dtype=fast_dtype())
    (FOLDER / "experiment.yaml").write_text(text, "utf-8")
    (FOLDER / "config.yaml").write_text("{}\n", "utf-8")
    params = text.partition("params:\n")[2].partition("tags:")[0].splitlines()
    say("    {file}, params: {params}", "    {file}，params：{params}",
        file=FOLDER / "experiment.yaml",
        params=", ".join(line.strip() for line in params))  # fmt: skip

"""The demo's experiments and the pipeline that joins them.

First the small model learns from worked sums (``trl/sft``), then it practises on sums whose
results alone are known (``trl/grpo``), scored by one reward file.
"""

from __future__ import annotations

from pathlib import Path

from places import BENCHMARK, LAB, LEARN, MODEL_NAME, PIPELINE, PRACTISE
from shell import run_sf, say

from starforge.checks.cpu import cpu_is_fast_in_bfloat16

TEXTS = Path(__file__).with_name("texts")
METHODS = {LEARN: "trl/sft", PRACTISE: "trl/grpo"}


def fast_dtype() -> str:
    """Return the precision this CPU is fast in: bfloat16 only where it has instructions for it."""
    return "bfloat16" if cpu_is_fast_in_bfloat16() else "float32"


def make_experiments() -> None:
    """Create both experiments with ``sf new`` and fill them in."""
    for name, method in METHODS.items():
        folder = LAB / "experiments" / name
        if not (folder / "experiment.yaml").exists():
            run_sf("new", name, "--method", method)
        write_experiment(name)
        print(f"    {folder / 'experiment.yaml'}", flush=True)


def write_experiment(name: str) -> None:
    """Write what an experiment of the demo says."""
    folder = LAB / "experiments" / name
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "experiment.yaml", f"{name}.yaml")
    (folder / "config.yaml").write_text("{}\n", "utf-8")
    if name == PRACTISE:
        _write(folder / "reward.py", "reward.py")


def make_pipeline() -> None:
    """Write the pipeline: base score, learn, score, practise, score."""
    file = LAB / "pipelines" / PIPELINE / "pipeline.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    _write(file, "pipeline.yaml")
    say("    {file}:", "    {file}：", file=file)
    for line in file.read_text("utf-8").splitlines():
        print(f"      {line}", flush=True)


def _write(target: Path, name: str) -> None:
    text = (TEXTS / name).read_text("utf-8")
    dtype = fast_dtype()
    names = {"MODEL": f"models/{MODEL_NAME}", "BENCHMARK": BENCHMARK, "DTYPE": dtype,
             "BF16": "true" if dtype == "bfloat16" else "false"}  # fmt: skip
    for word, value in names.items():
        text = text.replace(f"${word}", value)
    target.write_text(text, "utf-8")

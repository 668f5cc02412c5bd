"""The demo's task: chains of small sums from reasoning-gym, with worked answers to learn from.

Training and validation rows hold the question and the answer worked out step by step; the
benchmark holds other questions, and only their results.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from places import BENCHMARK, EXPERIMENT, LAB, TOOLS
from shell import pip_install, run_quiet, say

from starforge.lab.lab import BENCHMARKS

GYM = "reasoning-gym==0.1.25"
ROWS = {"train": 2000, "validation": 32, "test": 200}
GENERATOR = Path(__file__).with_name("gym_rows.py")
PACK = Path(__file__).with_name("sums_pack.yaml")


def make_tasks() -> None:
    """Write the data of the experiment and the benchmark, unless they are there."""
    own = LAB / BENCHMARKS / BENCHMARK
    data = LAB / "experiments" / EXPERIMENT / "data"
    wanted = PACK.read_text("utf-8")
    files = [own / "test.jsonl", data / "train.jsonl", data / "validation.jsonl"]
    whole = (own / "pack.yaml").exists() and (own / "pack.yaml").read_text("utf-8") == wanted
    if whole and all(file.exists() for file in files):
        say("    the tasks are there", "    任务已存在")
        return
    pip_install(TOOLS / "gym", GYM)
    said = run_quiet(
        [sys.executable, str(GENERATOR), json.dumps(ROWS)], PYTHONPATH=str(TOOLS / "gym")
    )
    rows = json.loads(said)
    for folder in (own, data):
        folder.mkdir(parents=True, exist_ok=True)
    _write(own / "test.jsonl", rows["test"])
    _write(data / "train.jsonl", [_worked(row) for row in rows["train"]])
    _write(data / "validation.jsonl", [_worked(row) for row in rows["validation"]])
    (own / "pack.yaml").write_text(wanted, "utf-8")
    example = rows["train"][0]
    say("    {counts}; for example:", "    {counts}，例如：",
        counts=", ".join(f"{name} {len(made)}" for name, made in rows.items()))  # fmt: skip
    print(f"      {example['question']}\n      {example['worked']!r}", flush=True)


def _worked(row: dict[str, str]) -> dict[str, list[dict[str, str]]]:
    return {
        "prompt": [{"role": "user", "content": row["question"]}],
        "completion": [{"role": "assistant", "content": row["worked"]}],
    }


def _write(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, "utf-8")

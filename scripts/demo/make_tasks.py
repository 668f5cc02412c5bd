"""The demo's task: chains of small sums from reasoning-gym, with worked answers to learn from.

Rows to learn from hold the question and the answer worked out step by step, rows to practise
on the question and its result. The benchmark holds other questions.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from places import BENCHMARK, LAB, LEARN, PRACTISE, TOOLS
from shell import pip_install, run_quiet, say

from starforge.lab.lab import BENCHMARKS

GYM = "reasoning-gym==0.1.25"
ROWS = {"train": 1200, "validation": 32, "practice": 800, "test": 400}
GENERATOR = Path(__file__).with_name("gym_rows.py")
PACK = Path(__file__).with_name("sums_pack.yaml")


def make_tasks() -> None:
    """Write the data of the experiments and the benchmark, unless they are there."""
    own = LAB / BENCHMARKS / BENCHMARK
    data, practice = (LAB / "experiments" / name / "data" for name in (LEARN, PRACTISE))
    wanted = PACK.read_text("utf-8")
    files = [own / "test.jsonl", data / "train.jsonl", data / "validation.jsonl",
             practice / "train.jsonl"]  # fmt: skip
    whole = (own / "pack.yaml").exists() and (own / "pack.yaml").read_text("utf-8") == wanted
    if whole and all(file.exists() for file in files):
        say("    the tasks are there", "    任务已存在")
        return
    pip_install(TOOLS / "gym", GYM)
    said = run_quiet(
        [sys.executable, str(GENERATOR), json.dumps(ROWS)], PYTHONPATH=str(TOOLS / "gym")
    )
    rows = json.loads(said)
    for folder in (own, data, practice):
        folder.mkdir(parents=True, exist_ok=True)
    _write(own / "test.jsonl", rows["test"])
    _write(data / "train.jsonl", [_worked(row) for row in rows["train"]])
    _write(data / "validation.jsonl", [_worked(row) for row in rows["validation"]])
    _write(practice / "train.jsonl", [_asked(row) for row in rows["practice"]])
    (own / "pack.yaml").write_text(wanted, "utf-8")
    example = rows["train"][0]
    say("    {counts}; for example:", "    {counts}，例如：",
        counts=", ".join(f"{name} {len(made)}" for name, made in rows.items()))  # fmt: skip
    for line in (example["question"] + example["worked"]).splitlines():
        print(f"      {line}", flush=True)


def _worked(row: dict[str, str]) -> dict[str, str]:
    return {"prompt": row["question"], "completion": row["worked"]}


def _asked(row: dict[str, str]) -> dict[str, str]:
    return {"prompt": row["question"], "answer": row["answer"]}


def _write(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, "utf-8")

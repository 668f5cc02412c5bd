"""Checking every row of a 1 GB file, on one core: the time of the checks themselves."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.harness import Row
from starforge.checks.data import check_data
from starforge.lab.context import PrepareContext
from starforge.lab.inputs import LocalResolver
from starforge.prepare import prepare

SIZE = 1_000_000_000  # bytes
GOAL = 60.0  # seconds of processor time
TEXT = (
    "the model answers a question about water, light, trade, music, rivers and numbers: "
    "why is it so, how much of it, when did it begin; 为什么 天空 是 蓝色 的 怎样 计算 这个 数"
)
_WORDS = TEXT.split()


def run() -> Iterator[Row]:
    """Check conversations, and short rows of prompts, of a gigabyte each."""
    kinds: tuple[tuple[str, str, Callable[[random.Random, int], dict[str, Any]]], ...] = (
        ("conversations of 1 kB", "trl/sft", conversation),
        ("preference pairs of 0.6 kB", "trl/dpo", pair),
        ("prompts of 0.2 kB", "nemo-rl/distillation", prompt),
    )
    for what, method, make in kinds:
        with tempfile.TemporaryDirectory() as folder:
            context, rows = written(Path(folder), method, make)
            began = time.process_time()
            findings = check_data(context)
            seconds = time.process_time() - began
            assert not [one for one in findings if one.severity == "error"], findings
            yield Row("validate", f"1 GB, {rows:,} {what}", seconds, "s", at_most=GOAL)


def written(
    folder: Path, method: str, make: Callable[[random.Random, int], dict[str, Any]]
) -> tuple[PrepareContext, int]:
    """Write an experiment with a gigabyte of different rows and return its context."""
    rng, count, size = random.Random(7), 0, 0
    with (folder / "train.jsonl").open("wb") as stream:
        while size < SIZE:
            line = json.dumps(make(rng, count), ensure_ascii=False).encode() + b"\n"
            stream.write(line)
            size, count = size + len(line), count + 1
    document = {"method": method, "model": "starforge:tiny", "data": {"train": "train.jsonl"}}
    if method == "nemo-rl/distillation":
        document["teacher"] = "starforge:tiny"
    (folder / "experiment.yaml").write_text(json.dumps({**document, "data": {}}), "utf-8")
    # The context is read without its data first, so that they are checked once and timed.
    context = prepare(folder).context
    assert context is not None
    source = LocalResolver(folder).data("train.jsonl", "train")
    return msgspec.structs.replace(context, data={"train": source}), count


def conversation(rng: random.Random, number: int) -> dict[str, Any]:
    """Return four turns."""
    turns = [
        {"role": role, "content": _text(rng, 40, number)}
        for role in ("user", "assistant", "user", "assistant")
    ]
    return {"messages": turns}


def pair(rng: random.Random, number: int) -> dict[str, Any]:
    """Return a prompt with two answers."""
    return {"prompt": _text(rng, 20, number), "chosen": _text(rng, 40, number),
            "rejected": _text(rng, 40, number + 1)}  # fmt: skip


def prompt(rng: random.Random, number: int) -> dict[str, Any]:
    """Return a short prompt."""
    return {"prompt": _text(rng, 26, number), "id": number}


def _text(rng: random.Random, words: int, number: int) -> str:
    start = rng.randrange(len(_WORDS))
    picked = [_WORDS[(start + 7 * i) % len(_WORDS)] for i in range(words)]
    return f"{number} " + " ".join(picked)

"""The parts of rewards, from the process that judges to the one that keeps samples.

Upstream carries one number for an answer. The parts are written beside it, and found again by
the text of the conversation: equal answers to equal prompts get equal rewards.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from job_files import append_row, attempt_dir

FILE = "reward-parts.jsonl"
Parts = dict[str, float]


def name_of(prompt: str, completion: str) -> str:
    """Return a short name of one answer."""
    return hashlib.sha256(json.dumps([prompt, completion]).encode()).hexdigest()[:24]


def write(prompts: Sequence[str], completions: Sequence[str], parts: Sequence[Parts]) -> None:
    """Write down the parts of answers that have any."""
    for prompt, completion, named in zip(prompts, completions, parts, strict=True):
        if named:
            append_row(attempt_dir() / FILE, {"of": name_of(prompt, completion), "parts": named})


def take(path: Path) -> dict[str, Parts]:
    """Return the parts of the answers since the last call, and let go of them on disk."""
    try:
        taken = path.replace(path.with_suffix(".taken"))
    except FileNotFoundError:
        return {}
    lines = taken.read_text("utf-8").splitlines()
    taken.unlink()
    return {row["of"]: row["parts"] for row in map(json.loads, lines)}

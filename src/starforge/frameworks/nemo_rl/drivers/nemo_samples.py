"""The rollouts that NeMo-RL writes, as StarForge's samples.

Upstream writes ``train_data_step<N>.jsonl`` and ``val_data_step<N>.jsonl`` into its log
folder, one line a sample. Every value is a list of one item, since a line is a batch of one;
the content is the texts of the conversation's messages, or the messages themselves. The
messages are rendered by the chat template, so special tokens stand in the texts.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

_NAME = re.compile(r"(train|val)_data_step(\d+)\.jsonl")
PER_STEP = 16  # samples kept of each step
Sample = dict[str, Any]


def convert(path: Path, *, limit: int = PER_STEP, now: float | None = None) -> list[Sample]:
    """Return the samples of one of upstream's files; nothing of a file with another name."""
    found = _NAME.fullmatch(path.name)
    if found is None:
        return []
    samples = []
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if len(samples) >= limit:
                break
            sample = _sample(json.loads(line))
            if sample is not None:
                head = {"t": time.time() if now is None else now, "s": int(found[2])}
                samples.append(head | sample | {"split": _SPLITS[found[1]]})
    return samples


_SPLITS = {"train": "train", "val": "validation"}


def _sample(row: dict[str, Any]) -> Sample | None:
    turns = _texts(_only(row.get("content")))
    if len(turns) < 2:
        return None
    # A rollout is the prompt, the answer, and what the environment said (nothing, with ours).
    answers = turns[1:] if turns[-1] else turns[1:-1]
    sample: Sample = {"prompt": turns[0], "completion": "\n".join(answers)}
    reward = _only(row.get("rewards"))
    if isinstance(reward, int | float):
        sample["reward"] = float(reward)
    mask = _only(row.get("token_loss_mask"))
    if isinstance(mask, list):
        sample["length"] = int(sum(mask))
    return sample


def _only(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _texts(content: Any) -> list[str]:
    if not isinstance(content, list):
        return []
    return [str(one.get("content", "")) if isinstance(one, dict) else str(one) for one in content]

"""The rollouts that NeMo-RL writes, as StarForge's samples.

Upstream writes ``train_data_step<N>.jsonl`` and ``val_data_step<N>.jsonl`` into its log
folder, one line a sample. Every value is a list of one item, since a line is a batch of one;
the content is the texts of the conversation's messages, or the messages themselves. The
messages are rendered by the chat template, so special tokens stand in the prompts. Answers to
one prompt of a step are a group. Whether an answer was cut is not in these files: one that is as
long as answers may be counts as cut. Validation has neither lengths nor that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from job_files import sample
from nemo_parts import Parts, name_of

_NAME = re.compile(r"(train|val)_data_step(\d+)\.jsonl")
PER_STEP = 16  # samples kept of each step
Sample = dict[str, Any]


def convert(
    path: Path,
    *,
    limit: int = PER_STEP,
    longest: int | None = None,
    parts: Mapping[str, Parts] | None = None,
    now: float | None = None,
) -> list[Sample]:
    """Return the samples of one of upstream's files; nothing of a file with another name.

    ``longest`` is how many tokens an answer may have, ``parts`` those of rewards by the names
    that :mod:`nemo_parts` gives answers.
    """
    found = _NAME.fullmatch(path.name)
    if found is None:
        return []
    samples: list[Sample] = []
    groups: dict[str, int] = {}
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if len(samples) >= limit:
                break
            row = json.loads(line)
            turns = _texts(_only(row.get("content")))
            if len(turns) < 2:
                continue
            # A rollout is the prompt, the answer, and what the environment said (nothing, with
            # ours).
            answer = "\n".join(turns[1:] if turns[-1] else turns[1:-1])
            length = _length(row)
            samples.append(sample(
                int(found[2]), turns[0], answer, at=now, reward=_only(row.get("rewards")),
                rewards=dict((parts or {}).get(name_of(turns[0], answer), {})),
                group=groups.setdefault(turns[0], len(groups)), length=length,
                truncated=None if length is None or longest is None else length >= longest,
                split=_SPLITS[found[1]],
            ))  # fmt: skip
    return samples


_SPLITS = {"train": "train", "val": "validation"}


def _length(row: Sample) -> int | None:
    """Return the number of tokens that the model wrote, which are those it learns from."""
    mask = _only(row.get("token_loss_mask"))
    return int(sum(mask)) if isinstance(mask, list) else None


def _only(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _texts(content: Any) -> list[str]:
    if not isinstance(content, list):
        return []
    return [str(one.get("content", "")) if isinstance(one, dict) else str(one) for one in content]

"""OpenRLHF's ``--reward.remote_url`` file: calls the experiment's reward function.

Upstream's rollout workers load it and call ``reward_func`` for each completion, from several
threads. The label of a row holds its prompt as in the data and all its columns (see
``openrlhf_rows.verifiable``).
"""

from __future__ import annotations

import json
import os
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import openrlhf_samples
from job_files import attempt_dir
from reward_file import ERROR_FILE, RewardError, RewardFile, with_all_columns

from starforge.lang import t

REWARD_FILE = "STARFORGE_REWARD_FILE"
MODEL = "STARFORGE_MODEL"
UPSTREAM = "openrlhf.utils.agent"  # loads this file, in every rollout worker

_lock = threading.Lock()
_parts: list[frozenset[str]] = []


@cache
def _function() -> RewardFile:
    return RewardFile(Path(os.environ[REWARD_FILE]))


@cache
def _special_tokens() -> tuple[str, ...]:
    """Return the texts of special tokens, which upstream leaves in the completions."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(os.environ[MODEL], trust_remote_code=True)
    return tuple(sorted(map(str, tokenizer.all_special_tokens), key=len, reverse=True))


def completion_of(query: str, prompt: str, special: tuple[str, ...]) -> str:
    """Return the answer in ``query``, which is prompt and answer with their special tokens.

    Upstream cuts a prompt that is too long at its start, so only its end may be there.
    """
    missing = next((n for n in range(len(prompt)) if query.startswith(prompt[n:])), len(prompt))
    text = query[len(prompt) - missing :]
    for token in special:
        text = text.replace(token, "")
    return text


def reward_func(queries: list[str], prompts: list[str], labels: list[str]) -> dict[str, Any]:
    """Return upstream's form of the reward of one completion."""
    try:
        return _reward(queries[0], prompts[0], json.loads(labels[0]))
    except RewardError as error:
        # Upstream only logs it and fails later with another message; the driver shows this one.
        (attempt_dir() / ERROR_FILE).write_text(str(error), "utf-8")
        raise


def _reward(query: str, prompt: str, label: dict[str, Any]) -> dict[str, Any]:
    completion = completion_of(query, prompt, _special_tokens())
    columns = with_all_columns(label["columns"], attempt_dir())
    score = _function()([label["prompt"]], [completion], columns)[0]
    with _lock:
        _same_parts(score.parts)
    logs = {f"rewards/{name}": value for name, value in score.parts.items()}
    return {"rewards": score.total, "scores": score.total, "extra_logs": logs}


def _same_parts(parts: dict[str, float]) -> None:
    """Upstream averages every part over the batch, so each completion must have all."""
    names = frozenset(parts)
    if not _parts:
        _parts.append(names)
    elif _parts[0] != names:
        listed = ", ".join(sorted(names ^ _parts[0]))
        raise RewardError(
            t("every answer must get the same named parts; these differ: {names}",
              "每个回答都应有相同的分项，以下各项不同：{names}", names=listed)
        )  # fmt: skip


if UPSTREAM in sys.modules:
    openrlhf_samples.install(sys.modules[UPSTREAM].SingleTurnAgentExecutor)

"""What must be equal for two scores to stand in one column of the board.

Standard library only: the driver of a benchmark job uses this file inside its runtime, on
what the harness says it really did.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any


def digest_of(value: Any) -> str:
    """Return the sha256 of a value's canonical JSON, or of a text's bytes."""
    if not isinstance(value, str):
        value = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


def short(value: Any) -> str | None:
    """Return twelve digits of a value's digest; ``None`` for nothing."""
    return None if value is None else digest_of(value)[:12]


def item_digest(item: Any) -> str:
    """Return sixteen digits that stand for an item of a benchmark, whoever asks it when."""
    return digest_of(json.loads(json.dumps(item, default=str)))[:16]


def make_settings(
    *,
    pack: dict[str, Any],
    harness: str,
    harness_version: str,
    few_shot: int | None,
    limit: int | float | None,
    seed: int | None,
    chat_template: str | None,
    system_prompt: str | None,
    as_turns: bool,
    decoding: dict[str, Any] | None,
    filter_name: str,
    few_shot_seed: int | None = None,
) -> dict[str, Any]:
    """Return the settings of one score.

    ``pack`` holds ``version``, ``digest`` and ``data`` (the digest of the items, ``None`` for
    a hub's). ``decoding`` is ``None`` where nothing is generated (multiple choice). A seed is
    there only where it can change a score: ``seed`` where answers are sampled, and
    ``few_shot_seed`` where it chooses examples. Results that differ in ``seed`` alone are runs
    of the same; another ``few_shot_seed`` asks other questions.
    """
    shots = few_shot or 0
    sampled = bool(decoding and decoding.get("do_sample"))
    found = {
        "pack": pack["version"],
        "pack_digest": pack["digest"][:12],
        "data": pack["data"][:12] if pack.get("data") else None,
        "harness": harness,
        "harness_version": harness_version,
        "few_shot": shots,
        "few_shot_turns": as_turns if shots and chat_template is not None else None,
        "limit": limit,
        "seed": seed if sampled else None,
        "chat_template": short(chat_template),
        "system_prompt": short(system_prompt),
        "decoding": decoding,
        "filter": filter_name,
    }
    # Only where it counts: a key more would be another digest for every score without examples.
    if shots and few_shot_seed is not None:
        found["few_shot_seed"] = few_shot_seed
    return found


def settings_digest(settings: dict[str, Any]) -> str:
    """Return the digest that groups comparable scores."""
    return digest_of(settings)

"""Any scorer of reasoning-gym, by the name of its data set."""

from __future__ import annotations

import difflib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from starforge.rewards.answers import final_answer

SOURCE = "source_dataset"  # reasoning-gym writes the name of the data set into each row's metadata
_lock = threading.Lock()


def gym(
    completions: Sequence[str],
    answer: Sequence[Any],
    metadata: Sequence[Any],
    *,
    dataset: str | None = None,
    prompts: Sequence[Any] | None = None,
) -> list[float]:
    """Return what reasoning-gym's scorer gives each final answer, mostly from 0.0 to 1.0.

    ``answer`` and ``metadata`` are columns of the data as reasoning-gym makes them (metadata as
    an object or as JSON). ``dataset`` names the data set where the metadata doesn't
    (``source_dataset``); ``prompts`` are for the few scorers that look at the question.
    """
    scores = []
    for row, (text, right, meta) in enumerate(zip(completions, answer, metadata, strict=True)):
        facts = _facts(meta)
        name = dataset or facts.get(SOURCE)
        if not name:
            raise ValueError(f"row {row + 1}: no `dataset`, and no `{SOURCE}` in its metadata")
        question = prompts[row] if prompts is not None else ""
        entry = {"question": _question(question), "answer": right, "metadata": facts}
        scores.append(float(_scorer(str(name))(answer=final_answer(text), entry=entry)))
    return scores


def _facts(meta: Any) -> dict[str, Any]:
    value = json.loads(meta) if isinstance(meta, str) else meta
    if not isinstance(value, Mapping):
        raise ValueError(f"the metadata has to be an object, not {type(value).__name__}")
    return dict(value)


def _question(prompt: Any) -> str:
    if isinstance(prompt, list) and prompt and isinstance(prompt[-1], Mapping):
        return str(prompt[-1].get("content", ""))
    return str(prompt)


@cache
def _scorer(name: str) -> Callable[..., Any]:
    import reasoning_gym  # type: ignore[import-not-found]

    with _lock:
        try:
            return reasoning_gym.get_score_answer_fn(name)  # type: ignore[no-any-return]
        except ValueError as error:
            from reasoning_gym.factory import DATASETS  # type: ignore[import-not-found]

            near = difflib.get_close_matches(name, DATASETS, 1)
            meant = f"; did you mean `{near[0]}`?" if near else ""
            raise ValueError(f"reasoning-gym has no data set `{name}`{meant}") from error

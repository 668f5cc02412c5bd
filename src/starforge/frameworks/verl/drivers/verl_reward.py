"""verl's reward function for a job: calls the function of the user's own file.

verl scores one completion at a time, so the lists that function gets have one entry each.
Without a file every completion is worth 0: distillation learns from the teacher alone.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from job_files import attempt_dir, one_line
from reward_file import ERROR_FILE, RewardError, RewardFile, with_all_columns

from starforge import stacks

SCORE = "score"  # the name verl takes the total from


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    file: str | None = None,
    **_unused: Any,
) -> dict[str, float]:
    """Return the total as ``score`` and the named parts beside it.

    ``file`` is the path of the user's reward file; the row as it stands in the data arrives
    as JSON in ``extra_info["row"]``. Raises :class:`reward_file.RewardError` for an answer
    that is no reward.
    """
    if file is None:
        return {SCORE: 0.0}
    row = json.loads((extra_info or {}).get("row") or "{}")
    prompt = row.pop("prompt", "")
    columns = with_all_columns(row, attempt_dir())
    try:
        (score,) = _function(file)([prompt], [solution_str], columns)
    except RewardError as error:
        # verl tells it among the tracebacks of three processes, and goes on without the answer.
        (attempt_dir() / ERROR_FILE).write_text(one_line(error), "utf-8")
        raise
    parts = {name: float(value) for name, value in score.parts.items() if name != SCORE}
    return {SCORE: float(score.total), **parts}


@lru_cache(maxsize=4)
def _function(file: str) -> RewardFile:
    stacks.enable()  # a reward that hangs is then seen where it stands
    return RewardFile(Path(file))


def failure(attempt: Path) -> str | None:
    """Return why the reward failed in this attempt, if it did."""
    try:
        return (attempt / ERROR_FILE).read_text("utf-8")
    except OSError:
        return None

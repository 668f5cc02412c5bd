"""Jobs that go on from each other's models, from one framework to the next."""

from __future__ import annotations

import time
from typing import Any

from demo_rows import Chain
from places import SfError, ask
from trial import Row, measure, submit


def follow(chain: Chain, profile: str) -> Row:
    """Run the jobs of a chain; what fails is kept in the row.

    ``steps`` are those of all jobs together, ``first`` and ``last`` those of the last one.
    """
    row = Row(name=chain.name)
    began = time.monotonic()
    try:
        _follow(chain, row, profile)
    except (SfError, OSError, ValueError, KeyError) as error:
        row.problem = " ".join(str(error).split()) or type(error).__name__
    row.seconds = time.monotonic() - began
    return row


def _follow(chain: Chain, row: Row, profile: str) -> None:
    before: str | None = None
    steps = 0
    first: float | None = None
    for case in chain.jobs:
        model = None if before is None else f"job:{before}"
        row.job = submit(case, profile, model=model)
        done = ask("job", "wait", row.job, check=False)
        if done["state"] != "succeeded":
            raise SfError(f"{case.method} {done['state']}: {done['message'] or done['reason']}")
        if before is not None:
            _came_from(done, before)
        steps += (done["progress"] or {}).get("step") or 0
        row.steps = steps
        measure(row, done)
        first = row.first if first is None else first
        before = row.job
    if chain.learns and not (row.first is not None and first is not None and row.first < first):
        raise SfError(f"the last job began at {row.first}, not below the {first} of the first")


def _came_from(job: dict[str, Any], before: str) -> None:
    """Raise :class:`SfError` unless what ran took the other job's model."""
    models = [(one["kind"], one["location"]) for one in job["inputs"] if one["name"] == "model"]
    if models != [("job", before)]:
        raise SfError(f"{job['id']} did not take the model of job {before} but {models}")

"""Keep two verl jobs on one machine apart; loaded by verl as an external module.

verl names the socket through which the trainer hands weights to rollout after Ray's job id,
in a fixed folder. Every job here has a Ray of its own, where that id is always the first
one, so that two jobs would share the socket, and one could take the other's weights. The id
that verl's rollout code sees gets the name of this job's private folder, ``TMPDIR``. So do
the semaphores that Python makes, which stay in ``/dev/shm`` when their process is killed.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from typing import Any

import ray.runtime_context

TAG = os.path.basename(os.environ.get("TMPDIR", ""))  # noqa: PTH119 - no more is needed of it
READERS = "verl.workers.rollout."
_original = ray.runtime_context.RuntimeContext.get_job_id


def get_job_id(self: Any) -> str:
    """Return Ray's job id, with the job's tag for verl's rollout code."""
    found = _original(self)
    caller = sys._getframe(1).f_globals.get("__name__", "")
    return f"{found}-{TAG}" if str(caller).startswith(READERS) else found


ray.runtime_context.RuntimeContext.get_job_id = get_job_id
multiprocessing.current_process()._config["semprefix"] = f"/mp-{TAG}"  # children inherit it

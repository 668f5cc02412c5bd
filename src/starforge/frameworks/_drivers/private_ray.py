"""A Ray that belongs to one job: a folder and a token of its own, nobody else's cluster.

``job_files.private_folder`` makes the folder and has it removed behind a job that was killed.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

# What would lead Ray to a cluster that runs already, or to somebody else's token.
FOREIGN = ("RAY_ADDRESS", "RAY_AUTH_TOKEN_PATH")


def forget_others() -> None:
    """Take out of this process's environment what names another Ray."""
    for name in FOREIGN:
        os.environ.pop(name, None)


def environment(folder: Path) -> dict[str, str]:
    """Return what to add to the environment of the process that starts Ray.

    Its session, and every other temporary file, lies in ``folder``. Ray listens on every
    address of the machine: only who has this job's token may join.
    """
    place = os.fspath(folder)
    return {
        "TMPDIR": place,
        "RAY_TMPDIR": place,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        # Ray would run its workers, which are the job, behind everything else on the machine.
        "RAY_worker_niceness": "0",
    }

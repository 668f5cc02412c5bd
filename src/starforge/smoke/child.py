"""Start the runner as a child that does not outlive its parent.

``python -m starforge.smoke.child ATTEMPT_DIR PARENT``: PARENT is the pid of ``sf smoke``.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from starforge.runner.main import main

_PR_SET_PDEATHSIG = 1


def follow(parent: int) -> bool:
    """Have the kernel ask this process to stop when ``parent`` dies (Linux only).

    Returns false when it is gone already.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    return os.getppid() == parent


if __name__ == "__main__":
    if follow(int(sys.argv[2])):
        sys.exit(main(sys.argv[1:2]))

"""Start processes that do not outlive a build that is killed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

# Asks Linux to kill it when its parent ends (PR_SET_PDEATHSIG, see prctl(2)), which holds through
# exec; the parent may have ended before that. Other systems have nothing alike.
_BOUND = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() != int(sys.argv[1]):
    os._exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""


def bound(argv: Sequence[str]) -> list[str]:
    """Return a command that runs ``argv`` and dies with the thread that starts it.

    Whatever kills a build, pip must not go on writing: the next build would meet it.
    """
    return [sys.executable, "-I", "-c", _BOUND, str(os.getpid()), *argv]

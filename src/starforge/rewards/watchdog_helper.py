"""The helper process of :mod:`starforge.rewards.watchdog`.

``watchdog_helper.py PARENT SIGNAL GRACE REASON PLACE``: reads ``begin CALL SECONDS`` and
``end CALL`` lines. It ends with its input, which closes with the process it watches.
Stand-alone and of the standard library only.
"""

from __future__ import annotations

import math
import os
import select
import signal
import sys
import time
from pathlib import Path

LOOK = 5.0  # seconds


class Helper:
    """The calls that go on: when each is due, and whether it was told to end."""

    def __init__(self, parent: int, number: int, grace: float) -> None:
        self.parent = parent
        self.number = number
        self.grace = grace
        self.due: dict[bytes, float] = {}
        self.told: set[bytes] = set()

    def take(self, line: bytes) -> None:
        """Read one line."""
        word, call, *seconds = line.split()
        if word == b"begin":
            self.due[call] = time.monotonic() + float(seconds[0])
        else:
            self.due.pop(call, None)
            self.told.discard(call)

    def wait(self) -> float:
        """Return how many seconds there are until a call is due, or the parent is looked for.

        Its end closes the input, unless a child that it forked still holds the other side.
        """
        left = min(self.due.values(), default=math.inf) - time.monotonic()
        return min(LOOK, max(0.0, left))

    def is_stuck(self) -> bool:
        """Tell calls that are late to end; say whether one was told and did not."""
        now = time.monotonic()
        late = {call for call, due in self.due.items() if due <= now}
        if not self.number or late & self.told:
            return bool(late)
        for call in late:
            self.told.add(call)
            self.due[call] = now + self.grace
        if late:
            os.kill(self.parent, self.number)
        return False


def main(parent: str, number: str, grace: str, reason: str, place: str) -> None:
    """Keep the time until the input ends."""
    helper = Helper(int(parent), int(number), float(grace))
    rest = b""
    while True:
        if select.select([0], [], [], helper.wait())[0]:
            data = os.read(0, 4096)
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                helper.take(line)
        elif os.getppid() != helper.parent:
            return
        elif helper.is_stuck():
            _kill(helper.parent, reason, place)
            return


def _kill(parent: int, reason: str, place: str) -> None:
    if place:
        Path(place).write_text(reason, "utf-8")
    sys.stderr.write(f"error: {reason}\n")
    sys.stderr.flush()
    os.kill(parent, signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])

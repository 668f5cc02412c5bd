"""Entry point of the command ``sf``."""

from __future__ import annotations

import io
import sys
from typing import NoReturn

from starforge.cli.root import root


def main() -> NoReturn:
    """Run ``sf`` with the arguments of this process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal without Unicode shows "?" where it can't show a letter.
            stream.reconfigure(errors="replace")
    root.main()


if __name__ == "__main__":
    main()

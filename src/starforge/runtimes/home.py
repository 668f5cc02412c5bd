"""Where runtimes lie on this machine."""

from __future__ import annotations

import os
from pathlib import Path

ENV_RUNTIMES = "STARFORGE_RUNTIMES"


def runtimes_root(home: Path) -> Path:
    """Return the folder of built runtimes: ``STARFORGE_RUNTIMES``, or ``<home>/runtimes``.

    The variable lets several homes (a demo's, the tests') share gigabytes of packages.
    """
    value = os.environ.get(ENV_RUNTIMES)
    return Path(value).expanduser().absolute() if value else home.absolute() / "runtimes"

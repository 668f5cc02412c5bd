"""Where StarForge keeps its state on this machine. Standard library only."""

from __future__ import annotations

import os
from pathlib import Path

ENV_HOME = "STARFORGE_HOME"


def starforge_home() -> Path:
    """Return ``STARFORGE_HOME``, or ``~/.starforge``."""
    value = os.environ.get(ENV_HOME)
    return Path(value).expanduser().absolute() if value else Path.home() / ".starforge"

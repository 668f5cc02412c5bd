"""``alerts.jsonl``: what the runner wants a person to look at, shipped like any stream."""

from __future__ import annotations

import json
import time
from pathlib import Path

from starforge import layout
from starforge.runner.journal import Journal, append
from starforge.runner.learning import Alert


class AlertFile:
    """Appends alerts; what a full disk refuses waits and is written with the next."""

    def __init__(self, attempt_dir: Path, journal: Journal) -> None:
        self._path = attempt_dir / layout.ALERTS
        self._journal = journal
        self._waiting: list[str] = []

    def add(self, alert: Alert) -> None:
        """Write an alert down."""
        self._journal.say(f"alert: {alert.code} at step {alert.step}")
        line = {
            "t": time.time(), "s": alert.step, "code": alert.code,
            "message": alert.said.en, "message_zh": alert.said.zh,
        }  # fmt: skip
        self._waiting.append(json.dumps(line, ensure_ascii=False) + "\n")
        self.flush()

    def flush(self) -> None:
        """Write what still waits."""
        if not self._waiting:
            return
        try:
            append(self._path, "".join(self._waiting).encode("utf-8", "replace"))
        except OSError as error:
            self._journal.say(f"{layout.ALERTS} could not be written: {error}", once=True)
            return
        self._waiting.clear()

"""Scores of a judge, kept on disk."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from pathlib import Path


def digest(*parts: str | None) -> str:
    """Return the name under which the score of these texts is kept."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Cache:
    """One small file a score; several processes may share it. A disk that fails is no error."""

    def __init__(self, folder: Path | None = None) -> None:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self.folder = folder or Path(base) / "starforge" / "judge"

    def get(self, name: str) -> float | None:
        """Return a score that is kept."""
        try:
            return float(json.loads(self._path(name).read_text("utf-8"))["score"])
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def put(self, name: str, score: float) -> None:
        """Keep a score."""
        path = self._path(name)
        fresh = path.with_name(f".{name}-{secrets.token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(json.dumps({"score": score}), "utf-8")
            fresh.replace(path)
        except OSError:
            fresh.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self.folder / name[:2] / f"{name}.json"

"""The git state of an experiment: recorded with its job, never demanded."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec

MAX_DIFF = 1 << 20
MAX_UNTRACKED = 200
_TIMEOUT = 10.0


class SourceState(msgspec.Struct, frozen=True, kw_only=True):
    """Commit, branch and uncommitted changes of a folder.

    ``diff`` covers tracked files of the folder only, at most :data:`MAX_DIFF` characters
    (``truncated`` says when it was cut); ``untracked`` lists new files by name.
    """

    commit: str | None = None
    branch: str | None = None
    dirty: bool = False
    diff: str = ""
    truncated: bool = False
    untracked: list[str] = []


def source_state(folder: Path) -> SourceState | None:
    """Return the git state of ``folder``; ``None`` without git or outside a repository."""
    top = _git(folder, "rev-parse", "--show-toplevel")
    if top is None:
        return None
    commit = (_git(folder, "rev-parse", "--verify", "--quiet", "HEAD") or "").strip() or None
    branch = (_git(folder, "symbolic-ref", "--quiet", "--short", "HEAD") or "").strip() or None
    status = _git(folder, "status", "--porcelain", "-z", "--untracked-files=all", "--", ".") or ""
    entries = [entry for entry in status.split("\0") if entry]
    untracked = [entry[3:] for entry in entries if entry.startswith("?? ")]
    diff = ""
    if commit:
        diff = _git(folder, "diff", "--no-ext-diff", "--no-textconv", "HEAD", "--", ".") or ""
    return SourceState(
        commit=commit, branch=branch, dirty=bool(entries), diff=diff[:MAX_DIFF],
        truncated=len(diff) > MAX_DIFF or len(untracked) > MAX_UNTRACKED,
        untracked=untracked[:MAX_UNTRACKED],
    )  # fmt: skip


def _git(folder: Path, *args: str) -> str | None:
    """Run git; ``None`` when it is absent, too slow, or says no."""
    # No lock is taken in the user's repository and no prompt can block the command.
    env = os.environ | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *args],
            capture_output=True, timeout=_TIMEOUT, check=False, env=env,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None

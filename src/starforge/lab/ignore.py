"""Which files of an experiment stay at home: built-in patterns and ``.sfignore``."""

from __future__ import annotations

import re
from pathlib import Path

IGNORE_FILE = ".sfignore"
# Version control, caches, editors' leftovers and what runs leave behind.
_ALWAYS = """
.git/
.hg/
.svn/
__pycache__/
*.pyc
.venv/
venv/
node_modules/
.ipynb_checkpoints/
.mypy_cache/
.ruff_cache/
.pytest_cache/
.DS_Store
*.swp
*~
/outputs/
/output/
/runs/
/wandb/
/starforge-runs/
"""


class Ignore:
    """Patterns as in ``.gitignore``: ``*``, ``?``, ``**``, ``/`` anchors, ``!`` takes back."""

    def __init__(self, text: str = "") -> None:
        lines = [*_ALWAYS.splitlines(), *text.splitlines()]
        self._rules = [rule for line in lines if (rule := _compile(line)) is not None]

    def matches(self, path: str, *, is_dir: bool) -> bool:
        """Say whether ``path`` (POSIX, relative to the experiment) is left out."""
        ignored = False
        for pattern, only_dirs, take_back in self._rules:
            if (is_dir or not only_dirs) and pattern.fullmatch(path):
                ignored = not take_back
        return ignored


def load_ignore(folder: Path) -> Ignore:
    """Read ``.sfignore`` of an experiment, if there is one."""
    try:
        return Ignore((folder / IGNORE_FILE).read_text("utf-8", errors="replace"))
    except OSError:
        return Ignore()


def _compile(line: str) -> tuple[re.Pattern[str], bool, bool] | None:
    text = line.strip()
    if not text or text.startswith("#"):
        return None
    take_back = text.startswith("!")
    text = text.removeprefix("!").removeprefix("\\")
    only_dirs = text.endswith("/")
    text = text.rstrip("/")
    if not text:
        return None
    anchored = "/" in text
    body = _translate(text.removeprefix("/"))
    prefix = "" if anchored else "(?:.*/)?"
    return re.compile(prefix + body, re.DOTALL), only_dirs, take_back


def _translate(glob: str) -> str:
    out, at = "", 0
    while at < len(glob):
        if glob.startswith("**/", at):
            out, at = out + "(?:.*/)?", at + 3
        elif glob.startswith("**", at):
            out, at = out + ".*", at + 2
        elif glob[at] == "*":
            out, at = out + "[^/]*", at + 1
        elif glob[at] == "?":
            out, at = out + "[^/]", at + 1
        else:
            out, at = out + re.escape(glob[at]), at + 1
    return out

"""``python -m starforge.server.backup create|restore|verify``: what ``sf admin`` runs.

Prints one JSON object: the result, or ``{"error": {code, message, hint}}`` with both
languages, and then ends with the error's exit code.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import msgspec

from starforge.errors import StarForgeError
from starforge.server.backup.create import create
from starforge.server.backup.reader import read
from starforge.server.backup.restore import restore
from starforge.server.settings import Settings


def main(argv: list[str] | None = None) -> int:
    """Do one of the three; expected failures are part of the answer."""
    given = _arguments(argv)
    try:
        answer, code = _work(given), 0
    except StarForgeError as error:
        answer = {"error": {"code": error.code, "message": error.message, "hint": error.hint}}
        code = int(error.exit_code)
    sys.stdout.write(msgspec.json.encode(answer).decode() + "\n")
    return code


def _work(given: argparse.Namespace) -> Any:
    file = Path(given.file).expanduser().absolute()
    if given.what == "verify":
        about, manifest = read(file)
        return {
            "file": str(file),
            "version": about.version,
            "created_at": about.created_at,
            "home": about.home,
            "database": about.database,
            "outputs": about.outputs,
            "files": len(manifest.files) + len(manifest.links),
            "changed": manifest.changed,
            "skipped": manifest.skipped,
        }
    settings = Settings.from_env(home=Path(given.home) if given.home else None)
    if given.what == "restore":
        return restore(file, settings.home)
    return create(settings, file, outputs=not given.without_outputs)


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m starforge.server.backup")
    parser.add_argument("what", choices=("create", "restore", "verify"))
    parser.add_argument("file")
    parser.add_argument("--home", help="state folder (default: STARFORGE_HOME)")
    parser.add_argument("--without-outputs", action="store_true")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())

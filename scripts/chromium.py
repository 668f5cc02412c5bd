"""Make sure that a Chromium is there for the browser tests: Debian's, when this is root there.

Never downloads a browser build. Where none can be had the browser tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """Return the program of an installed Chromium or Chrome."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def install() -> None:
    """Install Debian's Chromium and a font with Chinese characters."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    quiet = ["-qq", "-o", "Dpkg::Use-Pty=0"]
    print("installing Chromium for the browser tests ...", flush=True)
    for argv in (
        ["apt-get", *quiet, "update"],
        [
            "apt-get",
            *quiet,
            "install",
            "-y",
            "--no-install-recommends",
            "chromium",
            "fonts-noto-cjk",
        ],
    ):
        subprocess.run(argv, env=env, check=False, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    if find() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        install()
    if find() is None:
        print("no Chromium here: the browser tests will be skipped")

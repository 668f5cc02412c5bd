"""Runs of the reporter, and what they left."""

import json
import os
import subprocess
import sys
from pathlib import Path

from starforge import report
from starforge.streams import decode_scalars

SRC = Path(report.__file__).parent


def scalars(folder):
    series = {}
    for path in sorted((folder / "metrics").glob("*.jsonl")):
        got = decode_scalars("report", path.read_bytes())
        assert got.notes == []
        for name, (steps, _, values) in got.series.items():
            into = series.setdefault(name, ([], []))
            into[0].extend(steps)
            into[1].extend(values)
    return series


def read(path):
    return json.loads(path.read_text("utf-8"))


def only_run():
    (folder,) = Path("starforge-runs").iterdir()
    return folder


def script(tmp_path, body, env=None, **more):
    path = tmp_path / "script.py"
    path.write_text(body)
    return subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(SRC.parent), **(env or {})}, check=False, **more,
    )  # fmt: skip


def shell(tmp_path, *words, **env):
    return subprocess.run(
        [sys.executable, "-m", "starforge.report", *words], cwd=tmp_path, capture_output=True,
        text=True, env={**os.environ, **env}, timeout=60, check=False,
    )  # fmt: skip

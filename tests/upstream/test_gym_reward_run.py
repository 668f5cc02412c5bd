"""``gym`` with the real reasoning-gym, in the runtime that jobs have."""

import json
import os
import subprocess

import pytest

from starforge import layout

pytestmark = pytest.mark.upstream

PROBE = """
import json, sys
from starforge.rewards import gym
out = {"scores": gym(["The answer is 4", "5", ""], ["4"] * 3, [{"source_dataset": NAME}] * 3)}
for name, meta in json.loads(sys.stdin.read()).items():
    try:
        gym(["4"], ["4"], [meta])
    except ValueError as error:
        out[name] = str(error)
sys.stdout.write(json.dumps(out))
"""
WRONG = {"near": {"source_dataset": "basic_arithmetc"}, "none": {}, "text": "[1]"}


def test_scores_and_names_that_are_none(trl_python, tmp_path):
    for name, text in {"__init__.py": "", **layout.library_sources()}.items():
        path = tmp_path / "lib" / "starforge" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    done = subprocess.run(
        [trl_python, "-c", PROBE.replace("NAME", "'basic_arithmetic'")], text=True,
        capture_output=True, timeout=200, check=False, input=json.dumps(WRONG),
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path / "lib")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    out = json.loads(done.stdout)
    assert out["scores"][0] == 1.0
    assert out["scores"][1] < 1.0 and out["scores"][2] == 0.0
    assert out["near"].endswith("no data set `basic_arithmetc`; did you mean `basic_arithmetic`?")
    assert "no `source_dataset`" in out["none"]
    assert "has to be an object, not list" in out["text"]

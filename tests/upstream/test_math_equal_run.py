"""``math_equal`` with the real math-verify, in the runtime that jobs have."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from starforge import layout

pytestmark = pytest.mark.upstream

PROBE = """
import json, os, sys, threading
from starforge.rewards import math_equal
import starforge.rewards.math_equal
module = sys.modules["starforge.rewards.math_equal"]
given = json.loads(sys.stdin.read())
out = {"equal": math_equal(*map(list, zip(*given["pairs"])))}
found = []
thread = threading.Thread(target=lambda: found.append(math_equal(["1/2"], ["0.5"])))
thread.start(); thread.join()
out["thread"] = found
out["stuck"] = math_equal(["$(x+1)^{(y+1)^{99999999}}$", "2"], ["1", "2"], seconds=1)
out["words"] = math_equal(
    ["\\\\text{Evelyn}", "The answer is evelyn.", "Eve"], ["Evelyn", "\\\\text{Evelyn}", "Evelyn"]
)
os.kill(module._workers[0].process.pid, 9)
try:
    math_equal(["1"], ["1"])
except (RuntimeError, OSError) as error:
    out["killed"] = type(error).__name__
out["again"] = math_equal(["1"], ["1"])
out["workers"] = len(module._workers)
sys.stdout.write(json.dumps(out))
"""
PAIRS = [
    ("\\boxed{\\frac{1}{2}}", "0.5", 1), ("the answer is 1/2", "\\frac{1}{2}", 1),
    ("<think>3</think><answer>x^2 + 2x + 1</answer>", "$(x+1)^2$", 1),
    ("$\\{2, 1\\}$", "$\\{1,2\\}$", 1),
    ("\\sqrt{8}", "2\\sqrt{2}", 1), ("12", "13", 0), ("", "1", 0), ("I don't know", "7", 0),
    ("1,000", "1000", 1), ("50\\%", "50", 1), ("$\\frac{", "1", 0),
]  # fmt: skip


def test_math_equal(trl_python, tmp_path):
    for name, text in {"__init__.py": "", **layout.library_sources()}.items():
        path = tmp_path / "lib" / "starforge" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    done = subprocess.run(
        [trl_python, "-c", PROBE], text=True, capture_output=True, timeout=200, check=False,
        input=json.dumps({"pairs": [pair[:2] for pair in PAIRS]}),
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(tmp_path, "lib"))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    out = json.loads(done.stdout)
    assert out["equal"] == [pair[2] for pair in PAIRS]
    assert out["thread"] == [[1]]
    assert out["stuck"] == [0, 1]
    assert out["words"] == [1, 1, 0]
    assert out["killed"] in ("RuntimeError", "BrokenPipeError")
    assert (out["again"], out["workers"]) == ([1], 1)

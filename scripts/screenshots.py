"""`make screenshots`: every page of the console, with real jobs, in both themes and languages.

Starts a server on a home of its own, runs small real jobs on it (also a fine-tuning, where the
runtime `trl` is built), and has Chromium look at every page. Pictures land in `screenshots/`
(or the folder given). With `--docs` it makes those of the documentation anew instead, into
`docs/en/pictures` and `docs/zh/pictures`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import screenshots_board
import screenshots_runs

ROOT = Path(__file__).resolve().parent.parent
SF = Path(sys.executable).parent / "sf"

TRAINING = """\
"$STARFORGE_PYTHON" - <<'PY'
import math
import random
import time
from starforge import report

random.seed(SEED)
report.init(total_steps=240)
print("\\x1b[36mloading\\x1b[0m the model", flush=True)
for step in range(1, 241):
    noise = random.gauss(0, 0.06)
    report.log({
        "train/loss": 2.2 * math.exp(-step / 90) + 0.4 + noise,
        "train/reward": 1 / (1 + math.exp(-(step - 110) / 35)) + noise / 2,
        "train/kl": 0.002 * step + abs(noise) / 4,
        "train/entropy": 1.4 - step / 300 + noise / 3,
        "train/grad_norm": 1 + abs(noise) * 4,
        "train/learning_rate": 1e-5 * (1 - step / 240),
        "rollout/length_mean": 180 + step / 2 + noise * 40,
        "timing/step_seconds": 1.2 + abs(noise),
    }, step=step)
    if step % 60 == 0:
        rows = []
        for prompt, (a, b) in enumerate([(17, 25), (48, 12), (9, 64)]):
            for _ in range(4):
                said = a + b + (0 if random.random() < step / 240 else random.choice([-1, 1, 10]))
                rows.append({
                    "prompt": f"What is {a} + {b}?",
                    "completion": f"{a} + {b} is {said}.",
                    "reward": float(said == a + b) + 0.1,
                    "rewards": {"correct": float(said == a + b), "format": 0.1},
                    "group": prompt, "length": 9, "truncated": False,
                })
        report.log_samples(rows, step=step)
    if step % 20 == 0:
        print(f"step {step}/240", flush=True)
    time.sleep(PAUSE)
    END
print("\\x1b[33mWarning:\\x1b[0m the last batch was smaller", flush=True)
PY
"""
FAILURE = 'if step == 97: raise ValueError("column `answer` is missing in row 388")'
RUNNING = ["a longer run", "its sibling", "one that waits"]
"""More jobs than two cores run at once."""
QUICK, SLOW = 0.03, 2.0  # seconds a step
TASKS = "".join(
    json.dumps({"question": f"What is {a} + {b}?", "answer": str(a + b)}) + "\n"
    for a, b in [(17, 25), (48, 12), (9, 64), (31, 8), (5, 77)]
)


def sf(*args: str, cwd: Path | None = None, may_fail: bool = False) -> str:
    """Run ``sf``; its output, empty where it failed and may."""
    done = subprocess.run([str(SF), *args], capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode and not may_fail:
        sys.exit(f"error: sf {' '.join(args)}: {done.stdout}{done.stderr}")
    return "" if done.returncode else done.stdout


def submit(folder: Path, name: str, seed: int, **more: object) -> None:
    """Make a job around a small script; ``more``: ``pause`` and ``end`` of a step."""
    made = folder / f"experiment-{seed}"
    made.mkdir()
    script = TRAINING.replace("SEED", str(seed)).replace("PAUSE", str(more.get("pause", QUICK)))
    (made / "train.sh").write_text(script.replace("END", str(more.get("end", "pass"))), "utf-8")
    document = {
        "method": "custom/custom",
        "description": f"Addition, seed {seed}",
        "tags": ["arithmetic"],
    }
    (made / "experiment.yaml").write_text(json.dumps(document), "utf-8")
    sf("submit", str(made), "--name", name)


def fine_tune(folder: Path) -> str | None:
    """Run a real fine-tuning; the name of its job, or ``None`` where its runtime is not built."""
    lab = folder / "lab"
    sf("init", str(lab))
    sf("new", "tiny-sft", "--method", "trl/sft", cwd=lab)
    if not sf("submit", "tiny-sft", cwd=lab, may_fail=True):
        print("no pictures of a fine-tuning: `sf runtime install trl` builds what it needs")
        return None
    sf("job", "wait", "tiny-sft")
    return "tiny-sft"


def fill(folder: Path) -> list[str]:
    """Run the jobs and register data; what the script that takes the pictures is told."""
    trained = fine_tune(folder)
    screenshots_board.fill(folder, sf, trained)
    for seed, job in enumerate(["addition-1", "addition-2", "加法 三号"]):
        submit(folder, job, seed)
    screenshots_runs.fill(folder / "runs", sf)
    submit(folder, "broken", 7, end=FAILURE)
    for job in ("addition-1", "addition-2", "加法 三号", "broken"):
        sf("job", "wait", job, may_fail=job == "broken")
    for seed, job in enumerate(RUNNING, start=8):
        submit(folder, job, seed, pause=SLOW)
    tasks = folder / "tasks.jsonl"
    tasks.write_text(TASKS, "utf-8")
    sf("dataset", "add", "arithmetic", str(tasks))
    rows = hashlib.sha256(tasks.read_bytes()).hexdigest()
    return ["addition-1", "addition-2", rows, trained or "addition-1"]


def main() -> None:
    """Fill a server and take the pictures."""
    parser = argparse.ArgumentParser(description="Take pictures of the console.")
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "screenshots")
    parser.add_argument("--docs", action="store_true", help="those of the documentation")
    options = parser.parse_args()
    out = ROOT / "docs" if options.docs else options.out
    subprocess.run([sys.executable, str(ROOT / "scripts/console.py"), "build"], check=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["STARFORGE_HOME"] = str(folder / "home")
        try:
            told = fill(folder)
            link = sf("open", "--print").strip().splitlines()[-1]
            node = ["node", "scripts/screenshots.mjs", link, str(out.resolve())]
            kind = "docs" if options.docs else "all"
            subprocess.run([*node, kind, *told], cwd=ROOT / "console", check=True)
        finally:
            sf("job", "stop", "--force", "--wait", *RUNNING, may_fail=True)
            screenshots_runs.stop(sf)
            sf("down", may_fail=True)
    print(f"pictures are in {out}")


if __name__ == "__main__":
    main()

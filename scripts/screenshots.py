"""`make screenshots`: every page of the console, with real jobs, in both themes and languages.

Starts a server on a home of its own, runs small real jobs on it, and has Chromium look at
every page. Pictures land in `screenshots/` (or the folder given).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SF = Path(sys.executable).parent / "sf"

TRAINING = """\
python3 - <<'PY'
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
    time.sleep(0.01)
print("\\x1b[33mWarning:\\x1b[0m the last batch was smaller", flush=True)
END
PY
"""
TASKS = "".join(
    json.dumps({"question": f"What is {a} + {b}?", "answer": str(a + b)}) + "\n"
    for a, b in [(17, 25), (48, 12), (9, 64), (31, 8), (5, 77)]
)


def sf(*args: str) -> str:
    """Run ``sf``; its output."""
    done = subprocess.run([str(SF), *args], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"error: sf {' '.join(args)}: {done.stderr}")
    return done.stdout


def experiment(folder: Path, name: str, seed: int, end: str = "") -> Path:
    """Write an experiment around a small script."""
    made = folder / name
    made.mkdir()
    script = TRAINING.replace("SEED", str(seed)).replace("END", end)
    (made / "train.sh").write_text(script, "utf-8")
    (made / "experiment.yaml").write_text(
        f"method: custom/custom\ndescription: Addition, seed {seed}\ntags: [arithmetic]\n", "utf-8"
    )
    return made


def main(out: Path) -> None:
    """Fill a server and take the pictures."""
    subprocess.run([sys.executable, str(ROOT / "scripts/console.py"), "build"], check=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["STARFORGE_HOME"] = str(folder / "home")
        try:
            for seed, job in enumerate(["addition-1", "addition-2", "加法 三号"]):
                sf("submit", str(experiment(folder, f"e{seed}", seed)), "--name", job)
            broken = experiment(
                folder, "broken", 7, 'raise ValueError("column `answer` is missing")'
            )
            sf("submit", str(broken), "--name", "broken")
            for job in ("addition-1", "addition-2", "broken"):
                sf("job", "wait", job)
            tasks = folder / "tasks.jsonl"
            tasks.write_text(TASKS, "utf-8")
            sf("dataset", "add", "arithmetic", str(tasks))
            rows = hashlib.sha256(tasks.read_bytes()).hexdigest()
            link = sf("open", "--print").strip().splitlines()[-1]
            node = ["node", "scripts/screenshots.mjs", link, str(out.resolve())]
            names = ["addition-1", "addition-2", rows]
            subprocess.run([*node, *names], cwd=ROOT / "console", check=True)
        finally:
            sf("down")
    print(f"pictures are in {out}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "screenshots")

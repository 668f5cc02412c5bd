"""Pipelines and sweeps for `make screenshots`: real ones, of small scripts that report.

What the scripts report are made-up curves and scores; that they run as stages and trials, wait,
fail, are tried again and are ended early is real.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Sf = Callable[..., str]

STAGE = """\
"$STARFORGE_PYTHON" - <<'PY'
import math
import os
import random
import time
from starforge import report

random.seed(7)
report.init(total_steps=STEPS)
for step in range(1, STEPS + 1):
    noise = random.gauss(0, 0.04)
    report.log({
        "train/loss": 1.9 * math.exp(-step / 12) + 0.5 + noise,
        "train/reward": 1 / (1 + math.exp(-(step - 20) / 6)) + noise / 2,
    }, step=step)
    time.sleep(PAUSE)
END
report.finish()
PY
"""
MODEL = """
folder = os.environ["STARFORGE_OUTPUT_DIR"] + "/model"
os.makedirs(folder)
with open(folder + "/config.json", "w") as file:
    file.write('{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}')
report.log_artifact(folder, kind="model")
"""
ROWS = """
with open(os.environ["STARFORGE_OUTPUT_DIR"] + "/rows.jsonl", "w") as file:
    for a in range(20):
        file.write('{"question": "What is %d + 4?", "answer": "%d"}\\n' % (a, a + 4))
"""
FLAKY = """
tries = "TRIES"
with open(tries, "a") as file:
    file.write("x")
if os.path.getsize(tries) < 2:
    raise SystemExit("CUDA error: an illegal memory access was encountered")
"""


def score(value: float, stderr: float) -> str:
    """The end of a stage that measures."""
    made = "higher_is_better=True, items=400"
    return f'report.log_score("arithmetic", "accuracy", {value}, stderr={stderr}, {made})'


TRIAL = """\
"$STARFORGE_PYTHON" - <<'PY'
import json
import math
import os
import random
import time
from starforge import report

given = json.load(open(os.environ["STARFORGE_CONFIG"]))
rate, steps = float(given["learning_rate"]), 27
if given["optimizer"] == "lion" and rate > 1e-3:
    raise SystemExit("loss is NaN at step 0: the learning rate is too high for lion")
random.seed(str(given))
far = abs(math.log10(rate) + 3.4) + (0.3 if given["optimizer"] == "sgd" else 0)
with report.init(total_steps=steps) as run:
    for step in range(1, steps + 1):
        falls = 1.8 * math.exp(-step / (4 + 3 * far))
        run.log({"train/loss": 0.42 + 0.23 * far**2 + falls + random.gauss(0, 0.01)}, step=step)
        time.sleep(float(given["pause"]))
PY
"""


def experiment(lab: Path, name: str, script: str, config: str = "") -> None:
    """Write an experiment of custom/custom into a lab."""
    folder = lab / "experiments" / name
    folder.mkdir(parents=True)
    (folder / "train.sh").write_text(script, "utf-8")
    (folder / "experiment.yaml").write_text(json.dumps({"method": "custom/custom"}), "utf-8")
    if config:
        (folder / "config.yaml").write_text(config, "utf-8")


def stage(lab: Path, name: str, end: str = "pass", steps: int = 40, pause: float = 0.02) -> None:
    """Write the experiment of a stage."""
    script = STAGE.replace("STEPS", str(steps)).replace("PAUSE", str(pause)).replace("END", end)
    experiment(lab, name, script.replace("TRIES", str(lab / "tries")))


def pipeline(lab: Path, name: str, stages: dict[str, Any]) -> None:
    """Write a pipeline into a lab."""
    file = lab / "pipelines" / name / "pipeline.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"stages": stages}, indent=2, ensure_ascii=False), "utf-8")


SCORED: dict[str, Any] = {
    "rows": {"experiment": "rows"},
    "base-score": {"experiment": "base-score"},
    "sft": {"experiment": "sft", "data_from": {"train": "rows:rows.jsonl"}},
    "grpo": {"experiment": "grpo", "init_from": "sft", "retries": 1},
    "score": {
        "experiment": "score",
        "model_from": "grpo",
        "gate": [
            "arithmetic.accuracy >= 0.6",
            "arithmetic.accuracy better than base-score by 2 se",
        ],
    },
}
STRICT: dict[str, Any] = {
    **{name: SCORED[name] for name in ("rows", "sft")},
    "score": {"experiment": "weak", "model_from": "sft", "gate": "arithmetic.accuracy >= 0.6"},
    "grpo": {"experiment": "grpo", "init_from": "sft", "needs": ["score"]},
    "export": {"experiment": "export", "needs": ["grpo"]},
    "report": {"experiment": "report", "needs": ["sft"]},
}
LONG: dict[str, Any] = {
    **{name: SCORED[name] for name in ("rows", "base-score", "sft")},
    "long": {"experiment": "long", "init_from": "sft"},
    "score": {"experiment": "score", "model_from": "long",
              "gate": "arithmetic.accuracy better than base-score by 2 se"},
}  # fmt: skip


ENDLESS = "overnight"


def fill_pipelines(lab: Path, sf: Sf) -> None:
    """Write three pipelines; run one that succeeds at the second try, one that misses its gate."""
    stage(lab, "rows", ROWS, steps=8)
    stage(lab, "base-score", score(0.312, 0.023), steps=10)
    stage(lab, "sft", MODEL)
    stage(lab, "grpo", FLAKY + MODEL)
    stage(lab, "score", score(0.684, 0.023), steps=10)
    stage(lab, "weak", score(0.517, 0.025), steps=10)
    stage(lab, "export", steps=5)
    stage(lab, "report", steps=5)
    stage(lab, "long", steps=2000, pause=1.0)
    for name, stages in {"arithmetic": SCORED, "算术 严格": STRICT, ENDLESS: LONG}.items():
        pipeline(lab, name, stages)
    sf("pipeline", "run", "arithmetic", "--watch", cwd=lab)
    sf("pipeline", "run", "算术 严格", "--watch", cwd=lab, may_fail=True)  # its gate is not met


CONFIG = "learning_rate: 0.0003\noptimizer: adamw\npause: 0.03\n"
RATES = ["--space", "learning_rate=1e-6..1e-2:log", "--metric", "train/loss", "--early-stop"]


LIVE = "rates-long"


def over(sf: Sf, sweep: str) -> int:
    """How many trials of a sweep are over."""
    counts: dict[str, int] = json.loads(sf("sweep", "show", sweep, "--json"))["counts"]
    return sum(counts.values()) - counts.get("waiting", 0) - counts.get("running", 0)


def fill_sweeps(lab: Path, sf: Sf) -> None:
    """Run three sweeps: TPE that ends bad trials early, a grid with a failure, one that runs on.

    Of the last one a few trials are over at the end.
    """
    experiment(lab, "rates", TRIAL, CONFIG)
    experiment(lab, "optimizers", TRIAL, CONFIG)
    experiment(lab, LIVE, TRIAL, CONFIG.replace("0.03\n", "0.8\n"))
    sf("sweep", "rates", "--tpe", "14", *RATES, "--jobs", "2", cwd=lab)
    grid = ["--grid", "optimizer=adamw,sgd,lion", "--grid", "learning_rate=1e-4,3e-4,3e-3"]
    sf("sweep", "optimizers", *grid, "--metric", "train/loss", "--jobs", "2", cwd=lab)
    sf("sweep", LIVE, "--tpe", "60", *RATES, cwd=lab)
    for name, trials in (("rates", 14), ("optimizers", 9), (LIVE, 4)):
        while over(sf, name) < trials:
            time.sleep(1)


def fill(lab: Path, sf: Sf) -> None:
    """Fill a new lab and the server; a pipeline and a sweep still run at the end."""
    sf("init", str(lab))
    fill_pipelines(lab, sf)
    fill_sweeps(lab, sf)
    sf("pipeline", "run", ENDLESS, cwd=lab)


def stop(sf: Sf) -> None:
    """Stop what still runs; no process of it is left."""
    sf("sweep", "stop", LIVE, may_fail=True)
    sf("pipeline", "stop", ENDLESS, may_fail=True)
    states = ("queued", "starting", "running", "stopping")
    asked = [part for state in states for part in ("--state", state)]
    left = json.loads(sf("job", "ls", *asked, "--json"))
    mine = [one["id"] for one in left if one["name"].startswith((LIVE, ENDLESS))]
    if mine:
        sf("job", "stop", "--force", "--wait", *mine, may_fail=True)

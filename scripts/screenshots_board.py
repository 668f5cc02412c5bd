"""Scores for `make screenshots`: two small models measured in earnest, and scores of others."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from starforge.home import starforge_home
from starforge.runtimes import detect_device, find

ROOT = Path(__file__).resolve().parent.parent
Sf = Callable[..., str]

OTHERS = {
    "source": "https://example.org/report",
    "date": "2026-01-31",
    "scores": [
        {"model": "example/Small-1B", "benchmark": "gsm8k", "metric": "exact_match",
         "value": 0.47, "stderr": 0.014, "items": 1319, "settings": {"few_shot": 8}},
        {"model": "example/Large-70B", "benchmark": "gsm8k", "metric": "exact_match",
         "value": 0.93, "items": 1319},
        {"model": "example/Large-70B", "benchmark": "mmlu", "metric": "acc", "value": 0.82,
         "source": "Table 3 of the model card"},
    ],
}  # fmt: skip


def fill(folder: Path, sf: Sf, trained: str | None) -> None:
    """Score the models ``base`` and ``tuned`` and that of a job; some more than once.

    Without the runtime `evalkit` the board has scores of others only.
    """
    others = folder / "others.yaml"
    others.write_text(json.dumps(OTHERS), "utf-8")
    sf("board", "add", str(others))
    runtime = find(starforge_home(), "evalkit", detect_device())
    if runtime is None:
        print("no pictures of scores: `sf runtime install evalkit` builds what they need")
        return
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    from bench_support import make_models, write_lab

    models = make_models(str(runtime.python), folder / "models")
    lab = write_lab(folder / "bench")
    for name in ("base", "tuned"):
        sf("model", "add", name, str(models / name))
    asked = [
        ("model:base", "-b", "echo", "-b", "basics", "--limit", "40"),
        ("model:tuned", "-b", "echo", "-b", "basics", "--limit", "40"),
        ("model:base", "-b", "echo", "--set", "temperature=0.2", "--repeats", "3"),
    ]
    if trained:
        asked.append((f"job:{trained}", "-b", "basics", "--limit", "40"))
    for model, *more in asked:
        plain = ("--set", "apply_chat_template=false", "--json")
        found = json.loads(sf("bench", "run", model, *plain, *more, cwd=lab))
        for job in found if isinstance(found, list) else [found]:
            sf("job", "wait", job["id"])

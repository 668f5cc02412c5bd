"""Jobs of TRL methods: ``sf new``'s experiment with changes, run by the real driver."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from job_support import Job

from starforge.catalog.load import load_catalog
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare
from starforge.streams import decode_scalars

TINY = "starforge:tiny"


class Trial:
    """One experiment of a method, as ``sf new`` makes it, below ``root``."""

    def __init__(self, root: Path, method: str) -> None:
        init_lab(root / "lab")
        catalog = load_catalog()
        recipe = catalog.recipe(method)
        self.root = root
        self.folder = new_experiment(Lab(root / "lab"), "try", recipe, catalog, lang="en")

    def write_rows(self, rows: list[dict[str, Any]], split: str = "train") -> None:
        """Replace the rows of a split; validation data is also named in experiment.yaml."""
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (self.folder / "data" / f"{split}.jsonl").write_text(text, "utf-8")
        if split == "validation":
            self.edit("  # validation: data", "  validation: data")

    def read_rows(self) -> list[dict[str, Any]]:
        """Return the sample rows."""
        lines = (self.folder / "data" / "train.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def edit(self, old: str, new: str) -> None:
        """Change a piece of experiment.yaml."""
        file = self.folder / "experiment.yaml"
        text = file.read_text("utf-8")
        assert old in text
        file.write_text(text.replace(old, new), "utf-8")

    def job(self, *sets: str, name: str = "job") -> Job:
        """Return a job of the experiment with some settings."""
        prepared = prepare(self.folder, sets=sets)
        assert prepared.plan and prepared.context, prepared.findings
        return Job(self.root / name, prepared.plan, prepared.context)


def scalars(job: Job, attempt: int = 0) -> dict[str, list[tuple[int, float]]]:
    """Return all curves of an attempt, by upstream's names."""
    series: dict[str, list[tuple[int, float]]] = {}
    for file in (job.attempt(attempt) / "tensorboard").glob("events.out.tfevents.*"):
        for name, found in decode_scalars("tensorboard", file.read_bytes()).series.items():
            series.setdefault(name, []).extend(zip(found.steps, found.values, strict=True))
    return series


def wait_for(there: Path, process: Any, seconds: float = 120) -> None:
    """Wait until a file is there, or fail with what the process wrote before it ended."""
    deadline = time.monotonic() + seconds
    while not there.exists():
        assert process.poll() is None, process.stdout.read()
        assert time.monotonic() < deadline, f"{there.name} is not written"
        time.sleep(0.02)

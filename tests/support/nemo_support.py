"""Experiments of NeMo-RL methods, as their author would write them."""

import json
from pathlib import Path

from starforge.catalog.load import load_catalog
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare

METHODS = [name for name in load_catalog().names() if name.startswith("nemo-rl/")]


class Experiment:
    """A fresh experiment of a method, and what `prepare` says of it after changes."""

    def __init__(self, folder: Path, method: str) -> None:
        if not (folder / "starforge.yaml").exists():
            init_lab(folder, "en")
        catalog = load_catalog()
        name = method.replace("/", "-")
        self.folder = new_experiment(Lab(folder), name, catalog.recipe(method), catalog, lang="en")

    def write(self, name: str, text: str) -> "Experiment":
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return self

    def replace(self, old: str, new: str) -> "Experiment":
        text = (self.folder / "experiment.yaml").read_text("utf-8")
        assert old in text
        return self.write("experiment.yaml", text.replace(old, new))

    def rows(self, *rows: dict, split: str = "train") -> "Experiment":
        return self.write(f"data/{split}.jsonl", "".join(json.dumps(r) + "\n" for r in rows))

    def prepare(self, *sets: str, profile: str | None = None):
        return prepare(self.folder, sets=list(sets), profile=profile)

    def codes(self, *sets: str, profile: str | None = None) -> list[str]:
        found = self.prepare(*sets, profile=profile).findings
        return sorted(one.code for one in found if one.severity == "error")

    def plan(self, *sets: str, profile: str | None = None):
        made = self.prepare(*sets, profile=profile)
        assert made.plan is not None, [one.message.en for one in made.findings]
        return made.plan

"""Plan → upstream's command → import: the same values reach upstream again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from starforge import frameworks
from starforge.catalog.load import load_catalog
from starforge.convert.importing.model import Upstream
from starforge.convert.importing.source import from_argv
from starforge.convert.importing.write import Imported, assemble, write
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab
from starforge.prepare import Prepared, prepare
from starforge.proofs.cases import Case, cases_of

CATALOG = load_catalog()
SCORE = """\
def compute_score(data_source, solution_str, ground_truth, extra_info=None, **options):
    return 1.0

def reward_func(*args, completions=None, **columns):
    return [0.0] * len(completions if completions is not None else args[0])
"""
# What the plan of a CPU job sets and a method on GPUs owns; what grpo-lora pins and grpo not.
ELSEWHERE = {"vllm.sync_backend", "checkpointing.save_consolidated"}
TRL_ENTRY = {"rm": "reward", "opsd": "distillation"}
# OPSD runs in a driver of ours: there is no launch of it upstream.
METHODS = [
    name for name in CATALOG.names()
    if name.startswith(("verl/", "openrlhf/", "trl/", "nemo-rl/")) and name != "nemo-rl/opsd"
]  # fmt: skip


class Trip:
    """One lab with the cases of a method, and one to import into."""

    def __init__(self, method: str, work: Path) -> None:
        self.method = method
        self.work = work
        self.cases = cases_of(CATALOG, method, work / "from")
        init_lab(work / "to")
        self.lab = Lab(root=work / "to")
        self.train = work / "from/experiments/proof/data/train.jsonl"
        (work / "score.py").write_text(SCORE, "utf-8")

    def imported(self, case: Case, number: int) -> tuple[Imported, Prepared]:
        """Return a case's plan imported as an experiment, and that one prepared."""
        upstream = self.read(case)
        imported = assemble(upstream, CATALOG, self.lab.root)
        folder = write(imported, upstream, self.lab, f"n{number}", CATALOG,
                       description="imported", runtime={})  # fmt: skip
        return imported, prepare(folder, catalog=CATALOG)

    def read(self, case: Case) -> Upstream:
        framework = self.method.partition("/")[0]
        if framework == "trl":
            return self._trl(case)
        if framework == "nemo-rl":
            return self._nemo(case)
        words = [self._filled(word) for word in case.processes[0]]
        return from_argv(words, self.work, CATALOG)

    def _filled(self, word: str) -> str:
        places = {
            r"\$\{ATTEMPT\}/data/(train|validation)\.(parquet|jsonl)": str(self.train),
            r"\$\{oc\.env:STARFORGE_ATTEMPT_DIR\}/data/train\.jsonl": str(self.train),
            r"\$\{oc\.env:STARFORGE_CODE\}/reward\.py": str(self.train.parents[1] / "reward.py"),
            r"\$\{RECORD\}/driver/\w+_reward\.py": str(self.work / "score.py"),
            r"\$\{(MODEL|TEACHER|oc\.env:STARFORGE_(MODEL|TEACHER))\}": "starforge:tiny",
        }
        for pattern, value in places.items():
            word = re.sub(f"'?{pattern}'?", value, word)
        return word

    def _trl(self, case: Case) -> Upstream:
        config = json.loads(case.files["record/config.json"])["config"]
        config["model_name_or_path"] = "starforge:tiny"
        config["datasets"] = [{"path": "json", "data_files": str(self.train)}]
        recipe = CATALOG.recipe(self.method)
        if recipe.reward != "none":
            config["reward_funcs"] = ["score.reward_func"]
        if recipe.teacher != "none":
            config["teacher_model_name_or_path"] = "starforge:tiny"
        (self.work / "x.yaml").write_text(yaml.safe_dump(config), "utf-8")
        entry = TRL_ENTRY.get(recipe.algorithm, recipe.algorithm)
        return from_argv(["trl", entry, "--config", "x.yaml"], self.work, CATALOG)

    def _nemo(self, case: Case) -> Upstream:
        text = self._filled(case.files["record/config.yaml"])
        (self.work / "x.yaml").write_text(text, "utf-8")
        script = str(CATALOG.recipe(self.method).entry.module)
        return from_argv(["uv", "run", script, "--config", "x.yaml"], self.work, CATALOG)


def values_of(prepared: Prepared) -> dict[str, Any]:
    """Return the values that reach upstream, whether or not the checks are content."""
    assert prepared.context is not None
    assert prepared.recipe is not None
    plan = frameworks.get(prepared.recipe.framework).plan(prepared.context)
    return prepared.context.config.values | {one.path: one.value for one in plan.differs}


def differences(case: Case, prepared: Prepared) -> Iterator[str]:
    """Yield what upstream would get otherwise than from the original plan."""
    got = values_of(prepared)
    for path, expected in case.expect.items():
        if path not in ELSEWHERE and got.get(path) != expected:
            yield f"{case.name}: {path}: {expected!r} became {got.get(path)!r}"


@pytest.mark.parametrize("method", METHODS)
def test_the_values_of_every_plan_come_back(method: str, tmp_path: Path) -> None:
    trip = Trip(method, tmp_path)
    wrong: list[str] = []
    for number, case in enumerate(trip.cases):
        imported, prepared = trip.imported(case, number)
        with_lora = case.expect.get("policy.dtensor_cfg.lora_cfg.enabled") is True
        expected = f"{method}-lora" if method == "nemo-rl/grpo" and with_lora else method
        assert imported.recipe.name == expected, case.name
        wrong += differences(case, prepared)
        refused = [f.code for f in prepared.findings if f.code.startswith("config/")]
        assert not refused, f"{case.name}: {refused}"
        if number == 0:
            errors = [f.message.en for f in prepared.findings if f.severity == "error"]
            assert not errors, f"{case.name}: {errors}"
    assert not wrong, "\n".join(wrong)
    assert len(trip.cases) > 1

"""The stored contract of evalkit against the real lm-eval and evalscope."""

import json
import subprocess
from pathlib import Path

import pytest

import starforge.frameworks
from starforge.catalog import load as catalog_load
from starforge.evals import bundled

pytestmark = pytest.mark.upstream
SCRIPT = Path(starforge.frameworks.__file__).parent / "evalkit" / "contract.py"

TASKS = """
import json, sys
from lm_eval.tasks import TaskManager
manager = TaskManager()
wanted = json.load(sys.stdin)
known = set(manager.all_tasks)
json.dump({name: name in known for name in wanted}, sys.stdout)
"""


def test_the_stored_contract_is_what_the_package_says(evalkit_python):
    done = subprocess.run([evalkit_python, str(SCRIPT)], capture_output=True, text=True, check=True)
    stored = (catalog_load.DATA / "contracts" / "evalkit-1.1.0.json").read_text("utf-8")
    assert json.loads(done.stdout) == json.loads(stored)
    assert done.stdout == stored


def test_every_hub_task_of_the_packs_is_one_of_lm_evals_own(evalkit_python):
    tasks = [pack.hub.task for pack in bundled().values() if pack.hub]
    done = subprocess.run(
        [evalkit_python, "-c", TASKS], input=json.dumps(tasks), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == dict.fromkeys(tasks, True)


def test_versions_and_metrics_of_hub_packs_are_those_of_the_harness(evalkit_python):
    """A pack's version is its task's: an upgrade of lm-eval that changes one is noticed."""
    probe = """
import json, sys
import lm_eval
from pathlib import Path
import yaml
class Loader(yaml.SafeLoader): pass
Loader.add_constructor("!function", lambda loader, node: node.value)
root = Path(lm_eval.__file__).parent / "tasks"
found = {}
for name in json.load(sys.stdin):
    for path in root.rglob("*.yaml"):
        text = path.read_text("utf-8")
        if f": {name}\\n" in text:
            raw = yaml.load(text, Loader)
            if name in (raw.get("task"), raw.get("group")):
                found[name] = str((raw.get("metadata") or {}).get("version"))
json.dump(found, sys.stdout)
"""
    packs = {pack.hub.task: pack.version for pack in bundled().values() if pack.hub}
    done = subprocess.run(
        [evalkit_python, "-c", probe], input=json.dumps(list(packs)), capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert {name: float(version) for name, version in found.items()} == {
        name: float(version) for name, version in packs.items()
    }


def test_evalscope_has_the_benchmarks_of_the_packs_and_they_load_what_is_said(evalkit_python):
    packs = {pack.evalscope.dataset: pack.evalscope.hub for pack in bundled().values()
             if pack.evalscope and pack.evalscope.dataset}  # fmt: skip
    probe = """
import json, sys
from evalscope.api.registry import BENCHMARK_REGISTRY
json.dump({name: BENCHMARK_REGISTRY.lookup(name).dataset_id for name in json.load(sys.stdin)},
          sys.stdout)
"""
    done = subprocess.run(
        [evalkit_python, "-c", probe], input=json.dumps(list(packs)), capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == packs

"""The stored contract and the published parameters against the real TRL."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import starforge.frameworks
from starforge.catalog import load as catalog_load
from starforge.catalog.load import load_catalog
from starforge.catalog.models import Parameter

pytestmark = pytest.mark.upstream
FRAMEWORKS = Path(starforge.frameworks.__file__).parent

# Settings that upstream accepts only together with others.
COMPANIONS: dict[str, dict[str, Any]] = {
    "save_best": {"eval_strategy": "steps", "eval_steps": 100, "save_steps": 100},
    "validation_strategy": {"eval_steps": 10},
}
PROBE = """
import json, sys
sys.path[:0] = sys.argv[1:3]
import trl_model
from trl import SFTConfig
cases, arrived = json.load(sys.stdin), {}
for name, (path, config) in cases.items():
    training, model = trl_model.build_configs(config, SFTConfig)
    value = getattr(training if hasattr(training, path) else model, path)
    arrived[name] = getattr(value, "value", value)
json.dump(arrived, sys.stdout)
"""


def test_the_stored_contract_is_what_the_package_says(trl_python):
    script = FRAMEWORKS / "trl" / "contract.py"
    done = subprocess.run([trl_python, str(script)], capture_output=True, text=True, check=True)
    stored = (catalog_load.DATA / "contracts" / "trl-1.10.0.json").read_text("utf-8")
    assert json.loads(done.stdout) == json.loads(stored)
    assert done.stdout == stored  # the same bytes: extraction is deterministic


def another(parameter: Parameter) -> Any:
    """Return a valid value of a parameter that is not its upstream default."""
    default = parameter.upstream_default
    if parameter.choices:
        return next(c for c in parameter.choices if c not in (default, parameter.default))
    if "bool" in parameter.type:
        return not default
    if parameter.type.startswith("list"):
        return ["q_proj", "v_proj"]
    if "int" in parameter.type:
        return (default or 2) + 3
    if "float" in parameter.type:
        return (default or 0.25) * 0.5
    return {"attention": "eager", "chat_template": "template.jinja"}[parameter.name]


def test_every_published_parameter_arrives(trl_python, tmp_path):
    recipe = load_catalog().recipe("trl/sft")
    cases, wanted = {}, {}
    for parameter in recipe.parameters:
        value = another(parameter)
        assert value != parameter.upstream_default, parameter.name
        config = {"output_dir": str(tmp_path), **COMPANIONS.get(parameter.name, {})}
        cases[parameter.name] = (parameter.path, config | {parameter.path: value})
        wanted[parameter.name] = value
    for pin in recipe.pins:
        if not pin.keep and "${" not in str(pin.value):
            config = {"output_dir": str(tmp_path), pin.path: pin.value}
            cases[pin.path], wanted[pin.path] = (pin.path, config), pin.value
    wanted["report_to"] = ["tensorboard"]  # upstream makes a list of it
    folders = [str(FRAMEWORKS / "trl" / "drivers"), str(FRAMEWORKS / "_drivers")]
    done = subprocess.run(
        [trl_python, "-c", PROBE, *folders], input=json.dumps(cases), capture_output=True,
        text=True, check=False, env={"PYTHONPATH": str(FRAMEWORKS.parents[1]), "PATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == wanted

"""The stored contract of verl is what the pinned package says."""

import json
import subprocess
from importlib import resources
from pathlib import Path

import pytest

import starforge.frameworks.verl as package

pytestmark = pytest.mark.upstream
STORED = resources.files("starforge.catalog") / "data" / "contracts" / "verl-0.9.0.json"


def test_the_contract_is_what_the_installed_verl_accepts(verl_python):
    script = Path(package.__file__).parent / "contract.py"
    done = subprocess.run(
        [verl_python, str(script)], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == json.loads(STORED.read_text("utf-8"))


def test_hydra_reads_back_every_value_as_it_was_written(verl_python):
    from starforge.frameworks.verl.hydra_args import spell

    values = [
        None, True, False, 3, -1, 1e-06, 2.0, 1e16, "", "vllm", "token-mean", "0.5_5.0", "5e-7",
        "true", "Null", "nan", "12", "a,b", "[x]", "{a:1}", "a b", " edge ", "中文", "k=v", "it's",
        '"both" it\'s', "a\\b", "a\\'b", "end\\", "'", "\\\\'", "#no", "@x", "a: b", "line\nbreak",
        ["console", "file"], [0.9, 0.95], [], ["it's", "a,b"], {"a": 1, "b": {"c": "x y"}},
        {"a:b": 1, "with space": None}, [{"deep": ["x,y", None]}],
    ]  # fmt: skip
    code = (
        "import json, sys\n"
        "from hydra.core.override_parser.overrides_parser import OverridesParser\n"
        "parser = OverridesParser.create()\n"
        "print(json.dumps([parser.parse_override(w).value() for w in json.load(sys.stdin)]))\n"
    )
    words = [f"key={spell(value)}" for value in values]
    done = subprocess.run(
        [verl_python, "-c", code], input=json.dumps(words), capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == values

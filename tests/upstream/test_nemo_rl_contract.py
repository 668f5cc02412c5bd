"""The stored contract, and our reading of its files, against a checkout of the real NeMo-RL."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import starforge.frameworks
from starforge.catalog import load as catalog_load
from starforge.catalog.load import load_catalog
from starforge.lab.document import load_document
from starforge.lab.experiment import CONFIG_FILE, load_experiment
from starforge.lab.inherit import inherit

pytestmark = pytest.mark.upstream
OURS = Path(starforge.frameworks.__file__).parent / "nemo_rl"
STORED = catalog_load.DATA / "contracts" / "nemo-rl-0.7.0.json"
COMPOSE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import stand_ins
from pathlib import Path
stand_ins.prepare(Path(sys.argv[2]))
from nemo_rl.utils.config import load_config, register_omegaconf_resolvers
from omegaconf import OmegaConf
register_omegaconf_resolvers()
composed = OmegaConf.to_container(load_config(sys.argv[3]), resolve=False)
print(json.dumps(composed))
"""


def test_the_stored_contract_is_what_the_checkout_says(verl_python, nemo_rl_src):
    script = [verl_python, str(OURS / "contract.py"), str(nemo_rl_src)]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    assert done.stdout == STORED.read_text("utf-8")


CHAINS = [
    {"config.yaml": "grpo: {num_prompts_per_step: 4}\n"},
    {
        "config.yaml": "defaults: [one.yaml, more/two.yaml]\ngrpo: {seed: 3}\n",
        "one.yaml": "loss_fn: {ratio_clip_min: 0.1, ratio_clip_max: 0.1}\n",
        "more/two.yaml": "defaults: three.yaml\nloss_fn: {ratio_clip_max: 0.2}\n",
        "more/three.yaml": "loss_fn: {ratio_clip_min: 0.3, ratio_clip_max: 0.3}\n",
    },
    {
        "config.yaml": "defaults: one.yaml\nloss_fn: {_override_: true, ratio_clip_c: 3}\n",
        "one.yaml": "loss_fn: {ratio_clip_min: 0.1}\ngrpo: {seed: 1}\n",
    },
    {
        "config.yaml": "defaults: [one.yaml, two.yaml]\n",
        "one.yaml": "loss_fn: {ratio_clip_min: 0.1}\n",
        "two.yaml": "loss_fn: {_override_: true, ratio_clip_max: 0.2}\n",
    },
    {
        "config.yaml": "defaults: [one.yaml, two.yaml]\n",
        "one.yaml": "loss_fn: {ratio_clip_min: 0.1}\n",
        "two.yaml": "defaults: three.yaml\nloss_fn: {ratio_clip_max: 0.2}\n",
        "three.yaml": "loss_fn: {_override_: true, ratio_clip_c: 3}\n",
    },
    {"config.yaml": "data: {validation: null}\nenv: {math: null}\n"},
]


@pytest.mark.parametrize("files", CHAINS)
def test_inheritance_comes_to_what_upstream_composes(verl_python, nemo_rl_src, tmp_path, files):
    """The same files, with upstream's defaults named as their first parent for upstream."""
    catalog = load_catalog()
    contract = catalog.contract(catalog.recipe("nemo-rl/grpo")).configs["grpo"]
    for place in ("ours", "theirs"):
        for name, text in {"experiment.yaml": "method: nemo-rl/grpo\n", **files}.items():
            path = tmp_path / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    # What lies lowest on the left starts from the defaults.
    lowest = "one.yaml" if "one.yaml" in files else "config.yaml"
    path = tmp_path / "theirs" / lowest
    path.write_text(f"defaults: {nemo_rl_src / str(contract.base)}\n{path.read_text('utf-8')}")
    done = subprocess.run(
        [verl_python, "-c", COMPOSE, str(OURS), str(nemo_rl_src),
         str(tmp_path / "theirs" / CONFIG_FILE)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    theirs = json.loads(done.stdout.splitlines()[-1])
    experiment, _ = load_experiment(tmp_path / "ours")
    document, _ = load_document(tmp_path / "ours" / CONFIG_FILE, CONFIG_FILE)
    found, findings = inherit(experiment, document, contract.base, set(contract.keys))
    assert not findings
    values = {
        path: key.default for path, key in contract.keys.items()
        if not key.added and path.partition(".")[0] not in found.dropped
    }  # fmt: skip
    for path, one in found.values.items():
        values = {p: v for p, v in values.items() if not p.startswith(path + ".")}
        values[path] = one.value
    whole = {"data.train", "data.validation", "data.default"}
    assert values == flat(theirs, whole)


def flat(node, whole, prefix=""):
    leaves = {}
    for name, value in node.items():
        path = f"{prefix}{name}"
        if isinstance(value, dict) and value and path not in whole:
            leaves |= flat(value, whole, f"{path}.")
        else:
            leaves[path] = value
    return leaves


@pytest.fixture(scope="module")
def ran(verl_python, nemo_rl_src, tmp_path_factory):
    """What the probe saw: our drivers inside the real NeMo-RL, on a CPU."""
    work = tmp_path_factory.mktemp("nemo")
    shared, package = OURS.parent / "_drivers", Path(starforge.__file__).parents[1]
    paths = [package, OURS / "drivers", shared, nemo_rl_src]
    env = dict(os.environ) | {
        "PYTHONPATH": os.pathsep.join(map(str, paths)), "OMP_NUM_THREADS": "1",
        "RAY_USAGE_STATS_ENABLED": "0", "HF_HUB_OFFLINE": "1",
    }  # fmt: skip
    probe = Path(__file__).parent / "probes" / "nemo_rl_cpu.py"
    command = [verl_python, str(probe), str(nemo_rl_src), str(OURS), str(shared), str(work)]
    # Paths of Ray's sockets must be short.
    with tempfile.TemporaryDirectory(prefix="sf-test-", dir="/tmp") as folder:
        env["RAY_TMPDIR"] = folder
        done = subprocess.run(
            command, env=env, cwd=work, capture_output=True, text=True, check=False, timeout=280
        )
    assert done.returncode == 0, done.stderr[-3000:]
    sys.stderr.write(done.stderr[-500:])
    return json.loads(done.stdout.splitlines()[-1])


def test_the_loggers_hooks(ran):
    assert {name: ran["progress"][name] for name in ("step", "total")} == {"step": 3, "total": 8}
    assert [(s["prompt"], s["completion"], s["reward"], s["length"]) for s in ran["samples"]] == [
        ("q1", "a1", 1.0, 1), ("q2", "a2", 0.0, 1),
    ]  # fmt: skip
    assert ran["curves"] == 1


def test_maxrl_in_upstreams_trainers(ran):
    assert ran["maxrl_everywhere"]
    assert ran["maxrl_shape"] == [16, 5]
    assert ran["maxrl"] == pytest.approx([7.0, -1.0, 1 / 7, -1.0])


def test_opsd_gives_each_position_what_the_teacher_says_of_its_token(ran):
    assert ran["opsd_installed"]
    shape, wanted = ran["opsd_shape"]
    assert shape == wanted
    assert ran["opsd_same_tokens"]
    assert ran["opsd_gap"] < 1e-5
    loss, gradient = ran["opsd_loss"]
    assert loss > 0
    assert gradient > 0


def test_rows_go_through_upstreams_pipelines(ran):
    assert "good" in ran["chosen"]
    assert "bad" in ran["rejected"]
    assert ran["sft_roles"] == ["user", "assistant"]
    assert ran["sft_weight"] == 1.0
    assert "2 + 2?" in ran["prompt"]
    assert ran["tokens_match"]


def test_rewards_come_from_an_actor_on_a_ray_of_the_jobs_own(ran):
    assert ran["rewards"] == [1.0, 0.0]
    assert ran["done"] == [1.0, 1.0]
    assert ran["parts"] == [{"right": 1.0}, {"right": 0.0}]
    assert ran["ground_truth"] == ["4", "6"]
    assert ran["ray_nodes"] == 1
    assert ran["ray_tagged"]

"""The stored contract, and what `no_std_norm` means, against the real OpenRLHF."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import starforge.frameworks
from starforge.catalog import load as catalog_load
from starforge.catalog.load import load_catalog
from starforge.proofs.cases import cases_of
from starforge.proofs.run import prove

pytestmark = pytest.mark.upstream
FRAMEWORK = Path(starforge.frameworks.__file__).parent / "openrlhf"

# Advantages of eight completions in two groups, from upstream's own code, on a CPU.
ADVANTAGES = """
import json, sys, torch
from types import SimpleNamespace as N
from openrlhf.trainer.ppo_utils.experience_maker import RemoteExperienceMaker as Maker

def advantages(estimator, no_std_norm):
    advantage = N(estimator=estimator, no_std_norm=no_std_norm, gamma=1.0, lambd=1.0)
    args = N(
        algo=N(advantage=advantage), rollout=N(n_samples_per_prompt=4, max_new_tokens=None),
        reward=N(clip_range=(-10, 10), overlong_buffer_len=None, stop_properly_penalty_coef=None),
        data=N(max_len=64),
    )
    maker = Maker(None, None, None, None, N(value=0.0), N(args=args), None)
    rewards = torch.tensor([1.0, 0, 0, 0, 1, 1, 1, 0])
    experience = N(
        index=list(range(8)), rewards=rewards, info={"reward": rewards}, values=None,
        action_mask=torch.ones(8, 1), kl=torch.zeros(8, 1), response_length=torch.ones(8),
        truncated=None,
    )
    (made,) = maker.compute_advantages_and_returns([experience])
    return [round(value, 4) for value in made.advantages.flatten().tolist()]

json.dump({f"{e} {n}": advantages(e, n) for e in ("group_norm", "dr_grpo", "reinforce_baseline")
           for n in (False, True)}, sys.stdout)
"""


def test_the_stored_contract_is_what_the_package_says(openrlhf_python):
    script = FRAMEWORK / "contract.py"
    done = subprocess.run(
        [openrlhf_python, str(script)], capture_output=True, text=True, check=True
    )
    stored = (catalog_load.DATA / "contracts" / "openrlhf-0.11.0.json").read_text("utf-8")
    assert done.stdout == stored  # the same bytes: extraction is deterministic


@pytest.mark.parametrize("name", ["sft", "dpo", "rm", "grpo", "ppo", "reinforce-baseline"])
def test_upstreams_parser_reads_the_plans_as_meant(openrlhf_python, name, tmp_path):
    cases = cases_of(load_catalog(), f"openrlhf/{name}", tmp_path / "lab")
    outcomes = prove("openrlhf", cases, Path(openrlhf_python))
    assert len(outcomes) == len(cases) > 2
    assert [(one.name, one.problems) for one in outcomes if not one.ok] == []
    assert all(one.checked > 5 for one in outcomes)


def test_the_proof_finds_what_is_wrong(openrlhf_python, tmp_path):
    """A proof that accepts everything would prove nothing."""
    case = cases_of(load_catalog(), "openrlhf/grpo", tmp_path / "lab")[0]
    argv = case.processes[0]

    def outcome(words, **expect):
        made = type(case)(name=case.name, method=case.method, processes=[words], files={},
                          expect=case.expect | expect)  # fmt: skip
        return prove("openrlhf", [made], Path(openrlhf_python))[0]

    assert outcome(argv).ok
    assert not outcome(argv, **{"rollout.batch_size": 5}).ok
    assert "unrecognized" in outcome([*argv, "--rollout.batchsize", "4"]).problems[0]
    group = argv.index("--rollout.n_samples_per_prompt") + 1
    single = [*argv[:group], "1", *argv[group + 1 :]]
    said = outcome(single, **{"rollout.n_samples_per_prompt": 1}).problems
    assert any("n_samples_per_prompt > 1" in one for one in said)  # upstream's own assertion


def test_no_std_norm_alone_does_nothing_and_dr_grpo_does(openrlhf_python):
    """The reason why the plan turns `no_std_norm` of openrlhf/grpo into the estimator dr_grpo."""
    env = os.environ | {
        "PYTHONPATH": str(FRAMEWORK / "drivers" / "cpu"), "STARFORGE_OPENRLHF_CPU": "1",
        "DS_ACCELERATOR": "cpu", "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    done = subprocess.run([openrlhf_python, "-c", ADVANTAGES], capture_output=True, text=True,
                          check=False, env=env)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.strip().splitlines()[-1])
    divided = [1.5, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5, -1.5]
    plain = [0.75, -0.25, -0.25, -0.25, 0.25, 0.25, 0.25, -0.75]
    assert found["group_norm False"] == found["group_norm True"] == divided
    assert found["dr_grpo False"] == found["dr_grpo True"] == plain
    assert found["reinforce_baseline True"] == plain
    assert found["reinforce_baseline False"][:2] == [1.7321, -0.5774]

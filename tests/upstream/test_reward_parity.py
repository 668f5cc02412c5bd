"""The same rows and completions get the same rewards through each framework's adapter."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import starforge.frameworks
from starforge import layout

pytestmark = pytest.mark.upstream

FRAMEWORKS = Path(starforge.frameworks.__file__).parent
PROBE = Path(__file__).parent / "probes" / "reward_parity.py"
REWARD = """
import re
from starforge.rewards import (
    code, formats, gym, length, math_equal, numeric, overlong, weighted,
)

async def reward(prompts, completions, answer, tests, metadata, level=None, **more):
    assert all(isinstance(prompt, list) for prompt in prompts)
    assert set(more) == {"meta text"}
    known = [one if one is not None else -1 for one in level]
    return weighted(
        number=(numeric(completions, answer), 1.0),
        equal=(math_equal(completions, answer), 0.5),
        gym=(gym(completions, answer, metadata, prompts=prompts), 0.25),
        format=(formats(completions), 0.1),
        short=(overlong(completions, 60, 30), 1.0),
        length=length(completions, at_most=10),
        code=(code(completions, tests, workers=2), 2.0),
        level=(known, 0.01),
    )
"""


def row(number: int, completions: list[str], **more):
    left, right = number + 2, 3 * number
    return {
        "prompt": [{"role": "user", "content": f'计算 {left} + {right}。\n用 "标签" 回答。'}],
        "answer": str(left + right),
        "tests": [f"assert f() == {left + right}"],
        "metadata": {"source_dataset": "basic_arithmetic", "difficulty": {"num_terms": [2, 6]}},
        "meta text": "ü",
        "completions": completions,
        **more,
    }


ROWS = [
    row(1, ["6", "答案是 6。", "", "<think>a</think><answer>6</answer>"], level=3),
    row(2, ["\\boxed{\\frac{20}{2}}", "10.0", "```python\ndef f(): return 10\n```"]),
    row(3, ["x" * 50, "  14 \n", "emoji 🙂 14", "14 <b> 15"], level=0.5),
]


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    """Return a function that scores the rows with a reward file in a framework's adapter."""
    folder = tmp_path_factory.mktemp("parity")
    for name, text in {"__init__.py": "", **layout.library_sources()}.items():
        path = folder / "lib" / "starforge" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "rows.jsonl").write_text(
        "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in ROWS), "utf-8"
    )

    def probe(python: str, framework: str, reward: str = REWARD):
        attempt = tmp_path_factory.mktemp(framework)
        (attempt / "reward.py").write_text(reward, "utf-8")
        argv = [python, str(PROBE), framework, str(FRAMEWORKS / framework / "drivers"),
                str(FRAMEWORKS / "_drivers"), str(attempt / "reward.py"),
                str(folder / "rows.jsonl")]  # fmt: skip
        env = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(folder / "lib"),
            "STARFORGE_ATTEMPT_DIR": str(attempt), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1",
            "TMPDIR": str(attempt),
        }  # fmt: skip
        done = subprocess.run(
            argv, capture_output=True, text=True, check=False, env=env, timeout=240
        )
        return done, attempt

    return probe


@pytest.fixture(scope="module")
def score(probe):
    def score(python: str, framework: str):
        done, _ = probe(python, framework)
        assert done.returncode == 0, done.stderr[-4000:]
        return json.loads(done.stdout.splitlines()[-1])

    return score


@pytest.fixture(scope="module")
def by_trl(score, trl_python):
    return score(trl_python, "trl")


def test_trl_gives_what_the_file_says(by_trl):
    first = by_trl[0]
    assert first["parts"] == {
        "number": 1, "equal": 1, "gym": 1, "format": 0, "short": 0, "length": 1, "code": 0,
        "level": 3,
    }  # fmt: skip
    assert first["total"] == pytest.approx(1 + 0.5 + 0.25 + 1 + 0.03)
    numbers = [one["parts"]["number"] for one in by_trl]
    assert numbers == [1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0]
    assert by_trl[3]["parts"]["format"] == by_trl[4]["parts"]["equal"] == 1
    assert by_trl[6]["parts"]["code"] == 1
    assert by_trl[7]["parts"]["short"] == pytest.approx(-2 / 3)


def test_verl_gives_the_same(score, verl_python, by_trl):
    assert score(verl_python, "verl") == by_trl


def test_openrlhf_gives_the_same(score, openrlhf_python, by_trl):
    assert score(openrlhf_python, "openrlhf") == by_trl


def test_nemo_rl_gives_the_same(score, verl_python, by_trl):
    assert score(verl_python, "nemo_rl") == by_trl


FAILS = "def reward(prompts, completions):\n    raise ValueError('no answer like this')\n"


@pytest.mark.parametrize(
    ("framework", "runtime"),
    [("verl", "verl_python"), ("openrlhf", "openrlhf_python"), ("nemo_rl", "verl_python")],
)
def test_where_upstream_swallows_the_reason_it_is_kept(probe, request, framework, runtime):
    done, attempt = probe(request.getfixturevalue(runtime), framework, FAILS)
    assert done.returncode != 0
    kept = (attempt / "reward-error.txt").read_text("utf-8")
    assert kept == "reward.py raised ValueError: no answer like this"

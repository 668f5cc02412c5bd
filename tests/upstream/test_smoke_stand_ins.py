"""A tiny model of each common architecture can be built, and learns."""

import json
import math
import os
import subprocess
from pathlib import Path

import pytest

import starforge.smoke.tiny_config

pytestmark = pytest.mark.upstream

TYPES = ("llama", "qwen2", "qwen3", "qwen3_moe", "gemma2", "gemma3_text", "mistral", "mixtral",
         "phi3", "gpt2", "gpt_neox", "gptj", "opt", "deepseek_v3", "olmo2", "granite", "glm4_moe",
         "gpt_oss", "qwen3_next", "jamba", "falcon", "bloom")  # fmt: skip


def test_every_architecture_is_tiny_and_whole(trl_python):
    probe = Path(__file__).parent / "probes" / "stand_ins.py"
    argv = [trl_python, str(probe), starforge.smoke.tiny_config.__file__, *TYPES]
    env = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(argv, capture_output=True, text=True, env=env, check=False, timeout=280)
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [one["type"] for one in found] == list(TYPES)
    for one in found:
        assert one["vocabulary"] == one["own"], one
        # A loss near that of guessing: nothing is broken inside.
        assert one["loss"] == pytest.approx(math.log(one["vocabulary"]), rel=0.15), one
        assert one["besides"] < 1_000_000, one
        assert one["layers"] <= 3, one

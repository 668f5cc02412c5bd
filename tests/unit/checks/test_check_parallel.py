"""Parallel sizes that don't divide the GPUs: the hint lists those that do."""

import pytest

from starforge.frameworks import get

CHAT = [{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}]
PROMPTS = [{"prompt": f"{i} + 1 = ?", "answer": f"{i + 1}"} for i in range(64)]
REWARD = {"reward.py": "def reward(prompts, completions):\n    return [0.0] * len(completions)\n"}


@pytest.mark.parametrize(
    ("method", "name", "code"),
    [
        ("verl/grpo", "rollout_tensor_parallel", "verl/gpus"),
        ("verl/sft", "sequence_parallel", "verl/gpus"),
        ("nemo-rl/grpo", "rollout_tensor_parallel", "nemo-rl/parallel"),
        ("nemo-rl/sft", "tensor_parallel", "nemo-rl/parallel"),
        ("openrlhf/sft", "tensor_parallel", "openrlhf/sequence-parallel"),
    ],
)
def test_the_sizes_that_fit_are_listed(make_context, method, name, code):
    sft = method.endswith("sft")
    keys = {} if sft else {"reward": "reward.py", "files": REWARD}

    def found(size):
        context = make_context(CHAT * 64 if sft else PROMPTS, method=method, resources="gpu:4",
                               params={name: size}, **keys)  # fmt: skip
        return [f for f in get(context.recipe.framework).checks(context) if f.code == code]

    (finding,) = found(3)
    assert "1, 2, 4" in finding.hint.en
    assert "1、2、4" in finding.hint.zh
    assert name in finding.hint.en
    assert found(2) == []

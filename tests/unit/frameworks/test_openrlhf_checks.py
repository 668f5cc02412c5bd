"""What only the pinned OpenRLHF refuses, changes, or never reads."""

import msgspec
import pytest

from starforge.frameworks import get
from starforge.lab.context import Reward
from starforge.plan import InputRef

SFT = [{"prompt": f"{i} + 1 = ?", "completion": f"{i + 1}"} for i in range(16)]
CHAT = [{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}]
PAIRS = [{"prompt": f"{i}?", "chosen": "yes", "rejected": "no", "margin": 1.0} for i in range(16)]
PROMPTS = [{"prompt": f"{i} + 1 = ?", "answer": f"{i + 1}"} for i in range(16)]
SMALL = {"global_batch_size": 8, "batch_size": 2}
SIZES = {"prompts_per_step": 4, "group_size": 4, "global_batch_size": 16, "batch_size": 2}
REWARD_MODEL = Reward(model=InputRef(name="reward", kind="job", location="abc"))


def codes(context):
    found = get("openrlhf").checks(context)
    for text in [one.message for one in found] + [one.hint for one in found if one.hint]:
        assert "Text(" not in text.en + text.zh
        assert not {"{", "}"} & set((text.en + text.zh).replace("{}", ""))
    return [finding.code for finding in found]


def sft(make_context, train=SFT, method="openrlhf/sft", **keys):
    params = SMALL | keys.pop("params", {})
    return make_context(train, method=method, params=params, **keys)


def rl(make_context, method="openrlhf/grpo", train=PROMPTS, **keys):
    params = SIZES | keys.pop("params", {})
    keys.setdefault("reward", "reward.py")
    return make_context(train, method=method, params=params, **keys)


@pytest.mark.parametrize(
    ("code", "bad", "good"),
    [
        ("batch", {"params": {"batch_size": 3}}, {"params": {"batch_size": 4}}),
        ("batch", {"params": {"batch_size": 4}, "resources": "gpu:4"},
         {"params": {"batch_size": 2}, "resources": "gpu:4"}),
        ("few-rows", {"params": {"global_batch_size": 32}}, {}),
        ("few-rows", {"params": {"max_rows": 4}}, {"params": {"max_rows": 8}}),
        ("zero-steps", {"params": {"save_steps": 0}}, {"params": {"save_steps": -1}}),
        ("no-effect", {"params": {"lora_alpha": 8}},
         {"params": {"lora_alpha": 8, "lora_rank": 4}}),
        ("no-effect", {"params": {"muon_learning_rate": 0.01}},
         {"params": {"muon_learning_rate": 0.01, "optimizer": "muon", "max_grad_norm": 0}}),
        ("muon-norm", {"params": {"optimizer": "muon"}},
         {"params": {"optimizer": "muon", "max_grad_norm": 0}}),
        ("flash-attention",
         {"params": {"sequence_packing": True, "attention": "sdpa"}, "resources": "gpu:1"},
         {"params": {"sequence_packing": True}, "resources": "gpu:1"}),
        ("sequence-parallel", {"params": {"sequence_parallel": 2}, "resources": "gpu:2"},
         {"params": {"sequence_parallel": 2, "sequence_packing": True}, "resources": "gpu:2"}),
        ("needs-bf16",
         {"params": {"tensor_parallel": 2, "precision": "fp16"}, "resources": "gpu:2"},
         {"params": {"tensor_parallel": 2}, "resources": "gpu:2"}),
        ("needs-gpu", {"params": {"offload_optimizer": True}},
         {"params": {"offload_optimizer": True}, "resources": "gpu:1"}),
        ("needs-gpu", {"params": {"attention": "flash_attention_2"}},
         {"params": {"attention": "eager"}}),
        ("multiturn", {"params": {"multiturn_loss": True, "apply_chat_template": False}},
         {"params": {"multiturn_loss": True}}),
        ("input-template", {"params": {"input_template": "Q: {}"}},
         {"params": {"input_template": "Q: {}", "apply_chat_template": False}}),
        ("input-template", {"params": {"input_template": "Q", "apply_chat_template": False}}, {}),
        ("small-validation", {"validation": SFT[:1]}, {"validation": SFT[:2]}),
        ("data-form", {"train": CHAT * 8, "params": {"apply_chat_template": False}},
         {"train": CHAT * 8}),
        ("data-form", {"train": [{"text": str(i)} for i in range(8)]},
         {"train": [{"text": str(i)} for i in range(8)], "params": {"pretrain_mode": True}}),
        ("data-form", {"params": {"pretrain_mode": True}}, {}),
    ],
)  # fmt: skip
def test_supervised_rule(make_context, code, bad, good):
    assert codes(sft(make_context, **bad)) == [f"openrlhf/{code}"]
    assert codes(sft(make_context, **good)) == []


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        ({"margin_loss": True, "loss_type": "logexp"}, {"margin_loss": True}),
    ],
)
def test_a_margin_must_be_read_and_there(make_context, bad, good):
    made = [sft(make_context, PAIRS, "openrlhf/rm", params=p) for p in (bad, good)]
    assert [codes(one) for one in made] == [["openrlhf/margin"], []]
    without = [{k: v for k, v in row.items() if k != "margin"} for row in PAIRS]
    assert codes(sft(make_context, without, "openrlhf/rm", params=good)) == ["openrlhf/margin"]


@pytest.mark.parametrize(
    ("code", "bad", "good"),
    [
        ("reward", {"reward": None}, {}),
        ("reward", {"config": {"train.agent_func_path": "agent.py"}},
         {"config": {"train.agent_func_path": "agent.py"}, "reward": None}),
        ("rollout-batch", {"params": {"global_batch_size": 32}}, {}),
        ("rollout-remainder", {"params": {"global_batch_size": 12}},
         {"params": {"global_batch_size": 8}}),
        ("rollout-split", {"params": {"logprob_batch_size": 4}, "resources": "gpu:8"},
         {"params": {"logprob_batch_size": 2}, "resources": "gpu:8"}),
        ("lengths", {"params": {"max_model_tokens": 64, "max_completion_tokens": 64}},
         {"params": {"max_model_tokens": 64, "max_completion_tokens": 32}}),
        ("overlong", {"params": {"max_completion_tokens": 32, "overlong_buffer": 40}},
         {"params": {"max_completion_tokens": 32, "overlong_buffer": 8}}),
        ("async", {"params": {"partial_rollout": True}},
         {"params": {"partial_rollout": True, "async_rollout": True}}),
        ("async", {"params": {"generation_batch_size": 8}},
         {"params": {"generation_batch_size": 2}}),
        ("async", {"params": {"async_rollout": True, "rollout_sleep": True},
                   "resources": "gpu:4"},
         {"params": {"async_rollout": True}, "resources": "gpu:4"}),
        ("layout", {"params": {"rollout_tensor_parallel": 3}, "resources": "gpu:4"},
         {"params": {"rollout_tensor_parallel": 2}, "resources": "gpu:4"}),
        ("layout", {"params": {"colocate": False}, "resources": "gpu:2"},
         {"params": {"colocate": False}, "resources": "gpu:4"}),
        ("clip", {"params": {"clip_range": 0.1, "clip_low_high": [0.2, 0.28]}},
         {"params": {"clip_low_high": [0.2, 0.28]}}),
        ("dynamic-sampling", {"params": {"dynamic_sampling": True,
                                         "dynamic_sampling_range": [1.0, 0.0]}},
         {"params": {"dynamic_sampling": True}}),
        ("validation-unused", {"validation": PROMPTS[:2]},
         {"validation": PROMPTS[:2], "params": {"validation_steps": 2}}),
        ("no-effect", {"params": {"async_queue": 2}},
         {"params": {"async_queue": 2, "async_rollout": True}}),
        ("no-effect", {"params": {"reward_normalize": True}}, {}),
    ],
)  # fmt: skip
def test_reinforcement_rule(make_context, code, bad, good):
    assert codes(rl(make_context, **bad)) == [f"openrlhf/{code}"]
    assert codes(rl(make_context, **good)) == []


def test_a_last_rollout_that_is_too_small_for_all_processes(make_context):
    params = {"group_size": 2, "global_batch_size": 8, "logprob_batch_size": 1}
    odd = rl(make_context, train=PROMPTS[:13], resources="gpu:4", params=params)
    (finding,) = get("openrlhf").checks(odd)
    assert finding.code == "openrlhf/rollout-split"
    assert "last rollout" in finding.message.en
    even = rl(make_context, train=PROMPTS[:12], resources="gpu:4", params=params)
    assert codes(even) == []


def test_one_answer_a_prompt_is_enough_for_ppo_only(make_context):
    one = {"group_size": 1, "global_batch_size": 4}
    assert codes(rl(make_context, "openrlhf/ppo", params=one)) == []
    for method in ("openrlhf/grpo", "openrlhf/reinforce-baseline"):
        with pytest.raises(AssertionError, match="config/out-of-range"):
            rl(make_context, method, params=one)
    filtered = rl(make_context, "openrlhf/ppo", params=one | {"dynamic_sampling": True})
    assert codes(filtered) == ["openrlhf/dynamic-sampling"]


def test_a_reward_model_scores_only_in_training(make_context):
    def with_model(**keys):
        return msgspec.structs.replace(rl(make_context, **keys), reward=REWARD_MODEL)

    assert codes(with_model()) == []
    assert codes(with_model(params={"reward_normalize": True})) == []
    needs = ["openrlhf/needs-reward-function"]
    assert codes(with_model(validation=PROMPTS, params={"validation_steps": 2})) == needs
    assert codes(with_model(params={"dynamic_sampling": True})) == needs


def test_a_reward_model_must_have_a_scoring_layer(make_context, tmp_path):
    def judged(kind, location):
        reward = Reward(model=InputRef(name="reward", kind=kind, location=str(location)))
        return codes(msgspec.structs.replace(rl(make_context), reward=reward))

    assert judged("builtin", "starforge:tiny") == ["openrlhf/reward-model"]
    assert judged("path", tmp_path) == []  # nothing there to judge
    config = tmp_path / "config.json"
    config.write_text('{"architectures": ["LlamaForCausalLM"]}')
    assert judged("path", tmp_path) == ["openrlhf/reward-model"]
    for text in ('{"value_head_prefix": "score"}',
                 '{"architectures": ["LlamaForSequenceClassification"]}'):  # fmt: skip
        config.write_text(text)
        assert judged("path", tmp_path) == []

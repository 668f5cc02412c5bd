"""What the pinned verl refuses or drops: one rule, its bad and its good settings."""

import pytest

from starforge.frameworks import get
from starforge.lab.context import Reward

PROMPTS = [{"prompt": f"{i} + 1 = ?", "answer": str(i + 1)} for i in range(8)]
CHAT = [{"prompt": "a", "completion": "b"} for _ in range(8)]
REWARD = {"reward.py": "def reward(prompts, completions):\n    return [0.0] * len(completions)\n"}
SMALL = {"prompts_per_step": 4, "mini_batch_size": 4, "batch_size": 2, "group_size": 4,
         "logprob_batch_size": 4}  # fmt: skip
SFT = {"global_batch_size": 4, "batch_size": 2}


@pytest.fixture
def found(make_context):
    """Return the codes that verl's own checks give for settings."""

    def found(method="verl/grpo", params=None, **keys):
        sft = method == "verl/sft"
        keys.setdefault("train", CHAT if sft else PROMPTS)
        keys.setdefault("resources", "gpu:1")
        if not sft and method != "verl/distillation":
            keys = {"reward": "reward.py", "files": REWARD, **keys}
        params = {**(SFT if sft else SMALL), **(params or {})}
        context = make_context(method=method, params=params, **keys)
        findings = get("verl").checks(context)
        assert all(one.at.key for one in findings)
        return [one.code for one in findings]

    return found


RULES = [
    ("verl/few-rows", "verl/grpo", {"prompts_per_step": 9}, {"prompts_per_step": 8}),
    ("verl/few-rows", "verl/sft", {"global_batch_size": 16}, {"global_batch_size": 8}),
    ("verl/epochs-end", "verl/grpo", {"max_steps": 5, "epochs": 2}, {"max_steps": 4, "epochs": 2}),
    ("verl/epochs-end", "verl/sft", {"max_steps": 9}, {"max_steps": 8}),
    ("verl/mini-batch", "verl/grpo", {"mini_batch_size": 6}, {"mini_batch_size": 2}),
    ("verl/mini-batch", "verl/ppo", {"critic_mini_batch_size": 8}, {"critic_mini_batch_size": 4}),
    ("verl/uneven-batch", "verl/grpo", {"batch_size": 3}, {"batch_size": 8}),
    ("verl/uneven-batch", "verl/sft", {"batch_size": 3, "dynamic_batch": False},
     {"batch_size": 4, "dynamic_batch": False}),
    ("verl/uneven-batch", "verl/grpo", {"logprob_batch_size": 6}, {"logprob_batch_size": 8}),
    ("verl/uneven-batch", "verl/rloo", {"kl_in_loss": True, "reference_batch_size": 5},
     {"reference_batch_size": 5}),
    ("verl/gpus", "verl/sft", {"processes": 2}, {"processes": 1}),
    ("verl/token-budget", "verl/grpo", {"dynamic_batch": True, "max_tokens_per_device": 1000},
     {"max_tokens_per_device": 1000}),
    ("verl/token-budget", "verl/sft", {"max_tokens": 10000}, {"max_tokens": 8000}),
    ("verl/rejection", "verl/grpo", {"rollout_rs": "token", "rollout_rs_threshold": 2.0},
     {"rollout_rs": "token_k1, seq_mean_k3", "rollout_rs_threshold": "0.5_2.0,0.1"}),
    ("verl/rejection", "verl/grpo", {"rollout_rs": "token_k1"}, {}),
    ("verl/is-threshold", "verl/grpo", {"rollout_is_threshold": "5_0.5"},
     {"rollout_is_threshold": "0.5_5"}),
    ("verl/is-threshold", "verl/grpo", {"rollout_is_threshold": "-1"},
     {"rollout_is_threshold": 3}),
    ("verl/kl-twice", "verl/grpo", {"kl_in_loss": True, "kl_in_reward": True},
     {"kl_in_loss": True}),
    ("verl/lora-rank", "verl/grpo", {"lora_rank": 1024}, {"lora_rank": 512}),
    ("verl/dro-beta", "verl/grpo", {"policy_loss_mode": "dro"}, {"policy_loss_mode": "gspo"}),
    ("verl/overlong-buffer", "verl/dapo", {"max_completion_tokens": 64}, {"overlong_buffer": 8}),
    ("verl/validation-without-data", "verl/grpo", {"validation_steps": 2},
     {"validation_steps": -1}),
    ("verl/validation-without-data", "verl/rloo", {"validate_first": True}, {}),
    ("verl/zero-interval", "verl/sft", {"save_steps": 0}, {"save_steps": -1}),
    ("verl/nothing-saved", "verl/grpo", {"save_steps": -1}, {"save_steps": 5}),
    ("verl/group-of-one", "verl/rloo", {"group_size": 1}, {"group_size": 2}),
    ("verl/engine", "verl/grpo", {"rollout_engine": "sglang"}, {"rollout_engine": "vllm"}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "method", "bad", "good"), RULES)
def test_rule(found, code, method, bad, good):
    assert found(method, bad) == [code]
    assert found(method, good) == []


def test_gpus_that_do_not_divide(found):
    assert found(params={"rollout_tensor_parallel": 2}, resources="gpu:1") == ["verl/gpus"]
    assert found(params={"rollout_tensor_parallel": 2}, resources="gpu:2") == []
    # verl asks for whole engines: tensor × data × pipeline (workers/engine_workers.py).
    for size, codes in ((2, []), (3, ["verl/gpus"])):
        rollout = {"data_parallel_size": size, "pipeline_model_parallel_size": 2}
        config = {"actor_rollout_ref": {"rollout": rollout}}
        assert found(config=config, resources="gpu:4") == codes
    assert found(resources="gpu:3") == ["verl/uneven-batch", "verl/uneven-batch"]


def test_a_teacher_must_leave_a_gpu_for_training(found):
    keys = {"teacher": "starforge:tiny"}
    assert found("verl/distillation", resources="gpu:1", **keys) == ["verl/gpus"]
    assert found("verl/distillation", resources="gpu:2", **keys) == []
    assert found("verl/distillation", {"teacher_gpus": 2, "teacher_tensor_parallel": 2},
                 resources="gpu:3", **keys) == []  # fmt: skip
    assert found("verl/distillation", {"teacher_tensor_parallel": 2}, resources="gpu:3",
                 **keys) == ["verl/gpus"]  # fmt: skip


def test_distillation_losses(found):
    keys = {"teacher": "starforge:tiny", "resources": "gpu:2"}
    method = "verl/distillation"
    assert found(method, {"distillation_loss": "k1"}, **keys) == ["verl/k1-gradient"]
    assert (
        found(method, {"distillation_loss": "k1", "distillation_policy_gradient": True}, **keys)
        == []
    )
    topk = {"distillation_loss": "forward_kl_topk"}
    assert found(method, topk, **keys) == []
    assert found(method, {**topk, "strategy": "fsdp2"}, **keys) == ["verl/topk-strategy"]
    assert found(method, topk, **{**keys, "resources": "cpu:2"}) == ["verl/topk-strategy"]
    assert found(method, {"task_rewards": True}, **keys) == ["verl/task-reward"]
    assert found(method, {"task_rewards": True}, reward="reward.py", files=REWARD, **keys) == []


def test_validation_data_that_nobody_asks_for(found):
    assert found(validation=PROMPTS[:2]) == ["verl/validation-unused"]
    assert found(validation=PROMPTS[:2], params={"validation_steps": 1}) == []
    assert found("verl/sft", validation=CHAT) == []
    assert found("verl/sft", validation=CHAT[:2]) == ["verl/few-rows"]


def test_a_clip_range_that_is_never_read(found):
    actor = "actor_rollout_ref.actor"
    assert found(config={f"{actor}.clip_ratio": 0.1}) == ["verl/dead-clip"]
    config = {f"{actor}.clip_ratio": 0.1, f"{actor}.policy_loss.loss_mode": "dppo_tv"}
    assert found(config=config) == []
    assert found(config=config, params={"clip_high": 0.3}) == ["verl/dead-clip"]


def test_sequence_parallelism_needs_packed_rows(found):
    config = {"actor_rollout_ref": {"model": {"use_remove_padding": False}}}
    params = {"sequence_parallel": 2}
    assert found(params=params, config=config, resources="gpu:2") == ["verl/sequence-parallel"]
    assert found(params=params, resources="gpu:2") == []


def test_a_cpu_profile_says_what_it_sets_otherwise(found):
    assert found(resources="cpu:2") == []
    assert found(params={"strategy": "fsdp"}, resources="cpu:2") == ["verl/cpu-setting"]
    assert found(params={"strategy": "fsdp2"}, resources="cpu:2") == []
    override = {"actor_rollout_ref.model.override_config": {"attn_implementation": "eager"}}
    assert found(config=override, resources="cpu:2") == ["verl/cpu-setting"]
    assert found(params={"lora_rank": 8}, resources="cpu:2") == ["verl/cpu-limit"]
    assert found("verl/sft", {"lora_rank": 8}, resources="cpu:2") == []


def test_a_reward_model_can_neither_filter_nor_run_on_a_cpu(make_context):
    import msgspec

    from starforge.plan import InputRef

    def codes(method, resources, **params):
        context = make_context(
            PROMPTS, method=method, params={**SMALL, **params}, resources=resources
        )
        model = InputRef(name="reward", kind="job", location="job:abc")
        context = msgspec.structs.replace(context, reward=Reward(model=model))
        return [one.code for one in get("verl").checks(context)]

    small = {"overlong_buffer": 8}
    assert codes("verl/dapo", "gpu:1", **small) == ["verl/filter-reward-model"]
    assert codes("verl/dapo", "gpu:1", dynamic_sampling=False, **small) == []
    assert codes("verl/grpo", "cpu:2") == ["verl/cpu-limit"]


def test_a_micro_batch_is_set_once(found):
    for section, key in (("actor", "ppo_micro_batch_size"),
                         ("rollout", "log_prob_micro_batch_size"),
                         ("ref", "log_prob_micro_batch_size")):  # fmt: skip
        config = {"actor_rollout_ref": {section: {key: 2}}}
        wanted = {"reference_batch_size": 4}
        assert found(params=wanted, config=config) == ["verl/micro-batch-twice"]
        dynamic = wanted | {"dynamic_batch": True, "max_tokens_per_device": 4096}
        assert found(params=dynamic, config=config) == []

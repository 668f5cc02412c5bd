"""What NeMo-RL refuses when a job starts is refused before it is submitted."""

import pytest
from nemo_support import Experiment


@pytest.fixture
def grpo(tmp_path):
    return Experiment(tmp_path, "nemo-rl/grpo")


@pytest.mark.parametrize(
    ("sets", "codes"),
    [
        (["global_batch_size=48"], ["nemo-rl/batch"]),
        (["prompts_per_step=16", "global_batch_size=128"], ["nemo-rl/few-rows"]),
        (["batch_multiplier=2"], ["nemo-rl/rollout"]),
        (["dynamic_batch=true"], ["nemo-rl/model"]),
        (["dynamic_batch=true", "sequence_packing=false"], []),
        (["sequence_ratios=true"], ["nemo-rl/loss"]),
        (["policy_loss_mode=gspo"], []),
        (["policy_loss_mode=cispo"], []),
        (["cispo=true", "dual_clip=3"], ["nemo-rl/loss"]),
        (["cispo=true", "token_level_loss=false"], ["nemo-rl/loss"]),
        (["rollout_is_type=tis"], ["nemo-rl/loss"]),
        (["rollout_is_type=tis", "rollout_is=true"], ["nemo-rl/loss"]),
        (["rollout_correction=tis"], []),
        (["rollout_correction=icepop"], []),
        (["rollout_correction=icepop", "rollout_is_floor=9"], ["nemo-rl/loss"]),
        (["rollout_is=true", "rollout_is_type=icepop", "rollout_is_threshold=2"],
         ["nemo-rl/loss"]),
        (["skip_reference=true"], ["nemo-rl/loss"]),
        (["skip_reference=true", "kl_coef=0"], []),
        (["force_on_policy=true"], []),
        (["force_on_policy=true", "global_batch_size=32"], ["nemo-rl/loss"]),
        (["rollout_dtype=fp8"], ["nemo-rl/loss"]),
        (["rollout_kv_dtype=fp8"], ["nemo-rl/rollout"]),
        (["rollout_gpus=1"], ["nemo-rl/rollout"]),
        (["save_metric=accuracy"], ["nemo-rl/save-metric"]),
        (["save_metric=train:loss"], []),
        (["validation_steps=10"], ["nemo-rl/validation"]),
        (["validate_first=true"], ["nemo-rl/validation"]),
        (["policy.megatron_cfg.enabled=true"], ["nemo-rl/backend"]),
        (["policy.dtensor_cfg.enabled=false"], ["nemo-rl/backend"]),
        (["policy.megatron_cfg.tensor_model_parallel_size=2"], ["nemo-rl/other-backend"]),
        (["policy.megatron_cfg.enabled=true", "policy.dtensor_cfg.enabled=false"], []),
        (["policy.megatron_cfg.enabled=true", "policy.dtensor_cfg.enabled=false",
          "learning_rate=1e-6"], ["nemo-rl/other-backend"]),
        (["tensor_parallel=2"], ["nemo-rl/parallel"]),
        (["policy.dtensor_cfg._v2=false"], ["nemo-rl/save-format"]),
        (["policy.dtensor_cfg._v2=false", "lora=true"],
         ["nemo-rl/model", "nemo-rl/save-format"]),
    ],
)  # fmt: skip
def test_on_one_gpu(grpo, sets, codes):
    assert grpo.codes(*sets) == codes


@pytest.mark.parametrize(
    ("sets", "codes"),
    [
        (["tensor_parallel=2"], []),
        (["tensor_parallel=3"], ["nemo-rl/parallel"]),
        (["tensor_parallel=4", "logprob_batch_size=4"], ["nemo-rl/model"]),
        (["tensor_parallel=4"], []),
        (["tensor_parallel=2", "lora=true"], ["nemo-rl/model"]),
        (["tensor_parallel=2", "lora=true", "lora_kernels=false"], []),
        (["rollout_tensor_parallel=3"], ["nemo-rl/parallel"]),
        (["colocate=false"], ["nemo-rl/rollout"]),
        (["colocate=false", "rollout_gpus=4"], ["nemo-rl/rollout"]),
        (["colocate=false", "rollout_gpus=2"], []),
        (["async_rollout=true", "colocate=false", "rollout_gpus=2", "async_engine=true",
          "rollout_is=true"], []),
        (["async_rollout=true", "colocate=false", "rollout_gpus=2"], ["nemo-rl/rollout"]),
        (["sequence_packing=false", "batch_size=32"], ["nemo-rl/batch"]),
        (["sequence_packing=false", "batch_size=16"], []),
    ],
)  # fmt: skip
def test_on_four_gpus(grpo, sets, codes):
    assert grpo.codes(*sets, profile="gpu:4") == codes


def test_a_finding_names_the_place(grpo):
    (finding,) = [f for f in grpo.prepare("batch_multiplier=2").findings if f.severity == "error"]
    assert finding.at.key == "batch_multiplier"
    assert "dynamic_sampling" in finding.message.en
    assert "dynamic_sampling" in finding.message.zh


@pytest.mark.parametrize(
    "setting",
    ["value.sequence_packing.enabled=true", "value.dynamic_batching.enabled=true",
     "value.dtensor_cfg._v2=false"],
)  # fmt: skip
def test_the_dtensor_critic(tmp_path, setting):
    assert Experiment(tmp_path, "nemo-rl/ppo").codes(setting) == ["nemo-rl/critic"]


def test_a_reward_model_has_no_context_parallelism(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/rm")
    setting = "policy.dtensor_cfg.context_parallel_size=2"
    assert experiment.codes(setting, profile="gpu:2") == ["nemo-rl/model"]


def test_the_first_worker_has_no_checkpoint_format(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/dpo")
    setting = "checkpointing.model_save_format=torch_save"
    assert experiment.codes(setting) == ["nemo-rl/save-format"]
    assert experiment.codes(setting, "policy.dtensor_cfg._v2=true") == []


def test_rows_without_a_reward_need_their_answer(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/grpo").replace("reward: reward.py\n", "")
    experiment.rows(*[{"prompt": f"{n}?", "answer": "1"} for n in range(8)], {"prompt": "x"})
    (finding,) = [f for f in experiment.prepare().findings if f.code == "nemo-rl/reward"]
    assert finding.at.line == 9


def test_a_reward_model_is_not_taken(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/grpo").replace("reward: reward.py", "reward: rm")
    experiment.write("rm/config.json", "{}")
    assert "nemo-rl/reward" in experiment.codes()


def test_maxrl_takes_no_negative_rewards(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/maxrl")
    assert experiment.codes("reward_scaling=true", "reward_target_min=-1") == ["nemo-rl/reward"]
    assert experiment.codes("reward_scaling=true") == []


def test_distillation_validates_with_a_reward_only(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/distillation").replace(
        "  # validation:", "  validation:"
    )
    experiment.rows({"prompt": "x?"}, split="validation")
    assert experiment.codes() == []
    assert experiment.codes("validation_steps=5") == ["nemo-rl/validation"]

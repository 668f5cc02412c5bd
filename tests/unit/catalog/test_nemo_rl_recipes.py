"""What must hold of NeMo-RL's recipes: counts, pins, and the truths they tell."""

import pytest
from nemo_support import METHODS, Experiment

from starforge.catalog.load import load_catalog

CATALOG = load_catalog()
REINFORCEMENT = ["nemo-rl/grpo", "nemo-rl/grpo-lora", "nemo-rl/maxrl", "nemo-rl/ppo"]
DISTILLING = ["nemo-rl/distillation", "nemo-rl/opsd"]


def test_there_are_nine():
    assert [name.partition("/")[2] for name in METHODS] == [
        "distillation", "dpo", "grpo", "grpo-lora", "maxrl", "opsd", "ppo", "rm", "sft",
    ]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_everything_people_tune_is_published(method):
    recipe = CATALOG.recipe(method)
    names = {parameter.name for parameter in recipe.parameters}
    assert {"learning_rate", "epochs", "max_steps", "batch_size", "global_batch_size", "seed",
            "weight_decay", "max_grad_norm", "precision", "tensor_parallel", "save_steps",
            "save_limit", "validation_steps"} <= names  # fmt: skip
    assert len(names) >= (45 if method in REINFORCEMENT + DISTILLING else 30)
    assert all(one.description.en and one.description.zh for one in recipe.parameters)
    assert recipe.entry.module.startswith("examples/run_")
    assert recipe.minimum.gpus == 1
    assert recipe.scaffold.resources == "gpu:1"


@pytest.mark.parametrize("method", METHODS)
def test_pins_have_reasons_and_hold_what_must_not_drift(method):
    pins = {pin.path: pin for pin in CATALOG.recipe(method).pins}
    assert all(pin.reason.en and pin.reason.zh for pin in pins.values())
    assert {"policy.model_name", "data.train", "data.validation", "logger.log_dir",
            "checkpointing.checkpoint_dir", "cluster.gpus_per_node",
            "cluster.num_nodes"} <= set(pins)  # fmt: skip
    # A local file knows one split only, and upstream merges with what its own file says.
    assert pins["data.train"].value["split"] == "train"
    assert pins["data.validation"].value["split"] == "train"


@pytest.mark.parametrize("method", DISTILLING)
def test_distillation_says_that_it_is_top_k(method):
    recipe = CATALOG.recipe(method)
    topk = recipe.parameter("distillation_topk")
    assert topk.path == "distillation.topk_logits_k"
    assert "full-vocabulary" in topk.description.en
    assert recipe.parameter("distillation_loss").choices == ["forward", "reverse", "mixed"]
    if method == "nemo-rl/distillation":
        assert "top-k KL" in recipe.summary.en
        assert "top-k KL" in recipe.summary.zh


@pytest.mark.parametrize("method", ["nemo-rl/maxrl", "nemo-rl/opsd"])
def test_our_own_methods_say_what_has_run(method):
    recipe = CATALOG.recipe(method)
    assert "no GPU run has been made" in recipe.summary.en
    assert "尚未在 GPU 上训练过" in recipe.summary.zh
    assert "does not ship" in recipe.avoid_when.en


@pytest.mark.parametrize(
    ("method", "setting"),
    [
        ("nemo-rl/grpo-lora", "policy.dtensor_cfg.lora_cfg.enabled=false"),
        ("nemo-rl/maxrl", "grpo.adv_estimator.name=grpo"),
        ("nemo-rl/ppo", "ppo.adv_estimator.name=raw_reward"),
        ("nemo-rl/opsd", "teacher.model_name=other"),
        ("nemo-rl/dpo", "policy.sequence_packing.enabled=true"),
        ("nemo-rl/sft", "data.train.data_path=/x.jsonl"),
        ("nemo-rl/sft", "logger.wandb_enabled=true"),
    ],
)
def test_pins_are_refused(tmp_path, method, setting):
    assert Experiment(tmp_path, method).codes(setting) == ["config/pinned"]


@pytest.mark.parametrize(
    ("method", "setting", "code"),
    [
        ("nemo-rl/grpo", "grpo.zzz=1", "config/unknown-key"),
        ("nemo-rl/grpo", "policy.generation_batch_size=4", "config/ignored-key"),
        ("nemo-rl/sft", "logger.tensorboard.log_dir=x", "config/ignored-key"),
        ("nemo-rl/sft", "policy.generation.temperature=1", "config/ignored-key"),
        ("nemo-rl/rm", "policy.activation_checkpointing_enabled=true", "config/ignored-key"),
        ("nemo-rl/grpo", "kl_estimator=k9", "config/not-a-choice"),
        ("nemo-rl/grpo", "advantage_estimator=gdpo", "config/not-a-choice"),
    ],
)
def test_what_upstream_would_silently_take_is_refused(tmp_path, method, setting, code):
    assert Experiment(tmp_path, method).codes(setting) == [code]


def test_further_arguments_of_the_optimizer_are_upstreams(tmp_path):
    plan = Experiment(tmp_path, "nemo-rl/sft").plan("policy.optimizer.kwargs.amsgrad=true")
    assert plan.config["policy"]["optimizer"]["kwargs"]["amsgrad"] is True
    assert plan.config["policy"]["optimizer"]["kwargs"]["lr"] == 5e-6

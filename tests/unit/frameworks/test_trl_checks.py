"""What only the pinned TRL refuses."""

import json

import pytest

from starforge.catalog.load import load_catalog
from starforge.frameworks import get
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare


def own(context):
    """Return the findings of TRL's own rules: eight rows are few steps for the general ones."""
    return [f for f in get("trl").checks(context) if not f.code.startswith("training/")]


@pytest.mark.parametrize(
    ("code", "bad", "good"),
    [
        ("trl/attention", {"params": {"attention": "flash_attention_2"}},
         {"params": {"attention": "sdpa"}}),
        ("trl/padding-free", {"config": {"padding_free": True}},
         {"config": {"padding_free": True, "packing": True}}),
        ("trl/padding-free", {"config": {"padding_free": True}},
         {"config": {"padding_free": True}, "params": {"max_tokens": None}}),
        ("trl/lora-head", {"params": {"lora": True, "lora_targets": ["q_proj", "lm_head"]}},
         {"params": {"lora": True, "lora_targets": ["lm_head"], "loss_type": "nll"}}),
    ],
)  # fmt: skip
def test_rule(make_context, code, bad, good):
    (found,) = own(make_context(**bad))
    assert found.code == code
    assert found.at.line == 1
    assert own(make_context(**good)) == []


def test_an_optimizer_that_the_runtime_lacks_is_refused_under_either_name(make_context):
    for keys in ({"config": {"optim": "adamw_bnb_8bit"}}, {"params": {"optimizer": "adalomo"}}):
        with pytest.raises(AssertionError, match="config/not-a-choice"):
            make_context(**keys)


PAIRS = [
    {"prompt": f"{i} + 1 =", "chosen": f" {i + 1}", "rejected": f" {i}"} for i in range(8)
]  # fmt: skip
MARKED = [{"prompt": f"{i}?", "completion": f"{i}", "label": i % 2 == 0} for i in range(8)]
TASKS = [{"prompt": f"{i} + 1 =", "answer": f"{i + 1}"} for i in range(8)]
PREFERENCE = {"method": "trl/dpo", "train": PAIRS}
BINARY = {"method": "trl/kto", "train": MARKED}
REWARD = {"files": {"reward.py": "def reward(prompts, completions): ..."}, "reward": "reward.py"}
GRPO = {"method": "trl/grpo", "train": TASKS, **REWARD}
RLOO = {"method": "trl/rloo", "train": TASKS, **REWARD}
EVERY = {"validation": TASKS[:2], "config": {"eval_strategy": "steps", "eval_steps": 10}}


def params(**values):
    return {"params": values}


@pytest.mark.parametrize(
    ("code", "method", "bad", "good"),
    [
        ("trl/kto-batch", BINARY, params(batch_size=1), params(batch_size=2)),
        ("trl/kto-batch", BINARY, params(batch_size=1),
         params(batch_size=1, preference_loss="apo_zero_unpaired")),
        ("trl/kto-order", BINARY, {"config": {"train_sampling_strategy": "random"}},
         {"config": {"train_sampling_strategy": "sequential"}}),
        ("trl/exo-smoothing", PREFERENCE, params(preference_loss=["exo_pair"]),
         params(preference_loss=["exo_pair"], label_smoothing=0.001)),
        ("trl/divergence", PREFERENCE,
         params(preference_loss=["nca_pair"], divergence="forward_kl"),
         params(preference_loss=["ipo"], divergence="forward_kl")),
        ("trl/loss-weights", PREFERENCE, params(preference_loss_weights=[1.0, 0.5]),
         params(preference_loss=["sigmoid", "sft"], preference_loss_weights=[1.0, 0.5])),
        ("trl/pair-weighting", PREFERENCE, params(preference_loss=["aot"], pair_weighting=True),
         params(pair_weighting=True)),
        ("trl/reference-sync", PREFERENCE, params(sync_reference=True, lora=True),
         params(sync_reference=True)),
        ("trl/reference-sync", PREFERENCE, params(sync_reference=True, precompute_reference=True),
         params(precompute_reference=True)),
        ("trl/reference-sync", GRPO, params(sync_reference=True),
         params(sync_reference=True, kl_coef=0.01)),
        ("trl/reference-sync", RLOO, params(sync_reference=True, kl_coef=0),
         params(sync_reference=True)),
        ("trl/group-missing", GRPO, params(group_size=None), params(group_size=4)),
        ("trl/generation-twice", GRPO, params(generation_batch_size=16, steps_per_generation=2),
         params(steps_per_generation=2)),
        ("trl/generation-split", RLOO, params(batch_size=8, generation_batch_size=12),
         params(batch_size=8, generation_batch_size=16)),
        ("trl/few-prompts", GRPO, params(batch_size=64, group_size=2),
         params(batch_size=16, group_size=2)),
        ("trl/validation-group", GRPO | EVERY, params(validation_batch_size=4),
         params(validation_batch_size=4, validation_samples=2)),
        ("trl/loss-level", GRPO, params(policy_loss_mode="luspo"),
         params(policy_loss_mode="luspo", importance_level="sequence")),
        ("trl/loss-level", GRPO, params(importance_level="sequence"),
         params(importance_level="sequence", policy_loss_mode="grpo")),
        ("trl/no-effect", PREFERENCE, params(discopop_tau=0.1),
         params(preference_loss=["discopop"], discopop_tau=0.1)),
        ("trl/no-effect", GRPO, params(entropy_target=1.0),
         params(entropy_target=1.0, adaptive_entropy=True)),
        ("trl/no-effect", GRPO, {"config": {"vespo_k_pos": 1.0}},
         {"config": {"vespo_k_pos": 1.0, "loss_type": "vespo"}}),
    ],
)  # fmt: skip
def test_rule_of_a_method(make_context, code, method, bad, good):
    (found,) = own(make_context(**(method | bad)))
    assert found.code == code
    assert found.at.line == 1 or code in ("trl/exo-smoothing", "trl/loss-level", "trl/few-prompts")
    assert own(make_context(**(method | good))) == []


@pytest.mark.parametrize("gpus", [1, 2])
def test_a_batch_that_tears_groups_apart_names_what_fits(make_context, gpus):
    context = make_context(
        **GRPO, resources=f"gpu:{gpus}",
        params={"batch_size": 3, "gradient_accumulation": 2, "group_size": 8},
    )  # fmt: skip
    (found,) = [f for f in own(context) if f.code == "trl/group-batch"]
    said = found.message.en + found.hint.en
    assert f"{6 * gpus} completions" in said
    assert "`batch_size: 4`" in said  # 8 completions on one device, 16 on two
    assert ("2, 3, 6" if gpus == 1 else "2, 3, 4, 6, 12") in said


def test_a_group_of_one_device_that_two_devices_fill(make_context):
    settings = {"params": {"batch_size": 2, "gradient_accumulation": 1, "group_size": 4}}
    assert own(make_context(**GRPO, **settings, resources="gpu:2")) == []
    (found,) = own(make_context(**GRPO, **settings, resources="gpu:1"))
    assert found.code == "trl/group-batch"


def model(folder, **config):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


def test_a_teacher_with_another_vocabulary(make_context, tmp_path):
    small = model(tmp_path / "small", vocab_size=100)
    big = model(tmp_path / "big", text_config={"vocab_size": 120})
    same = model(tmp_path / "same", text_config={"vocab_size": 100})
    start = {"method": "trl/opsd", "train": [{"prompt": "a"}] * 8, "model": small}
    (found,) = own(make_context(**start, teacher=big))
    assert found.code == "trl/vocabulary"
    assert "120" in found.message.en
    assert own(make_context(**start, teacher=same)) == []


def test_a_teacher_needs_its_own_head(make_context):
    context = make_context(
        method="trl/opsd", train=[{"prompt": "a"}] * 8, teacher="starforge:tiny",
        params={"lora": True, "lora_targets": ["lm_head"]},
    )  # fmt: skip
    (found,) = own(context)
    assert found.code == "trl/lora-head"
    assert "distillation" in found.message.en


@pytest.mark.parametrize(
    ("config", "fine"),
    [
        ({"architectures": ["LlamaForSequenceClassification"], "id2label": {"0": "x"}}, True),
        ({"architectures": ["LlamaForSequenceClassification"]}, False),
        ({"architectures": ["LlamaForCausalLM"]}, False),
        ({"architectures": ["BertForSequenceClassification"], "id2label": {"0": "a", "1": "b"}},
         False),
    ],
)  # fmt: skip
def test_only_a_reward_model_can_be_the_reward(tmp_path, new_grpo, config, fine):
    folder = model(tmp_path / "rewarding", **config)
    found = [f for f in new_grpo(folder).findings if f.code == "trl/reward-model"]
    assert bool(found) is not fine


@pytest.fixture
def new_grpo(tmp_path):
    """Return a function that prepares a new experiment with a reward model."""
    init_lab(tmp_path / "lab")
    catalog = load_catalog()
    recipe = catalog.recipe("trl/grpo")
    folder = new_experiment(Lab(tmp_path / "lab"), "try", recipe, catalog, lang="en")

    def make(reward):
        file = folder / "experiment.yaml"
        file.write_text(file.read_text().replace("reward: reward.py", f"reward: {reward}"))
        return prepare(folder)

    return make

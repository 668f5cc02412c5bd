"""What must hold of TRL's recipes: sizes, pins, refusals, and samples that start as created."""

import pytest

from starforge.catalog.load import load_catalog
from starforge.catalog.types import accepts
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare

METHODS = ("sft", "dpo", "grpo", "rm", "kto", "rloo", "opsd")
ONLINE = ("grpo", "rloo", "opsd")


def recipe_of(method):
    return load_catalog().recipe(f"trl/{method}")


@pytest.fixture
def new(tmp_path):
    init_lab(tmp_path)
    catalog = load_catalog()

    def make(method, lang="en"):
        recipe = catalog.recipe(f"trl/{method}")
        return new_experiment(Lab(tmp_path), f"{method}-{lang}", recipe, catalog, lang=lang)

    return make


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_new_experiment_has_no_finding_and_a_plan(new, method, lang):
    prepared = prepare(new(method, lang))
    assert prepared.findings == []
    assert prepared.plan.total_steps == prepared.context.parameter("max_steps")


@pytest.mark.parametrize("method", METHODS)
def test_enough_is_published(method):
    recipe = recipe_of(method)
    low, high = (45, 75) if method in ONLINE else (25, 50)
    assert low <= len(recipe.parameters) <= high
    assert {"learning_rate", "batch_size", "lora", "seed"} <= {p.name for p in recipe.parameters}
    primary = [metric for metric in recipe.metrics if metric.primary]
    # The policy on NaN watches primary metrics that end in `loss`.
    assert any(metric.name == "train/loss" for metric in primary)
    assert len(recipe.links) >= 2
    assert 6 <= len(recipe.data.example) <= 8


@pytest.mark.parametrize("method", METHODS)
def test_the_sample_rows_are_of_the_declared_shape_in_both_languages(method):
    recipe = recipe_of(method)
    for row in recipe.data.example:
        assert any(set(shape) <= row.keys() for shape in recipe.data.shapes)
    text = str(recipe.data.example)
    assert any("\u4e00" <= letter <= "\u9fff" for letter in text)
    assert "What" in text or "Which" in text


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "key", ["output_dir", "report_to", "deepspeed", "hub_token", "lora_task_type"]
)
def test_what_the_platform_owns_is_pinned_everywhere(new, method, key):
    recipe = recipe_of(method)
    (pin,) = [pin for pin in recipe.pins if pin.path == key]
    assert pin.reason.en and pin.reason.zh
    value = {"deepspeed": "ds.json"}.get(key, "TEXT")
    codes = {f.code for f in prepare(new(method), sets=[f"{key}={value}"]).findings}
    assert codes == {"config/pinned"}


@pytest.mark.parametrize(
    ("method", "setting", "code"),
    [
        ("grpo", "use_vllm=true", "config/pinned"),
        ("rloo", "auto_find_batch_size=true", "config/pinned"),
        ("grpo", "reward_weights=[1.0]", "config/pinned"),
        ("opsd", "teacher_model_name_or_path=org/big", "config/pinned"),
        ("rm", "lora_task_type=CAUSAL_LM", "config/pinned"),
        ("opsd", "vllm_mode=server", "config/ignored-key"),
        ("grpo", "num_completions_to_print=4", "config/ignored-key"),
        ("dpo", "padding_free=true", "config/ignored-key"),
        ("dpo", "rpo_alpha=1.0", "config/renamed-key"),
        ("kto", "max_prompt_length=128", "config/renamed-key"),
        ("grpo", "group_size=1", "config/out-of-range"),
        ("dpo", "beta=0", "config/out-of-range"),
        ("opsd", "distillation_mix=1.5", "config/out-of-range"),
        ("grpo", "policy_loss_mode=ppo", "config/not-a-choice"),
        ("rloo", "importance_sampling_level=sequence", "config/unknown-key"),
    ],
)
def test_refusals(new, method, setting, code):
    assert [f.code for f in prepare(new(method), sets=[setting]).findings] == [code]


def test_other_words_for_a_loss_are_taken(new):
    prepared = prepare(new("grpo"), sets=["policy_loss_mode=Dr.GRPO"])
    assert prepared.context.config.get("loss_type") == "dr_grpo"


@pytest.mark.parametrize("method", METHODS)
def test_published_paths_and_examples_fit_the_contract(method):
    recipe = recipe_of(method)
    keys = load_catalog().contract(recipe).configs[recipe.config].keys
    for parameter in recipe.parameters:
        assert parameter.path in keys
        if parameter.example is not None:
            assert accepts(parameter.type, parameter.example)[0], parameter.name


def test_methods_that_reward_need_one_and_distillation_a_teacher():
    assert [recipe_of(m).reward for m in ("grpo", "rloo", "opsd")] == ["required"] * 2 + ["none"]
    assert recipe_of("opsd").teacher == "required"
    assert recipe_of("grpo").scaffold.reward == "reward.py"

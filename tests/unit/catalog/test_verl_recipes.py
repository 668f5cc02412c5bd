"""What must hold of verl's recipes: counts, pins, and what they refuse or put right."""

import json

import pytest

from starforge.catalog.load import load_catalog
from starforge.frameworks.verl import Verl
from starforge.lab.experiment import load_experiment
from starforge.lab.lab import Lab
from starforge.lab.resolve import resolve
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare

ESTIMATORS = {
    "verl/grpo": "grpo", "verl/dapo": "grpo", "verl/ppo": "gae", "verl/rloo": "rloo",
    "verl/reinforce-baseline": "reinforce_plus_plus_baseline", "verl/remax": "remax",
    "verl/distillation": "grpo",
}  # fmt: skip
VERL = Verl()
METHODS = [*ESTIMATORS, "verl/sft"]
LOSS = "actor_rollout_ref.actor.policy_loss.loss_mode"


def recipe_of(method):
    return load_catalog().recipe(method)


def judged(tmp_path, method, *, params=None, config=None, sets=()):
    """Return the resolved config of an experiment and the codes of its findings."""
    written = {"method": method, "model": "starforge:tiny", "params": params or {}}
    (tmp_path / "experiment.yaml").write_text(json.dumps(written), "utf-8")
    (tmp_path / "config.yaml").write_text(json.dumps(config or {}), "utf-8")
    experiment, findings = load_experiment(tmp_path)
    catalog = load_catalog()
    recipe = catalog.recipe(method)
    config, more = resolve(experiment, recipe, catalog.contract(recipe), sets)
    return config, findings + more


def test_there_are_eight_methods():
    assert [n for n in load_catalog().names() if n.startswith("verl/")] == sorted(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_as_many_parameters_as_people_tune(method):
    low, high = (25, 36) if method == "verl/sft" else (45, 80)
    assert low <= len(recipe_of(method).parameters) <= high
    assert all(p.description.en and p.description.zh for p in recipe_of(method).parameters)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("profile", ["local", "gpu"])
def test_a_fresh_experiment_is_green_on_cpu_and_gpu(method, profile, tmp_path):
    catalog, recipe = load_catalog(), recipe_of(method)
    init_lab(tmp_path)
    folder = new_experiment(Lab(root=tmp_path), "fresh", recipe, catalog)
    made = prepare(folder, profile=VERL.proof_profile(recipe) if profile == "gpu" else None)
    assert made.findings == []
    assert made.plan is not None


@pytest.mark.parametrize(("method", "estimator"), ESTIMATORS.items())
def test_the_estimator_is_pinned_and_the_refusal_names_the_others(tmp_path, method, estimator):
    config, findings = judged(tmp_path, method)
    assert findings == []
    assert config.get("algorithm.adv_estimator") == estimator
    for how in ({"config": {"algorithm": {"adv_estimator": "rloo"}}},
                {"sets": ("algorithm.adv_estimator=rloo",)}):  # fmt: skip
        _, (finding,) = judged(tmp_path, method, **how)
        assert finding.code == "config/pinned"
        assert "`verl/rloo`" in str(finding.message.en) + str(finding.hint)
        assert "`verl/ppo`" in str(finding.message.zh) + str(finding.hint)


@pytest.mark.parametrize("method", list(ESTIMATORS))
@pytest.mark.parametrize(
    ("written", "meant"),
    [("GSPO", "gspo"), ("CISPO", "cispo"), ("GMPO", "geo_mean"), ("clip-cov", "clip_cov"),
     ("kl-cov", "kl_cov"), ("GPG", "gpg"), ("ppo", "vanilla"), ("SAPO", "sapo")],
)  # fmt: skip
def test_every_rl_method_takes_the_words_people_write_for_a_loss(tmp_path, method, written, meant):
    config, findings = judged(tmp_path, method, params={"policy_loss_mode": written})
    assert findings == []
    assert config.get(LOSS) == meant


@pytest.mark.parametrize("method", list(ESTIMATORS))
def test_rollout_correction_presets(tmp_path, method):
    section = "algorithm.rollout_correction"
    for word, threshold in (("tis", 2.0), ("IcePop", "0.5_5.0")):
        config, findings = judged(tmp_path, method, params={"rollout_correction": word})
        assert findings == []
        assert config.get(f"{section}.rollout_is") == "token"
        assert config.get(f"{section}.rollout_is_threshold") == threshold


def test_dapo_has_its_four_parts_on(tmp_path):
    config, _ = judged(tmp_path, "verl/dapo")
    assert config.get("actor_rollout_ref.actor.clip_ratio_high") == 0.28
    assert config.get("algorithm.filter_groups.enable") is True
    assert config.get("algorithm.filter_groups.metric") == "score"
    assert config.get("actor_rollout_ref.actor.loss_agg_mode") == "token-mean"
    assert config.get("reward.reward_manager.name") == "dapo"
    assert config.get("reward.reward_kwargs.overlong_buffer_cfg.enable") is True
    assert config.get("reward.reward_kwargs.overlong_buffer_cfg.penalty_factor") == 1.0


def test_remax_and_dapo_need_different_trainers(tmp_path):
    assert judged(tmp_path, "verl/remax")[0].get("trainer.use_v1") is False
    assert judged(tmp_path, "verl/dapo")[0].get("trainer.use_v1") is True
    for method in ("verl/remax", "verl/dapo"):
        (finding,) = judged(tmp_path, method, sets=("trainer.use_v1=true",))[1]
        assert finding.code == "config/pinned"


@pytest.mark.parametrize(
    ("method", "key", "new"),
    [
        ("verl/grpo", "custom_reward_function.path", "reward.custom_reward_function.path"),
        ("verl/grpo", "reward_model.model.path", "reward.reward_model.model_path"),
        ("verl/ppo", "sandbox_fusion.url", "reward.sandbox_fusion.url"),
        ("verl/rloo", "data.truncation", "filter_long_prompts"),
        ("verl/grpo", "actor_rollout_ref.actor.grad_clip", "max_grad_norm"),
        ("verl/dapo", "data.gen_batch_size", "max_inflight_gen_batches"),
        ("verl/dapo", "algorithm.filter_groups.max_num_gen_batches", "max_inflight_gen_batches"),
        ("verl/sft", "engine.dtype", "engine.mixed_precision"),
    ],
)
def test_keys_that_verl_never_reads_are_refused_with_the_one_that_works(tmp_path, method, key, new):
    (finding,) = judged(tmp_path, method, sets=(f"{key}=1",))[1]
    assert finding.code == "config/ignored-key"
    assert new in finding.hint.en


def test_distillation_belongs_to_its_method(tmp_path):
    for key in ("distillation.enabled=true", "distillation.distillation_loss.topk=4"):
        (finding,) = judged(tmp_path, "verl/grpo", sets=(key,))[1]
        assert finding.severity == "error"
        assert "verl/distillation" in finding.message.en
    assert judged(tmp_path, "verl/distillation")[0].get("distillation.enabled") is True
    pools = {role.name: role.pool for role in recipe_of("verl/distillation").roles}
    assert pools["teacher"] == "teacher" != pools["trainer"]


def test_hydras_plus_is_accepted_and_a_reference_is_followed(tmp_path):
    config, findings = judged(
        tmp_path, "verl/grpo",
        sets=("+actor_rollout_ref.rollout.repetition_penalty=1.1",
              "data.max_response_length=64",
              "actor_rollout_ref.rollout.max_model_len=${data.max_response_length}"),
    )  # fmt: skip
    assert findings == []
    assert config.get("actor_rollout_ref.rollout.repetition_penalty") == 1.1
    assert config.get("actor_rollout_ref.rollout.max_model_len") == 64


def test_values_that_are_null_in_verls_files_have_a_type(tmp_path):
    for key in ("trainer.total_training_steps", "actor_rollout_ref.actor.loss_scale_factor",
                "actor_rollout_ref.actor.policy_loss.dro_beta"):  # fmt: skip
        (finding,) = judged(tmp_path, "verl/grpo", sets=(f"{key}=often",))[1]
        assert finding.code == "config/wrong-type"

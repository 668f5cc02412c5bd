"""What must hold of the OpenRLHF recipes."""

import json
from pathlib import Path

import pytest

from starforge.catalog.load import load_catalog
from starforge.prepare import prepare
from starforge.streams import decode_scalars

METHODS = ["dpo", "grpo", "ppo", "reinforce-baseline", "rm", "sft"]
RL = {"grpo": "group_norm", "ppo": "gae", "reinforce-baseline": "reinforce_baseline"}
PAIRS = [{"prompt": "1 + 1 = ?", "chosen": "2", "rejected": "3"}] * 4
ROWS = {
    "sft": [{"prompt": "1 + 1 = ?", "completion": "2"}] * 4, "dpo": PAIRS, "rm": PAIRS,
    **dict.fromkeys(RL, [{"prompt": "1 + 1 = ?", "answer": "2"}] * 4),
}  # fmt: skip


def recipe(name):
    return load_catalog().recipe(f"openrlhf/{name}")


def prepared(folder, name, *, config=None, sets=(), **keys):
    folder.mkdir(exist_ok=True)
    rows = "".join(json.dumps(row) + "\n" for row in ROWS[name])
    (folder / "train.jsonl").write_text(rows)
    (folder / "reward.py").write_text("def reward(prompts, completions):\n    return [0.0]\n")
    written = {"method": f"openrlhf/{name}", "model": "starforge:tiny",
               "data": {"train": "train.jsonl"}, **keys}  # fmt: skip
    if name in RL:
        written.setdefault("reward", "reward.py")
    else:
        written["params"] = {"global_batch_size": 4, "batch_size": 4} | keys.get("params", {})
    (folder / "experiment.yaml").write_text(json.dumps(written))
    (folder / "config.yaml").write_text(json.dumps(config or {}))
    return prepare(folder, sets=sets)


def errors(made):
    return [finding for finding in made.findings if finding.severity == "error"]


def test_six_methods_are_published():
    names = [n for n in load_catalog().names() if n.startswith("openrlhf/")]
    assert names == [f"openrlhf/{name}" for name in METHODS]


@pytest.mark.parametrize("name", METHODS)
def test_everything_that_people_tune_is_published(name):
    made = recipe(name)
    low, high = (70, 95) if name in RL else (30, 45)
    assert low <= len(made.parameters) <= high
    assert all(parameter.description.zh for parameter in made.parameters)
    assert made.use_when.zh
    assert made.avoid_when.zh
    assert made.links
    assert len(made.data.example) >= 6


@pytest.mark.parametrize("name", METHODS)
def test_a_curve_has_one_canonical_name(name):
    """Upstream's `train/loss` is the last micro-batch's: it must not end up under ours."""
    made = recipe(name)
    natives = [native for metric in made.metrics for native in metric.native]
    assert len(natives) == len(set(natives))
    raw = {native for native in natives if "/" in native}
    renamed = {m.name for m in made.metrics if m.name not in m.native}
    # A name that we give may be upstream's for something else only if that one is renamed, too.
    assert renamed & raw <= {n for m in made.metrics for n in m.native if m.name != n}


@pytest.mark.parametrize(("name", "estimator"), RL.items())
def test_the_estimator_belongs_to_the_method(name, estimator, tmp_path):
    key = "algo.advantage.estimator"
    pin = next(pin for pin in recipe(name).pins if pin.path == key)
    assert pin.value == estimator
    other = next(value for value in RL.values() if value != estimator)
    for keys in ({"config": {key: other}}, {"sets": (f"{key}={other}",)}):
        (finding,) = errors(prepared(tmp_path / "exp", name, **keys))
        assert finding.code == "config/pinned"
        owner = next(method for method, its in RL.items() if its == other)
        assert f"openrlhf/{owner}" in finding.message.en + (finding.hint.en if finding.hint else "")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("adam.l", "adam.lr"), ("data.multi", "data.multiturn"), ("model.pretrain_mode", "model.pre")],
)
def test_abbreviated_flags_are_refused_with_the_full_name(tmp_path, written, meant):
    """Upstream's parser would take any unique beginning of a flag."""
    (finding,) = errors(prepared(tmp_path / "exp", "sft", config={written: 1}))
    assert finding.code == "config/unknown-key"
    assert meant in finding.hint.en


@pytest.mark.parametrize(
    ("name", "old", "hint"),
    [
        ("sft", "actor.model_name_or_path", "experiment.yaml"),
        ("sft", "learning_rate", "adam.lr"),
        ("rm", "chosen_key", "prompt"),
        ("dpo", "ref_pretrain", "ref.model_name_or_path"),
        ("grpo", "colocate_all_models", "train.colocate_all"),
        ("grpo", "prompt_max_len", "data.max_len"),
        ("grpo", "generate_max_len", "rollout.max_new_tokens"),
        ("grpo", "adam.lr", "actor.adam.lr"),
        ("ppo", "critic_learning_rate", "critic.adam.lr"),
        ("ppo", "advantage_estimator", "openrlhf/ppo"),
    ],
)
def test_flags_of_other_versions_name_todays(tmp_path, name, old, hint):
    (finding,) = errors(prepared(tmp_path / "exp", name, config={old: "x"}))
    assert finding.code in ("config/renamed-key", "config/unknown-key")
    assert hint in finding.hint.en


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("grpo", {"critic.freezing_steps": 5}),
        ("grpo", {"algo.advantage.lambd": 0.9}),
        ("reinforce-baseline", {"algo.advantage.gamma": 0.9}),
        ("sft", {"muon.ns_steps": 3}),
    ],
)
def test_keys_that_do_nothing_are_refused(tmp_path, name, config):
    (finding,) = errors(prepared(tmp_path / "exp", name, config=config))
    assert finding.code == "config/ignored-key"


def test_lora_is_refused_where_its_result_would_be_lost(tmp_path):
    for name in ("rm", *RL):
        (finding,) = errors(prepared(tmp_path / name, name, config={"ds.lora.rank": 8}))
        assert finding.code == "config/pinned"


def test_a_reward_models_loss_has_two_forms(tmp_path):
    (finding,) = errors(prepared(tmp_path / "exp", "rm", params={"loss_type": "hinge"}))
    assert finding.code == "config/not-a-choice"


def test_words_that_people_write_mean_upstreams(tmp_path):
    sizes = {"prompts_per_step": 4, "group_size": 4, "global_batch_size": 16}
    made = prepared(tmp_path / "exp", "grpo", params={"policy_loss_mode": "GSPO", **sizes})
    assert not errors(made)
    argv = made.plan.processes[0].argv
    assert argv[argv.index("--actor.policy_loss_type") + 1] == "gspo"


def test_methods_name_their_kin():
    catalog = load_catalog()
    for name in METHODS:
        for other in catalog.recipe(f"openrlhf/{name}").same_as:
            assert other in catalog.names(), f"{name} names {other}"


def test_what_becomes_of_the_critics_learning_rate(tmp_path):
    """It is no warm-up that lasts longer: upstream writes the mean over a step's batches.

    In the run of this file each step had two batches, one before and one after the update, and
    both models the same peak and the same warm-up.
    """
    file = Path(__file__).parent / "event_files" / "openrlhf-ppo.tfevents"
    series = decode_scalars("tensorboard", file.read_bytes(), final=True).series
    actor, critic = (list(series[name].values) for name in ("train/actor_lr", "train/critic_lr"))
    before = [0.0, *actor[:-1]]
    means = [(old + new) / 2 for old, new in zip(before, actor, strict=True)]
    assert critic == pytest.approx(means)
    (metric,) = [m for m in recipe("ppo").metrics if m.name == "train/critic_learning_rate"]
    assert "mean over the batches" in metric.description.en
    # The canonical name sets the model's alone, and says where the critic's is.
    config = prepared(tmp_path / "exp", "ppo", sets=("warmup_ratio=0.5",)).context.config
    assert config.get("actor.lr_warmup_ratio") == 0.5
    assert config.get("critic.lr_warmup_ratio") == 0.03
    (published,) = [p for p in recipe("ppo").parameters if p.name == "warmup_ratio"]
    assert "critic.lr_warmup_ratio" in published.description.en

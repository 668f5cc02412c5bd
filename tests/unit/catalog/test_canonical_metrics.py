"""Canonical metric names, on event files that real runs of the frameworks wrote."""

from pathlib import Path

import pytest
import yaml

from starforge.catalog.load import Catalog, load_catalog
from starforge.errors import StarForgeError
from starforge.frameworks.planfiles import metric_names
from starforge.server.store.naming import kept_name
from starforge.streams import decode_scalars

FILES = sorted((Path(__file__).parent / "event_files").glob("*.tfevents"))
CATALOG = load_catalog()
ONLINE = {
    "train/reward", "validation/reward", "train/loss", "train/kl", "train/entropy",
    "train/grad_norm", "train/learning_rate", "rollout/length_mean", "rollout/truncated_share",
    "timing/step_seconds",
}  # fmt: skip
FAMILIES = {
    "sft": {"train/loss", "validation/loss", "train/grad_norm", "train/learning_rate"},
    "dpo": {"train/loss", "validation/loss", "train/accuracy", "validation/accuracy",
            "train/chosen_reward", "train/rejected_reward", "train/grad_norm"},
    "rm": {"train/loss", "validation/loss", "train/accuracy", "validation/accuracy",
           "train/grad_norm"},
    "grpo": ONLINE,
    "rloo": ONLINE,
    "reinforce-baseline": ONLINE | {"rollout/mismatch_kl", "train/policy_kl"},
    "ppo": ONLINE | {"train/value_loss", "train/value_mean", "rollout/mismatch_kl"},
}  # fmt: skip


def method_of(file: Path) -> str:
    framework, _, method = file.stem.partition("-")
    return f"{framework}/{method}"


@pytest.mark.parametrize("name", CATALOG.names())
def test_every_name_is_in_the_list(name):
    for metric in CATALOG.recipe(name).metrics:
        listed = CATALOG.metrics[metric.name]
        assert set(listed) - {"unit"} == {"title", "description", "goal"}
        assert metric.title is not None and metric.title.zh and metric.unit == listed.get("unit")


def test_no_name_of_the_list_is_left_over():
    used = {m.name for name in CATALOG.names() for m in CATALOG.recipe(name).metrics}
    assert used == set(CATALOG.metrics)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_shares_its_core_names_over_all_frameworks(family):
    members = [name for name in CATALOG.names() if name.endswith(f"/{family}")]
    assert len(members) > 1
    for name in members:
        has = {metric.name for metric in CATALOG.recipe(name).metrics}
        assert FAMILIES[family] - has == set(), name


@pytest.mark.parametrize("name", CATALOG.names())
def test_an_upstream_name_means_one_thing(name):
    native = [one for metric in CATALOG.recipe(name).metrics for one in metric.native]
    assert len(native) == len(set(native))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_a_real_run_wrote_gets_its_names_and_nothing_falls_together(file):
    series = decode_scalars("tensorboard", file.read_bytes(), final=True).series
    recipe = CATALOG.recipe(method_of(file))
    names = metric_names(recipe)
    kept = [kept_name(upstream, names) for upstream in series]
    assert len(kept) == len(set(kept))
    # An upstream name without a mapping must not pass for a canonical one of another meaning.
    native = {one for metric in recipe.metrics for one in metric.native}
    strays = {upstream for upstream in series if upstream not in native}
    assert strays & {metric.name for metric in recipe.metrics} == set()
    got = {metric.name for metric in recipe.metrics} & set(kept)
    wanted = {"train/loss", "train/grad_norm", "train/learning_rate"}
    if recipe.reward != "none":
        wanted |= {"train/reward", "rollout/length_mean", "rollout/truncated_share",
                   "timing/step_seconds"}  # fmt: skip
    assert wanted - got == set()


def test_real_files_of_every_framework_that_runs_here_are_there():
    assert {method_of(file).partition("/")[0] for file in FILES} == {"trl", "verl", "openrlhf"}


def test_openrlhf_ppo_on_the_chart_of_verl_ppo():
    kept = []
    for stem in ("openrlhf-ppo", "verl-ppo"):
        file = next(file for file in FILES if file.stem == stem)
        names = metric_names(CATALOG.recipe(method_of(file)))
        series = decode_scalars("tensorboard", file.read_bytes(), final=True).series
        kept.append({kept_name(upstream, names) for upstream in series})
    assert kept[0] & kept[1] >= {
        "train/reward", "train/loss", "train/value_loss", "train/value_mean", "train/policy_kl",
        "train/clip_fraction", "train/critic_grad_norm", "train/critic_learning_rate",
        "rollout/length_mean", "rollout/truncated_share", "timing/step_seconds",
        "timing/generation_seconds", "timing/update_seconds", "timing/sync_seconds",
    }  # fmt: skip


def test_a_name_that_is_not_listed_must_describe_itself(data):
    (data / "metrics.yaml").write_text(
        "train/loss:\n  title: {en: Loss, zh: 损失}\n  goal: lower\n"
        "  description: {en: The loss., zh: 损失。}\n"
    )
    file = next(file for file in (data / "recipes").glob("*/*.yaml") if file.stem[0] != "_")
    name = f"{file.parent.name}/{file.stem}"
    raw = yaml.safe_load(file.read_text())
    raw["metrics"] = [{"name": "train/loss", "native": ["loss"]}]
    file.write_text(yaml.safe_dump(raw))
    assert Catalog(data).recipe(name).metrics[0].goal == "lower"
    raw["metrics"][0]["name"] = "train/los"
    file.write_text(yaml.safe_dump(raw))
    with pytest.raises(StarForgeError) as caught:
        Catalog(data).recipe(name)
    assert "train/los" in caught.value.render("en") and "train/loss" in caught.value.render("en")

"""Fragments that recipes share, presets, aliases and ignored keys as the catalog loads them."""

import shutil
from pathlib import Path

import pytest

from starforge.catalog.load import Catalog
from starforge.errors import StarForgeError

DATA = Path(__file__).parents[2] / "data/catalog_policy"


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(DATA, tmp_path / "catalog"))


def test_fragments_are_no_methods_and_their_fields_arrive():
    catalog = Catalog(DATA)
    assert catalog.names() == ["maxi/critic", "maxi/group"]
    group = catalog.recipe("maxi/group")
    assert [p.name for p in group.parameters] == [
        "learning_rate", "max_tokens", "policy_loss_mode", "rollout_is",
    ]  # fmt: skip
    assert (group.data.kind, group.entry.module, group.algorithm) == (
        "verifiable", "maxi.main", "group",
    )  # fmt: skip
    assert catalog.header("maxi/group").data == "verifiable"


def test_a_recipe_wins_entry_by_entry():
    recipe = Catalog(DATA).recipe("maxi/critic")
    assert [(pin.path, pin.value) for pin in recipe.pins] == [
        ("algorithm.estimator", "gae"), ("data.length", 64),
    ]  # fmt: skip
    assert recipe.parameter("rollout_is") is None
    rate = recipe.parameter("learning_rate")
    assert (rate.path, rate.minimum) == ("policy.optim.lr", 1e-7)
    assert [m.name for m in recipe.metrics] == ["train/loss", "train/value"]


def test_a_change_of_a_fragment_changes_the_digest_of_what_includes_it(folder):
    before = Catalog(folder).recipe("maxi/group").digest
    file = folder / "recipes/maxi/_policy.yaml"
    file.write_text(file.read_text().replace("value: group", "value: groups"))
    assert Catalog(folder).recipe("maxi/group").digest != before


BROKEN = [
    ("group.yaml", "include: [_policy]", "include: [_polciy]", "no fragment _polciy.yaml"),
    ("group.yaml", "include: [_policy]", "include: [critic]", "no fragment critic.yaml"),
    ("_policy.yaml", "framework: maxi", "include: [_other]\nframework: maxi", "can't include"),
    ("_policy.yaml", "new: reward.path", "new: reward.paths", "`reward.paths` is not in"),
    ("_policy.yaml", "path: legacy", "path: legacies", "ignored: `legacies` is not in"),
    ("_policy.yaml", "path: legacy", "path: policy.optim", "holds the parameter `learning_rate`"),
    ("_policy.yaml", "values: {algorithm.is: token, algorithm.is_threshold: 2.0}",
     "values: {algorithm.is: 3}", "algorithm.is=3 is not"),
    ("_policy.yaml", "values: {algorithm.is: token, algorithm.is_threshold: 2.0}",
     "values: {algorithm.ish: token}", "`algorithm.ish` is not in the contract"),
    ("_policy.yaml", "values: {algorithm.is: token, algorithm.is_threshold: 2.0}",
     "values: {algorithm.estimator: gae}", "`algorithm.estimator` is pinned"),
    ("_policy.yaml", "name: rollout_correction", "name: rollout_is", "is also a parameter"),
    ("_policy.yaml", "GMPO: geo_mean", "GMPO: gmpo", "'gmpo' is not one of its choices"),
    ("group.yaml", "summary:", "scaffold: {reward: reward.py}\nsummary:", "not one of scaffold"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "problem"), BROKEN)
def test_broken_files_say_what_is_wrong(folder, file, old, new, problem):
    path = folder / "recipes/maxi" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(StarForgeError) as caught:
        Catalog(folder).recipe("maxi/group")
    assert problem in caught.value.message.en

"""Aliases, presets, ignored keys and interpolation, as an experiment meets them."""

from pathlib import Path

import pytest

from starforge.catalog.load import Catalog
from starforge.lab.experiment import load_experiment
from starforge.lab.interpolation import effective, is_interpolation
from starforge.lab.resolve import resolve

DATA = Path(__file__).parents[2] / "data/catalog_policy"


@pytest.fixture
def policy(write):
    """Resolve an experiment of maxi/group: (config, findings)."""

    def policy(params="", config=None, sets=()):
        body = "method: maxi/group\n" + (f"params: {params}\n" if params else "")
        experiment, findings = load_experiment(write(body, config or "{}"))
        catalog = Catalog(DATA)
        recipe = catalog.recipe("maxi/group")
        made, more = resolve(experiment, recipe, catalog.contract(recipe), sets)
        return made, findings + more

    return policy


@pytest.mark.parametrize("word", ["GMPO", "gmpo", "geo_mean"])
def test_other_words_for_a_value_become_upstreams(policy, word):
    for made, findings in (
        policy(f"{{policy_loss_mode: {word}}}"),
        policy(config=f"policy: {{loss_mode: {word}}}"),
        policy(sets=[f"policy_loss_mode={word}"]),
    ):
        assert findings == []
        assert made.get("policy.loss_mode") == "geo_mean"


def test_an_unknown_word_is_refused_with_the_choices(policy):
    _, (finding,) = policy("{policy_loss_mode: gspoo}")
    assert finding.code == "config/not-a-choice" and "gspo" in finding.hint.en


def test_a_preset_sets_its_keys_and_yields_to_single_settings(policy):
    made, findings = policy("{rollout_correction: TIS}")
    assert findings == []
    assert (made.get("algorithm.is"), made.get("algorithm.is_threshold")) == ("token", 2.0)
    assert made.source("algorithm.is") == "experiment.yaml"
    for made, findings in (
        policy("{rollout_correction: icepop, rollout_is: sequence}"),
        policy("{rollout_correction: icepop}", config="algorithm: {is: sequence}"),
        policy("{rollout_correction: icepop}", sets=["rollout_is=sequence"]),
        policy(sets=["rollout_is=sequence", "rollout_correction=icepop"]),
    ):
        assert findings == []
        assert made.get("algorithm.is") == "sequence"
        assert made.get("algorithm.is_threshold") == "0.5_5.0"


def test_an_unknown_preset_choice_is_refused(policy):
    _, (finding,) = policy("{rollout_correction: icepopp}")
    assert finding.code == "config/not-a-choice" and "icepop" in finding.hint.en


@pytest.mark.parametrize("config", ["legacy: {reward: {path: my.py}}", "legacy.reward.path: my.py"])
def test_a_key_that_does_nothing_is_refused_with_the_one_that_works(policy, config):
    made, (finding,) = policy(config=config)
    assert finding.code == "config/ignored-key"
    assert "reward.path" in finding.hint.en and "version 1" in finding.message.en
    assert made.get("legacy.reward.path") is None


def test_the_plus_of_hydra_is_no_bother(policy):
    for sets in (["+policy.precision={a: 1}"], ["++policy.precision={a: 1}"]):
        made, findings = policy(sets=sets)
        assert findings == [] and made.get("policy.precision") == {"a": 1}
    made, findings = policy(config='"+policy.precision": {a: 1}')
    assert findings == [] and made.get("policy.precision") == {"a": 1}


def test_interpolation_is_followed_and_checked(policy):
    made, findings = policy(config='policy: {max_length: "${data.length}"}')
    assert findings == []
    assert made.get("policy.max_length") == 512 and made.parameters["max_tokens"] == 512
    _, (finding,) = policy(config='policy: {max_length: "${data.lenght}"}')
    assert finding.code == "config/interpolation" and "data.length" in finding.hint.en


def test_references_are_followed_through_levels_and_never_for_ever():
    values = {"a.b": "${c}", "c": "${a.d}", "a.d": "${.e}", "a.e": 5, "x": "${y}", "y": "${x}",
              "m": "${mul:2,3}", "s": "${oc.select:gone,3}", "t": "${oc.select:a.e,3}"}  # fmt: skip
    assert effective(values, "a.b") == 5
    assert is_interpolation(effective(values, "x"))
    assert effective(values, "m") == "${mul:2,3}"
    assert effective(values, "s") == "${oc.select:gone,3}"
    assert effective(values, "t") == 5


def test_a_pin_is_refused_in_config_and_set_with_its_reason(policy):
    for _, findings in (
        policy(config="algorithm: {estimator: gae}"),
        policy(sets=["algorithm.estimator=gae"]),
        policy(sets=["+algorithm.estimator=gae"]),
    ):
        (finding,) = findings
        assert finding.code == "config/pinned" and "It is the method." in finding.message.en

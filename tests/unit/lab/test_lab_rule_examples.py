"""The bad and good examples of the config rules, judged against the real trl/sft."""

import shlex

import pytest

from starforge.catalog.load import load_catalog
from starforge.findings import all_rules
from starforge.lab.experiment import load_experiment
from starforge.lab.resolve import resolve

# `config/conflict` is about two files; nothing of trl/sft is deprecated, ignored or interpolated.
IN_WORDS = {
    "config/conflict",
    "config/deprecated-key",
    "set/two-meanings",
    "config/ignored-key",
    "config/interpolation",
}
RULES = [
    rule
    for rule in all_rules()
    if rule.code.startswith(("config/", "set/")) and rule.code not in IN_WORDS
]


def judge(write, example):
    sets, text, config = [], "method: trl/sft\n", None
    if example.startswith("--set "):
        sets = [shlex.split(example)[1].replace("targets=", "lora_target_modules=")]
    elif example.startswith("method:"):
        text = example
    else:
        config = example
    experiment, findings = load_experiment(write(text, config))
    recipe = load_catalog().recipe("trl/sft")
    contract = load_catalog().contract(recipe)
    return [f.code for f in findings + resolve(experiment, recipe, contract, sets)[1]]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_bad_example_is_found_and_the_good_one_is_fine(write, rule):
    assert judge(write, rule.bad) == [rule.code]
    assert judge(write, rule.good) == []

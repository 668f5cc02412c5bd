"""The examples in the rules' own documentation do what they say."""

import re

import pytest

from starforge.checks import rules_data, run_checks
from starforge.checks.data import check_data
from starforge.findings import Rule, all_rules

# Told in words: they need two files, a long one, many rows, a reward or a mapping.
NOT_ROWS = {
    "data/overlap", "data/long-rows", "data/label-ratio", "data/reward-column",
    "data/contamination", "data/map-unknown", "data/map-taken",
}  # fmt: skip
METHODS = {"data/same-answers": "trl/dpo", "data/one-label": "trl/kto"}
DATA = [r for r in vars(rules_data).values() if isinstance(r, Rule) and r.code not in NOT_ROWS]


@pytest.mark.parametrize("rule", DATA, ids=lambda rule: rule.code)
def test_data_examples(make_context, rule):
    method = METHODS.get(rule.code, "trl/sft")
    assert rule.code in {f.code for f in check_data(make_context(rule.bad, method=method))}
    assert check_data(make_context(rule.good, method=method)) == []


def test_every_rule_of_the_checks_is_complete_in_both_languages():
    areas = ("data/", "model/", "training/", "resources/", "custom/", "trl/")
    rules = [rule for rule in all_rules() if rule.code.startswith(areas)]
    assert len(rules) > 30
    for rule in rules:
        for text in filter(None, (rule.title, rule.message, rule.hint, rule.why)):
            if re.fullmatch(r"\{[a-z.]+\}", text.en):
                continue  # the check itself gives the whole text
            assert text.en.strip(), rule.code
            assert any("\u4e00" <= letter <= "\u9fff" for letter in text.zh), rule.code
        assert rule.bad != rule.good, rule.code


def test_run_checks_joins_all_areas(make_context):
    context = make_context(
        [{"a": 1}], params={"epochs": 0}, config={"fsdp": "full_shard"}, resources="gpu:1"
    )
    areas = {f.code.partition("/")[0] for f in run_checks(context)}
    assert areas == {"training", "data", "resources"}

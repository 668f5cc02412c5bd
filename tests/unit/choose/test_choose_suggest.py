"""Which methods come first, and that rules, catalog and flowchart agree."""

from __future__ import annotations

import pytest

from starforge.catalog.load import DATA, Catalog, load_catalog
from starforge.choose.detect import detect
from starforge.choose.flowchart import mermaid
from starforge.choose.rules import BRANCHES
from starforge.choose.suggest import Situation, is_tight, largest_model, recommend
from starforge.lang import set_lang

TASK = {"prompt": "2+2?", "answer": "4"}
CPU = Situation(gpus=0)
BIG = Situation(gpus=8, gpu_memory=80)
SMALL = Situation(gpus=1, gpu_memory=24)


def best(row, situation, catalog=None):
    return recommend(detect([row] * 2), situation, catalog or load_catalog(), "d.jsonl")


def names(row, situation):
    return [one.method for one in best(row, situation)]


# The seed's flowchart: what comes first for each kind, and in each special case.
FIRST = [
    ({"prompt": "a", "completion": "b"}, BIG, ["nemo-rl/sft", "trl/sft", "openrlhf/sft"]),
    ({"prompt": "a", "chosen": "b", "rejected": "c"}, BIG,
     ["nemo-rl/dpo", "trl/dpo", "openrlhf/dpo", "nemo-rl/rm"]),
    ({"prompt": "a", "completion": "b", "label": True}, BIG, ["trl/kto"]),
    (TASK, BIG, ["nemo-rl/grpo"]),
    (TASK, SMALL, ["nemo-rl/grpo-lora", "nemo-rl/grpo"]),
    (TASK | {"step_rewards": [1]}, BIG, ["nemo-rl/ppo", "verl/ppo", "openrlhf/ppo"]),
    (TASK | {"pass_rate": 0.1}, BIG, ["nemo-rl/maxrl"]),
    ({"prompt": "a"}, Situation(gpus=8, teacher="T"),
     ["nemo-rl/distillation", "verl/distillation", "trl/opsd"]),
    ({"prompt": "a", "solution": "so it goes"}, BIG, ["nemo-rl/opsd"]),
    ({"prompt": "a", "completion": "b"}, CPU, ["trl/sft", "verl/sft", "openrlhf/sft"]),
    (TASK, CPU, ["trl/grpo", "trl/rloo", "verl/grpo"]),
    (TASK | {"step_rewards": [1]}, CPU, ["verl/ppo", "openrlhf/ppo"]),
    ({"prompt": "a", "chosen": "b", "rejected": "c"}, CPU, ["trl/dpo", "openrlhf/dpo", "trl/rm"]),
]  # fmt: skip


@pytest.mark.parametrize(("row", "situation", "expected"), FIRST)
def test_the_first_methods(row, situation, expected):
    assert names(row, situation)[: len(expected)] == expected


def test_without_a_gpu_what_needs_one_comes_last_and_says_so():
    found = best(TASK, CPU)
    needs = [load_catalog().recipe(one.method).minimum.gpus > 0 for one in found]
    assert needs == sorted(needs) and any(needs)
    assert "needs 1 GPU" in found[-1].reason.en and "需要 1 块 GPU" in found[-1].reason.zh
    assert "runs without a GPU" in found[0].reason.en


def test_a_method_needs_its_columns():
    assert names({"text": "once upon a time"}, BIG) == ["trl/sft", "openrlhf/sft"]
    assert "nemo-rl/opsd" not in names({"prompt": "a"}, BIG)
    assert "nemo-rl/opsd" in names(TASK | {"solution": "count"}, BIG)


def test_a_teacher_opens_distillation_for_whatever_has_prompts():
    taught = Situation(gpus=8, teacher="org/big model")
    found = best({"prompt": "a", "completion": "b"}, taught)
    assert [one.method for one in found][:3] == [
        "nemo-rl/distillation", "verl/distillation", "trl/opsd",
    ]  # fmt: skip
    assert found[0].command.endswith("--teacher 'org/big model'")
    assert "nemo-rl/sft" in [one.method for one in found]
    alone = {one.method: one for one in best({"prompt": "a"}, BIG)}
    assert "--teacher" in alone["trl/opsd"].reason.en
    assert "nemo-rl/grpo" in alone, "with a reward instead of a teacher"


def test_commands_rename_only_what_the_method_reads():
    row = {"question": "a", "answer": "because it is so, and has been"}
    found = {one.method: one.command for one in best(row, Situation(gpus=1, teacher="T"))}
    assert found["trl/sft"] == (
        "sf new my-sft --method trl/sft --data d.jsonl --map prompt=question "
        "--map completion=answer"
    )
    assert "completion" not in found["trl/opsd"] and "prompt=question" in found["trl/opsd"]


def test_memory():
    assert largest_model(Situation(gpus=1)) is None and not is_tight(Situation(gpus=1))
    assert largest_model(BIG) == pytest.approx(24e9)
    assert is_tight(SMALL) and not is_tight(BIG) and not is_tight(CPU)
    lora = next(one for one in best({"prompt": "a", "completion": "b"}, SMALL))
    assert "lora" in lora.reason.en


def test_every_trainable_method_has_its_place_in_the_rules():
    catalog = load_catalog()
    ruled = {(branch.kind, one.method) for branch in BRANCHES for one in branch.advice}
    for header in catalog.headers():
        if header.data != "none":
            assert (header.data, header.name) in ruled
    assert {method for _, method in ruled} <= set(catalog.names())


def test_hidden_methods_are_not_recommended():
    catalog = Catalog(DATA, without=frozenset({"nemo-rl/grpo", "nemo-rl/grpo-lora"}))
    assert best(TASK, BIG, catalog)[0].method == "nemo-rl/ppo"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_flowchart_holds_every_rule(lang):
    set_lang(lang)
    try:
        chart = mermaid()
        conditions = [one.when.pick() for b in BRANCHES for one in b.advice if one.when]
    finally:
        set_lang(None)
    assert chart.startswith("flowchart TD")
    assert all(one.method in chart for branch in BRANCHES for one in branch.advice)
    assert all(condition in chart for condition in conditions)
    assert all(line.count('"') % 2 == 0 and line.count("[") == line.count("]")
               for line in chart.splitlines())  # fmt: skip

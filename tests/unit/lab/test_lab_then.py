"""``then`` of experiment.yaml: what a step may be, and what is said of one that is none."""

import json

import msgspec
import pytest

from starforge.catalog.load import load_catalog
from starforge.prepare import prepare

SFT = {"method": "trl/sft", "model": "starforge:tiny", "data": {"train": "train.jsonl"}}


@pytest.fixture
def check(tmp_path):
    """Prepare an experiment with ``then``; return its plan and (code, key) of its findings."""

    def check(then, **keys):
        folder = tmp_path / "exp"
        folder.mkdir(exist_ok=True)
        row = {"prompt": "a", "completion": "b", "chosen": "b", "rejected": "c"}
        (folder / "train.jsonl").write_text(json.dumps(row) + "\n")
        (folder / "experiment.yaml").write_text(json.dumps({**SFT, **keys, "then": then}))
        done = prepare(folder)
        found = [(f.code, f.at.key) for f in done.findings if (f.at.key or "").startswith("then")]
        return done.plan, found

    return check


def test_steps_are_part_of_the_plan(check):
    plan, found = check(["export", "basics", {"benchmark": ["arithmetic", "gsm8k"], "limit": 4}])
    assert [code for code, _ in found] == ["eval/needs-hub"]
    export, basics, both = plan.then
    assert (export.kind, export.method, export.form, export.scores) == (
        "export", "trl/export", "model", False,
    )  # fmt: skip
    assert basics.params == {"benchmarks": ["basics"]}
    assert both.params == {"benchmarks": ["arithmetic", "gsm8k"], "limit": 4}
    assert plan.digest() != check(["export"])[0].digest()


def test_the_method_of_benchmarks_alone_asks_the_basics(check):
    assert check(["evalkit/benchmark"])[0].then[0].params == {"benchmarks": ["basics"]}


@pytest.mark.parametrize(
    ("step", "code", "key"),
    [
        ({"bench": "basics"}, "then/step", "then.0"),
        ({"export": "gguf"}, "then/step", "then.0"),
        ({"benchmark": []}, "then/step", "then.0"),
        (3, "then/step", "then.0"),
        (["export"], "then/step", "then.0"),
        ("bascis", "eval/unknown-benchmark", "then.0.benchmark"),
        ({"benchmark": "basics", "lmit": 3}, "config/unknown-parameter", "then.0.lmit"),
        ({"benchmark": "basics", "limit": "x"}, "config/wrong-type", "then.0.limit"),
        (
            {"benchmark": "basics", "resources": "tpu"},
            "experiment/unknown-profile",
            "then.0.resources",
        ),
        ({"benchmark": "gsm8k", "data": "none.jsonl"}, "then/data", "then.0.data"),
        ({"benchmark": "gsm8k", "data": "../exp/train.jsonl"}, "then/data", "then.0.data"),
    ],
)
def test_what_is_no_step_is_found_before_the_training(check, step, code, key):
    plan, found = check([step])
    assert (plan, found) == (None, [(code, key)])


def test_a_text_instead_of_a_list(check):
    assert check("export")[1] == [("experiment/wrong-type", "then")]


def test_a_step_twice_is_done_once(check):
    plan, found = check(["basics", {"benchmark": "basics"}])
    assert (len(plan.then), found) == (1, [("then/twice", "then.1")])


def test_a_reward_model_is_not_asked_but_exported(check):
    plan, found = check(["export", "basics"], method="trl/rm")
    assert (plan, found) == (None, [("then/reward-model", "then.1")])
    plan, _ = check(["export"], method="trl/rm")
    assert plan.then[0].scores


def test_nothing_follows_a_benchmark(check):
    plan, found = check(["export"], method="evalkit/benchmark", params={"benchmarks": ["basics"]})
    assert (plan, found) == (None, [("then/no-model", "then.0")])


def test_own_packs_and_items_travel(check, tmp_path):
    lab = tmp_path
    (lab / "starforge.yaml").write_text("")
    pack = lab / "benchmarks" / "mine"
    pack.mkdir(parents=True)
    (pack / "test.jsonl").write_text('{"question": "a", "answer": "b"}\n')
    (pack / "pack.yaml").write_text(json.dumps({
        "name": "mine", "version": "1", "licence": "own",
        "title": {"en": "m", "zh": "m"}, "description": {"en": "m", "zh": "m"},
        "provenance": {"en": "m", "zh": "m"}, "primary": {"metric": "exact_match"},
        "data": {"test": "test.jsonl"},
        "task": {"output_type": "generate_until", "doc_to_text": "{{question}}",
                 "doc_to_target": "{{answer}}", "metric_list": [{"metric": "exact_match"}]},
    }))  # fmt: skip
    plan, found = check(["mine"])
    assert found == []
    assert {"code/benchmarks/mine/pack.yaml", "code/benchmarks/mine/test.jsonl"} <= {
        file.path for file in plan.files
    }


def test_the_plan_without_steps_is_as_before(check):
    plan, _ = check([])
    assert not plan.then
    assert "then" not in msgspec.to_builtins(plan)


def test_methods_without_a_final_model_are_known():
    catalog = load_catalog()
    without = {
        name for name in catalog.names()
        if (found := catalog.recipe(name)).checkpoint is None or found.checkpoint.final is None
    }  # fmt: skip
    assert "trl/sft" not in without
    assert "evalkit/benchmark" in without

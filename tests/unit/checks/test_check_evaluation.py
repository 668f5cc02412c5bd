import json

import pytest

from starforge.checks import rules_evaluation
from starforge.checks.evaluation import check_evaluation
from starforge.findings import Rule
from starforge.lab.inputs import LocalResolver
from starforge.prepare import prepare

PACK = {
    "name": "mine", "version": "1", "title": {"en": "Mine", "zh": "我的"},
    "description": {"en": "d", "zh": "说明"}, "licence": "MIT",
    "provenance": {"en": "me", "zh": "我"}, "primary": {"metric": "exact_match"},
    "columns": ["question", "answer"], "data": {"test": "rows.jsonl"},
    "task": {"output_type": "generate_until", "doc_to_text": "{{question}}"},
}  # fmt: skip
ROWS = '{"question": "1+1", "answer": "2"}\n'


@pytest.fixture
def lab(tmp_path):
    """Return a function that writes a lab with one experiment and prepares it."""

    def make(params, *, pack=PACK, rows=ROWS, test=None, model="starforge:tiny", sets=()):
        (tmp_path / "starforge.yaml").write_text("{}")
        folder = tmp_path / "experiments" / "e"
        folder.mkdir(parents=True, exist_ok=True)
        own = tmp_path / "benchmarks" / "mine"
        own.mkdir(parents=True, exist_ok=True)
        (own / "pack.yaml").write_text(json.dumps(pack), "utf-8")
        if rows is not None:
            (own / "rows.jsonl").write_text(rows, "utf-8")
        written = {"method": "evalkit/benchmark", "model": str(model), "params": params}
        if test is not None:
            (folder / "test.jsonl").write_text(test, "utf-8")
            written["data"] = {"test": "test.jsonl"}
        (folder / "experiment.yaml").write_text(json.dumps(written), "utf-8")
        return prepare(folder, sets=sets, resolver=LocalResolver(folder, tmp_path))

    return make


def codes(prepared, prefix="eval/"):
    return [f.code for f in prepared.findings if f.code.startswith(prefix)]


def test_good_choices_have_nothing_to_say(lab):
    assert codes(lab({"benchmarks": ["basics", "arithmetic", "mine"]})) == []


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "eval/no-benchmarks"),
        ({"benchmarks": []}, "eval/no-benchmarks"),
        ({"benchmarks": ["gms8k"]}, "eval/unknown-benchmark"),
        ({"benchmarks": [{"task": "x"}]}, "eval/not-a-name"),
        ({"benchmarks": ["humaneval"]}, "eval/code-not-allowed"),
        ({"benchmarks": ["mmlu"]}, "eval/needs-hub"),
    ],
)
def test_choices(lab, params, code):
    prepared = lab(params)
    assert code in codes(prepared)
    assert prepared.ok is (code == "eval/needs-hub")


def test_unknown_name_offers_the_nearest_at_its_line(lab):
    finding = next(f for f in lab({"benchmarks": ["minee"]}).findings if f.code.startswith("eval/"))
    assert "mine" in finding.to_public("en")["hint"]
    assert finding.at.file == "experiment.yaml" and finding.at.key == "params.benchmarks"


def test_generated_code_may_be_allowed(lab):
    prepared = lab({"benchmarks": ["humaneval"], "run_generated_code": True})
    assert set(codes(prepared)) == {"eval/needs-hub", "eval/base-task"}
    assert prepared.plan.processes[0].env["HF_ALLOW_CODE_EVAL"] == "1"


@pytest.mark.parametrize(
    ("task", "params", "told"),
    [
        ("mbpp", {}, "mbpp_instruct"),
        ("mbpp", {"apply_chat_template": False}, None),
        ("mbpp_instruct", {}, None),
    ],
)
def test_a_task_for_base_models_is_not_asked_as_a_chat(lab, task, params, told):
    """Case 57."""
    hub = {"task": task, "dataset": "google-research-datasets/mbpp"}
    pack = {key: PACK[key] for key in PACK if key not in ("data", "columns", "task")}
    prepared = lab({"benchmarks": ["mine"], **params}, pack={**pack, "hub": hub}, rows=None)
    found = [one for one in prepared.findings if one.code == "eval/base-task"]
    assert prepared.ok and [told in one.hint.en for one in found] == ([True] if told else [])


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"pack": PACK | {"primary": 3}}, "eval/broken-pack"),
        ({"pack": PACK | {"data": {"test": {"generator": "no", "seed": 1, "items": 2}}}},
         "eval/broken-pack"),
        ({"rows": None}, "eval/no-items"),
        ({"pack": PACK | {"data": None}}, "eval/no-items"),
        ({"rows": '{"question": "1+1"}\n'}, "eval/bad-items"),
        ({"rows": "nonsense\n"}, "eval/bad-items"),
        ({"rows": "[1]\n"}, "eval/bad-items"),
    ],
)  # fmt: skip
def test_own_packs(lab, changes, code):
    prepared = lab({"benchmarks": ["mine"]}, **changes)
    assert codes(prepared) == [code] and not prepared.ok
    assert all(f.to_public("zh")["hint"] for f in prepared.findings)


def test_row_findings_name_the_row_and_are_capped(lab):
    rows = ROWS + '{"question": "x", "answer": ""}\n' * 9
    found = [f for f in lab({"benchmarks": ["mine"]}, rows=rows).findings if "items" in f.code]
    assert len(found) == 5
    assert "row 2" in found[0].to_public("en")["message"]


def test_own_pack_chosen_with_set_does_not_travel_and_is_told(lab):
    prepared = lab({}, sets=["benchmarks=[mine]"])
    assert codes(prepared) == ["eval/no-items"]
    assert "--set" in prepared.findings[-1].to_public("en")["hint"]


def test_rows_of_the_experiment_go_to_the_one_benchmark_that_takes_them(lab):
    row = '{"question": "q", "answer": "1"}\n'
    assert codes(lab({"benchmarks": ["gsm8k", "basics"]}, test=row)) == []
    assert codes(lab({"benchmarks": ["basics"]}, test=row)) == ["eval/test-not-taken"]
    bad = lab({"benchmarks": ["gsm8k"]}, test='{"problem": "q"}\n')
    assert codes(bad) == ["eval/bad-items"]
    assert bad.findings[-1].at.key == "data.test"


def test_model_without_a_chat_template(lab, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"architectures": ["X"]}')
    (folder / "tokenizer.json").write_text("{}")
    asked = {"benchmarks": ["basics"]}
    assert "eval/no-chat-template" in codes(lab(asked, model=folder))
    assert codes(lab(asked | {"apply_chat_template": False}, model=folder)) == []
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    assert codes(lab(asked, model=folder)) == []


def test_every_rule_is_complete_in_both_languages():
    rules = [rule for rule in vars(rules_evaluation).values() if isinstance(rule, Rule)]
    assert len(rules) == 11
    for rule in rules:
        assert rule.code.startswith("eval/") and rule.bad != rule.good
        for text in (rule.title, rule.why):
            assert any("\u4e00" <= letter <= "\u9fff" for letter in text.zh)


def test_checks_are_those_of_the_framework(lab):
    context = lab({"benchmarks": ["nope"]}).context
    assert [f.code for f in check_evaluation(context)] == ["eval/unknown-benchmark"]

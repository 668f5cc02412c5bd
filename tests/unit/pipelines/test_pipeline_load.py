"""pipeline.yaml is read whole, and what can't be used is said with its place."""

import pytest

from starforge.pipelines import rules
from starforge.pipelines.gates import parse_gate
from starforge.pipelines.load import MAX_STAGES, load_pipeline
from starforge.pipelines.model import Gate, Result

WHOLE = """\
name: math
description: about
stages:
  sft: {experiment: sft, model: models/x, resources: gpu:2}
  base-score: {benchmark: gsm8k, model: models/x, data: items.jsonl}
  grpo:
    experiment: grpo
    init_from: sft@best
    set: {learning_rate: 1e-6, name: "a b"}
    data_from: {train: "sft:output/made/rows.jsonl"}
    needs: base-score
    retries: 1
  score: {benchmark: [gsm8k, basics], model_from: grpo, gate: gsm8k.exact_match >= 0.4}
"""


def codes(findings):
    return [finding.code for finding in findings]


def read(text):
    return load_pipeline(text.encode(), "folder")


def test_a_whole_pipeline_is_read():
    pipeline, findings = read(WHOLE)
    assert findings == []
    assert (pipeline.name, pipeline.description) == ("math", "about")
    sft, base, grpo, score = pipeline.stages.values()
    assert (sft.kind, sft.replace, sft.resources) == ("experiment", {"model": "models/x"}, "gpu:2")
    assert base.replace == {"model": "models/x", "data.test": "items.jsonl"}
    assert grpo.results == {
        "model": Result(stage="sft", key="init_from", which="best"),
        "data.train": Result(stage="sft", key="data_from.train", path="made/rows.jsonl"),
    }
    assert [one.reference for one in grpo.results.values()] == [
        "stage:sft@best", "stage:sft:made/rows.jsonl",
    ]  # fmt: skip
    assert grpo.set_texts == ["learning_rate=1e-6", 'name="a b"']
    assert (grpo.needs, grpo.retries) == (["base-score"], 1)
    assert score.benchmarks == ["gsm8k", "basics"]
    assert score.gates[0].number == 0.4
    at = pipeline.at_stage("grpo", "init_from")
    assert (at.line, at.column, at.value) == (8, 5, "sft@best")


def test_without_a_name_it_has_that_of_its_folder():
    assert read("stages: {a: {experiment: a}}")[0].name == "folder"


@pytest.mark.parametrize(
    ("stage", "code"),
    [
        ("{experiment: a, retry: 1}", rules.UNKNOWN_KEY),
        ("{experiment: a, retries: two}", rules.WRONG_TYPE),
        ("{experiment: a, retries: 11}", rules.WRONG_TYPE),
        ("{experiment: a, data: rows.jsonl}", rules.WRONG_TYPE),
        ("{experiment: a, data: {tran: x}}", rules.UNKNOWN_KEY),
        ("[a]", rules.WRONG_TYPE),
        ("{needs: []}", rules.ONE_KIND),
        ("{experiment: a, benchmark: basics}", rules.ONE_KIND),
        ("{experiment: a, model: m, init_from: b}", rules.TWO_SOURCES),
        ("{experiment: a, model_from: b, init_from: c}", rules.TWO_SOURCES),
        ("{experiment: a, init_from: b@newest}", rules.RESULT_FORM),
        ("{experiment: a, data_from: {train: b}}", rules.RESULT_FORM),
        ("{experiment: a, data_from: {train: 'b:../../record/plan.json'}}", rules.RESULT_FORM),
        ("{experiment: a, data_from: {train: 'b:/etc/passwd'}}", rules.RESULT_FORM),
        ("{experiment: a, gate: loss < 2}", rules.GATE),
    ],
)
def test_what_can_not_be_used_is_said(stage, code):
    findings = read(f"stages:\n  s: {stage}\n")[1]
    assert codes(findings) == [code.code]
    assert findings[0].at.line == 2


def test_a_slip_gets_the_right_key():
    hints = {
        key: read(f"stages: {{s: {{experiment: a, {key}: 1}}}}")[1][0].hint.en
        for key in ("retrie", "depends_on", "params")
    }
    assert "`retries`" in hints["retrie"]
    assert "`needs`" in hints["depends_on"]
    assert "`set`" in hints["params"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "pipeline/no-stages"),
        ("stages: {}", "pipeline/no-stages"),
        ("stages: [a]", "pipeline/wrong-type"),
        ("stages: {1a: {experiment: a}}", "pipeline/stage-name"),
        ("stages: {'a@b': {experiment: a}}", "pipeline/stage-name"),
        ("stages: {a: {experiment: a}", "yaml/syntax"),
        ("- a", "yaml/root"),
    ],
)
def test_files_that_are_no_pipeline(text, code):
    assert code in codes(read(text)[1])


def test_too_many_stages_are_refused_and_not_all_read():
    many = "stages:\n" + "".join(f"  s{n}: {{experiment: a}}\n" for n in range(MAX_STAGES + 1))
    pipeline, findings = read(many)
    assert codes(findings) == ["pipeline/wrong-type"]
    assert len(pipeline.stages) == MAX_STAGES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b >= 0.4", {"op": ">=", "number": 0.4}),
        ("a.b<-1e-3", {"op": "<", "number": -0.001}),
        ("a.x.pass@1 > base", {"op": ">", "stage": "base", "benchmark": "a.x"}),
        ("a.b >= base-2 + 2se", {"stage": "base-2", "margin": 2.0, "in_se": True}),
        ("a.b >= base-2se", {"stage": "base-2se", "margin": 0.0}),
        ("a.b <= base - 0.5", {"stage": "base", "margin": -0.5, "in_se": False}),
        ("a.b  better than base by 2 se", {"op": "better", "margin": 2.0, "in_se": True}),
        ("a.b better than base", {"op": "better", "margin": 0.0}),
    ],
)
def test_gates_are_read(text, expected):
    gate = parse_gate(text)
    assert isinstance(gate, Gate)
    assert {key: getattr(gate, key) for key in expected} == expected


@pytest.mark.parametrize(
    "text", ["", "a.b", "a >= 1", ".b >= 1", "a.b >= 40%", "a.b == 1", "a.b >= 1 + 2se",
             "a.b better than base by two se", "a.b >= base +"]
)  # fmt: skip
def test_what_is_no_gate(text):
    assert not isinstance(parse_gate(text), Gate)

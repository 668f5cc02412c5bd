"""When repeats can differ: answers that may be sampled, by pack, job and harness."""

import json

import pytest

from starforge.cli.bench_repeats import samples
from starforge.lab.inputs import LocalResolver
from starforge.prepare import prepare

PACK = {
    "name": "mine", "version": "1", "title": {"en": "Mine", "zh": "我的"},
    "description": {"en": "d", "zh": "说明"}, "licence": "MIT",
    "provenance": {"en": "me", "zh": "我"}, "columns": ["question", "answer"],
    "data": {"test": "rows.jsonl"},
}  # fmt: skip
GREEDY = {"output_type": "generate_until", "doc_to_text": "{{question}}",
          "doc_to_target": "{{answer}}", "metric_list": [{"metric": "exact_match"}]}  # fmt: skip
SAMPLED = GREEDY | {"generation_kwargs": {"do_sample": True, "temperature": 0.7}}
CHOICE = {"output_type": "multiple_choice", "doc_to_text": "{{question}}",
          "doc_to_choice": ["a", "b"], "doc_to_target": "{{answer}}",
          "metric_list": [{"metric": "acc"}]}  # fmt: skip


@pytest.fixture
def may_differ(tmp_path):
    """Return a function that says whether repeats of a job with the pack ``mine`` may differ."""

    def said(task=GREEDY, *, benchmark="mine", config=None, **params):
        metric = "acc" if task is CHOICE else "exact_match"
        own = tmp_path / "benchmarks" / "mine"
        own.mkdir(parents=True)
        (own / "pack.yaml").write_text(json.dumps(
            PACK | {"primary": {"metric": metric}, "task": task}))  # fmt: skip
        (own / "rows.jsonl").write_text('{"question": "1+1", "answer": "a"}\n')
        params = {"benchmarks": [benchmark], **params}
        experiment = {"method": "evalkit/benchmark", "model": "starforge:tiny", "params": params}
        (tmp_path / "experiment.yaml").write_text(json.dumps(experiment))
        (tmp_path / "config.yaml").write_text(json.dumps(config or {}))
        prepared = prepare(tmp_path, resolver=LocalResolver(tmp_path, None))
        errors = [one.code for one in prepared.findings if one.severity == "error"]
        assert not [code for code in errors if not code.startswith("runtime/")], errors
        return samples(prepared)

    return said


@pytest.mark.parametrize("harness", ["lm-eval", "evalscope"])
def test_own_packs_are_greedy_unless_pack_or_job_say_otherwise(may_differ, harness) -> None:
    assert not may_differ(harness=harness)


@pytest.mark.parametrize("harness", ["lm-eval", "evalscope"])
def test_a_temperature_samples(may_differ, harness) -> None:
    assert may_differ(harness=harness, temperature=0.5)


@pytest.mark.parametrize("harness", ["lm-eval", "evalscope"])
def test_examples_do_not_hang_on_the_seed(may_differ, harness) -> None:
    assert not may_differ(harness=harness, few_shot=1, temperature=0)


def test_the_pack_samples(may_differ) -> None:
    assert may_differ(SAMPLED)


def test_the_job_may_forbid_what_the_pack_samples(may_differ) -> None:
    assert not may_differ(SAMPLED, config={"gen_kwargs": {"do_sample": False}})


@pytest.mark.parametrize(("harness", "differs"), [("lm-eval", False), ("evalscope", True)])
def test_likelihoods_are_never_sampled(may_differ, harness, differs) -> None:
    assert may_differ(CHOICE, harness=harness, temperature=0.5) is differs


@pytest.mark.parametrize(("harness", "differs"), [("lm-eval", True), ("evalscope", False)])
def test_what_a_hub_s_task_does_is_known_of_evalscope_only(may_differ, harness, differs) -> None:
    assert may_differ(benchmark="gsm8k", harness=harness) is differs


def test_what_is_wrong_is_told_before_anything_is_sent(sf, lab) -> None:
    unknown = sf("bench", "run", "starforge:tiny", "-b", "nowhere", "--repeats", "3", "--json")
    assert unknown.code == 1
    assert "eval/unknown-benchmark" in {one["code"] for one in unknown.json["findings"]}
    for wrong in (["--repeats", "0"], ["--repeats", "x"], ["--repeats", "2", "--watch"]):
        refused = sf("bench", "run", "starforge:tiny", "-b", "basics", *wrong)
        assert refused.code == 2 and "Traceback" not in refused.err
    assert not (lab.parent / "home" / "server.json").exists()

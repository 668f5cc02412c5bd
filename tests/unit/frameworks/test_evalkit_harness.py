"""Benchmark jobs for either harness: plans, what the chosen one can't do, the drivers' words."""

import json
import runpy
from pathlib import Path

import pytest

from starforge.catalog.load import load_catalog
from starforge.evals import find_pack
from starforge.frameworks import evalkit
from starforge.frameworks.evalkit.drivers import evalscope_config
from starforge.lab.inputs import LocalResolver
from starforge.prepare import prepare

OWN = {
    "name": "mine", "version": "1", "title": {"en": "Mine", "zh": "我的"},
    "description": {"en": "d", "zh": "说明"}, "licence": "MIT",
    "provenance": {"en": "me", "zh": "我"}, "primary": {"metric": "exact_match"},
    "columns": ["question", "answer"], "data": {"test": "rows.jsonl"},
    "task": {"output_type": "generate_until", "doc_to_text": "{{question}}"},
}  # fmt: skip


@pytest.fixture
def make(tmp_path):
    """Return a function that prepares a benchmark job of a lab with the pack `mine`."""

    def made(harness="evalscope", *, pack=None, config=None, test=None, **params):
        (tmp_path / "starforge.yaml").write_text("{}")
        folder, own = tmp_path / "experiments" / "e", tmp_path / "benchmarks" / "mine"
        folder.mkdir(parents=True, exist_ok=True)
        own.mkdir(parents=True, exist_ok=True)
        (own / "pack.yaml").write_text(json.dumps(OWN | (pack or {})), "utf-8")
        (own / "rows.jsonl").write_text('{"question": "1+1", "answer": "2"}\n')
        experiment = {"method": "evalkit/benchmark", "model": "starforge:tiny"}
        experiment["params"] = {"harness": harness, "benchmarks": ["mine"]} | params
        if test:
            (folder / "my.jsonl").write_text('{"question": "1+1", "answer": "2"}\n')
            experiment["data"] = {"test": "my.jsonl"}
        (folder / "experiment.yaml").write_text(json.dumps(experiment))
        (folder / "config.yaml").write_text(json.dumps(config or {}))
        return prepare(folder, resolver=LocalResolver(folder, tmp_path))

    return made


def errors(prepared):
    return [(f.code, f.at.key) for f in prepared.findings if f.severity == "error"]


def driver_config(prepared):
    files = {f.path: f.content for f in prepared.plan.files}
    return json.loads(files["record/config.json"])


def test_each_harness_has_its_driver_and_only_its_files(make):
    for harness, driver in (("lm-eval", "lm_eval_run"), ("evalscope", "evalscope_run")):
        plan = make(harness).plan
        named = {f.path for f in plan.files}
        assert plan.processes[0].argv[1] == f"${{RECORD}}/driver/{driver}.py"
        assert f"record/driver/{driver}.py" in named
        others = {p for p in named if p.startswith(("record/driver/evalscope", "record/driver/lm"))}
        prefix = driver.removesuffix("_run")
        assert others and all(prefix in path for path in others)


def test_job_for_evalscope_says_how_it_asks(make):
    prepared = make(benchmarks=["basics", "gsm8k", "mine"], limit=4)
    found = {one["name"]: one for one in driver_config(prepared)["benchmarks"]}
    assert found["basics"]["evalscope"]["question"] == "{{question}}"
    assert found["gsm8k"]["evalscope"]["dataset"] == "gsm8k" and found["gsm8k"]["rows"] is None
    assert found["mine"]["evalscope"] is None and found["mine"]["rows"]
    assert all(one["hub"] is None for one in found.values())
    hub = next(f for f in prepared.findings if f.code == "eval/needs-hub")
    assert "AI-ModelScope/gsm8k" in hub.to_public("en")["message"]


def test_the_harness_is_part_of_what_makes_scores_comparable(make):
    digests = {}
    for harness in ("lm-eval", "evalscope"):
        (one,) = driver_config(make(harness, benchmarks=["basics"]))["benchmarks"]
        digests[harness] = one["settings"]["digest"]
    pack = find_pack("basics")
    assert digests["lm-eval"] == pack.digest == pack.digest_for("lm-eval")
    assert digests["evalscope"] == pack.digest_for("evalscope") != pack.digest
    assert find_pack("arithmetic").digest_for("evalscope") == find_pack("arithmetic").digest


@pytest.mark.parametrize(
    ("params", "at"),
    [
        ({"bootstrap_rounds": 10}, "params.bootstrap_rounds"),
        ({"batch_size": "auto"}, "params.batch_size"),
        ({"think_end_token": 7}, "params.think_end_token"),
        ({"benchmarks": ["gsm8k"], "few_shot_seed": 3}, "params.few_shot_seed"),
        ({"benchmarks": ["gsm8k"], "few_shot_turns": False}, "params.few_shot_turns"),
    ],
)
def test_parameters_that_evalscope_cannot_do_are_told_where_they_stand(make, params, at):
    prepared = make(**params)
    assert errors(prepared) == [("eval/not-of-harness", at)]
    assert errors(make("lm-eval", **params)) == []
    shown = next(f for f in prepared.findings if f.severity == "error")
    name = at.removeprefix("params.")
    assert name in shown.to_public("en")["message"] and "lm-eval" in shown.to_public("zh")["hint"]


def test_examples_of_own_items_are_chosen_the_same_way(make):
    assert errors(make(few_shot_seed=3, few_shot_turns=False)) == []


def test_native_keys_belong_to_one_harness(make):
    theirs = {"evalscope": {"dataset_hub": "huggingface", "generation_config": {"top_k": 5}}}
    ours = {"gen_kwargs": {"top_p": 0.5}}
    assert errors(make(config=theirs)) == errors(make("lm-eval", config=ours)) == []
    wrong = errors(make("lm-eval", config=theirs))
    assert [code for code, _ in wrong] == ["eval/not-of-harness"] * 2
    assert [code for code, _ in errors(make(config=ours))] == ["eval/not-of-harness"]


@pytest.mark.parametrize(
    ("native", "code"),
    [
        ({"limit": 3}, "config/pinned"),
        ({"generation_config": {"max_tokens": 3}}, "config/pinned"),
        ({"api_url": "http://x"}, "config/pinned"),
        ({"generation_config": {"repetition_penalty": 1.1}}, "config/ignored-key"),
        ({"nothing": 1}, "config/unknown-key"),
    ],
)
def test_keys_that_would_do_nothing_or_harm_are_refused(make, native, code):
    found = [one for one, _ in errors(make(config={"evalscope": native}))]
    assert found == [code]


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"task": {"output_type": "loglikelihood", "doc_to_text": "x"}}, "likelihood"),
        ({"task": {"output_type": "generate_until", "repeats": 3}}, "repeats"),
        ({"task": {"metric_list": [{"metric": "bleu", "aggregation": "bleu"}]}}, "bleu"),
        ({"task": None, "data": None, "hub": {"task": "t", "dataset": "d"}}, "no benchmark"),
    ],
)
def test_benchmarks_that_evalscope_has_no_form_of(make, changes, word):
    prepared = make(pack=changes)
    assert [code for code, _ in errors(prepared)] == ["eval/not-with-harness"]
    shown = next(f for f in prepared.findings if f.code == "eval/not-with-harness")
    assert word in shown.to_public("en")["message"]
    assert errors(make("lm-eval", pack=changes)) == []


def test_benchmark_that_only_evalscope_has(make):
    only = {"task": None, "data": None, "evalscope": {"dataset": "cmmlu", "hub": "haonan-li/cmmlu"}}
    assert errors(make(pack=only)) == []
    assert [code for code, _ in errors(make("lm-eval", pack=only))] == ["eval/not-with-harness"]


def test_rows_of_the_experiment_go_to_evalscope_too(make):
    prepared = make(benchmarks=["gsm8k"], test=True, few_shot_seed=3)
    assert errors(prepared) == []
    (one,) = driver_config(prepared)["benchmarks"]
    assert one["rows"] == "${DATA}/test.jsonl" and one["task"]["output_type"] == "generate_until"


def test_published_parameters_arrive_in_evalscopes_words():
    made = evalscope_config.translate({
        "harness": "evalscope", "tasks": ["x"], "limit": 20.0, "batch_size": 4, "num_fewshot": 2,
        "torch_random_seed": 7, "gen_kwargs.max_gen_toks": 9, "gen_kwargs.temperature": 0.5,
        "apply_chat_template": True, "model_args.dtype": "float32", "system_instruction": "S",
        "model_args.parallelize": True, "evalscope.dataset_hub": "huggingface",
        "evalscope.generation_config.top_k": 5, "evalscope.model_args.tokenizer_path": "t",
        "evalscope.dataset_args": {"gsm8k": {"few_shot_num": 1}},
    })  # fmt: skip
    assert made.task == {"limit": 20, "eval_batch_size": 4, "seed": 7, "dataset_hub": "huggingface"}
    assert made.generation == {"max_tokens": 9, "temperature": 0.5, "do_sample": True, "top_k": 5}
    assert made.model == {"apply_chat_template": True, "precision": "float32", "device_map": "auto",
                          "tokenizer_path": "t"}  # fmt: skip
    assert made.asking == {"few_shot": 2, "few_shot_seed": 1234, "as_turns": True,
                           "system_prompt": "S", "templated": True}  # fmt: skip
    assert made.dataset_args == {"gsm8k": {"few_shot_num": 1}}


@pytest.mark.parametrize("temperature", [None, 0, 0.0])
def test_without_a_temperature_answers_are_greedy(temperature):
    config = {} if temperature is None else {"gen_kwargs.temperature": temperature}
    assert evalscope_config.translate(config).generation == {"do_sample": False}


def test_a_limit_of_one_is_one_item_and_not_everything():
    limits = [evalscope_config.translate({"limit": n}).task.get("limit") for n in (1.0, 0.5, None)]
    assert limits == [1, 0.5, None] and isinstance(limits[0], int)


def test_every_published_parameter_is_understood_or_refused_with_a_reason():
    paths = {p.path for p in load_catalog().recipe("evalkit/benchmark").parameters}
    assert paths - evalscope_config.UNDERSTOOD == {"bootstrap_iters"}
    assert paths >= evalscope_config.UNDERSTOOD


def test_lm_eval_is_given_no_key_of_ours():
    drivers = Path(evalkit.__file__).parent / "drivers"
    split = runpy.run_path(str(drivers / "lm_eval_config.py"))["split_config"]
    task, model = split({"harness": "lm-eval", "tasks": ["x"], "limit": 2, "batch_size": 4,
                         "gen_kwargs.temperature": 0.5, "model_args.dtype": "auto"})  # fmt: skip
    assert task == {"limit": 2, "gen_kwargs": {"temperature": 0.5, "do_sample": True}}
    assert model == {"dtype": "auto", "batch_size": 4}


def test_options_of_a_benchmark_that_is_not_run(make):
    config = {"evalscope": {"dataset_args": {"mmlu": {"few_shot_num": 0}}}}
    assert [code for code, _ in errors(make(config=config, benchmarks=["mmlu"]))] == []
    for chosen in ("gsm8k", "mine"):
        prepared = make(config=config, benchmarks=[chosen])
        assert [code for code, _ in errors(prepared)] == ["eval/dataset-args"]

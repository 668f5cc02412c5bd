"""The same packs with both harnesses on the tiny model: answers, scores, settings, mistakes.

The tiny model repeats the last letter of its prompt, so without a chat template it answers
"Say 7" with sevens: some answers are right, and the two harnesses can be seen to agree.
"""

import json
import math

import pytest
from job_support import Job

from starforge.lab.inputs import LocalResolver
from starforge.prepare import prepare

pytestmark = pytest.mark.upstream
TINY = "starforge:tiny"
NOWHERE = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
BASE = {
    "version": "1", "title": {"en": "Echo", "zh": "复述"},
    "description": {"en": "d", "zh": "说明"}, "licence": "MIT",
    "provenance": {"en": "me", "zh": "我"}, "columns": ["question", "answer"],
    "data": {"test": "rows.jsonl"},
}  # fmt: skip
FILTERS = [
    {"name": "digit", "filter": [{"function": "regex", "regex_pattern": "(\\d)"},
                                 {"function": "take_first"}]},
    {"name": "strict", "filter": [{"function": "take_first"}]},
]  # fmt: skip
ECHO = BASE | {
    "name": "echo", "primary": {"metric": "exact_match", "filter": "digit"},
    "task": {
        "output_type": "generate_until", "doc_to_text": "{{question}}",
        "doc_to_target": "{{answer}}",
        "generation_kwargs": {"until": ["\n"], "do_sample": False, "max_gen_toks": 6},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean",
                         "higher_is_better": True}],
        "filter_list": FILTERS,
    },
}  # fmt: skip
# Ends at the second seven: what comes before it counts, whatever stands in the prompt.
STOP = ECHO | {
    "name": "stop", "primary": {"metric": "exact_match", "filter": "strict"},
    "task": ECHO["task"] | {"generation_kwargs": {"until": ["77"], "max_gen_toks": 6}},
}  # fmt: skip
PICK = BASE | {
    "name": "pick", "primary": {"metric": "acc"}, "columns": ["question", "choices", "answer"],
    "task": {"output_type": "multiple_choice", "doc_to_text": "Q: {{question}}\nA:",
             "doc_to_choice": "{{choices}}", "doc_to_target": "{{answer}}",
             "metric_list": [{"metric": "acc"}]},
    "evalscope": {"question": "{{question}}"},
}  # fmt: skip


def echo_rows(count: int) -> list[dict]:
    """Return items of which every second one is answered right by the tiny model."""
    return [{"question": f"Say {i}", "answer": str(i if i % 2 else i + 1), "id": f"item-{i}"}
            for i in range(1, count + 1)]  # fmt: skip


@pytest.fixture
def make_job(tmp_path):
    """Return a function that prepares a benchmark experiment with packs of its own, as a job."""
    folder = tmp_path / "e"
    picks = [{"question": f"Is {i} even?", "choices": ["no", "yes"], "answer": (i + 1) % 2}
             for i in range(4)]  # fmt: skip
    for pack, rows in ((ECHO, echo_rows(8)), (STOP, echo_rows(8)), (PICK, picks)):
        own = folder / "benchmarks" / pack["name"]
        own.mkdir(parents=True)
        (own / "pack.yaml").write_text(json.dumps(pack), "utf-8")
        (own / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def make(harness: str, config: dict | None = None, **params) -> Job:
        params = {"harness": harness, "batch_size": 3} | params
        experiment = {"method": "evalkit/benchmark", "model": TINY, "params": params}
        (folder / "experiment.yaml").write_text(json.dumps(experiment))
        (folder / "config.yaml").write_text(json.dumps(config or {}))
        prepared = prepare(folder, resolver=LocalResolver(folder, None))
        assert prepared.ok, prepared.findings
        return Job(tmp_path / harness, prepared.plan, prepared.context)

    return make


def test_both_harnesses_ask_answer_and_score_the_same(make_job, evalkit_python):
    found = {}
    for harness in ("lm-eval", "evalscope"):
        job = make_job(harness, benchmarks=["echo", "stop"], apply_chat_template=False,
                       few_shot=1, limit=0.7, system_prompt="Be brief.")  # fmt: skip
        done = job.run(python=evalkit_python, model=TINY)
        assert done.returncode == 0, done.stdout
        assert "Traceback" not in done.stdout and "it/s" not in done.stdout
        progress = json.loads((job.attempt() / "progress.json").read_text())
        assert progress["step"] == progress["total"] == 2000
        found[harness] = job
    ours, theirs = (list(job.rows("scores/scores.jsonl")) for job in found.values())
    said = [
        [(r["benchmark"], r["metric"], r["settings"]["filter"], r["items"], r["primary"],
          r["higher_is_better"]) for r in rows] for rows in (ours, theirs)
    ]  # fmt: skip
    assert sorted(said[0]) == sorted(said[1]) and len(said[0]) == 4
    for one in ours:
        same = next(r for r in theirs if (r["benchmark"], r["settings"]["filter"])
                    == (one["benchmark"], one["settings"]["filter"]))  # fmt: skip
        assert (same["value"], same["stderr"]) == pytest.approx((one["value"], one["stderr"]))
        assert (one["settings"]["harness"], same["settings"]["harness"]) == tuple(found)
        kept = {"pack", "pack_digest", "data", "few_shot", "limit", "chat_template",
                "system_prompt", "seed"}  # fmt: skip
        assert {k: one["settings"][k] for k in kept} == {k: same["settings"][k] for k in kept}
    echo = next(r for r in theirs if r["benchmark"] == "echo" and r["primary"])
    assert echo["value"] == 0.5 and echo["items"] == 6
    assert echo["stderr"] == pytest.approx(math.sqrt(0.25 * 6 / 5 / 6))
    for name in ("echo", "stop"):
        pairs = zip(*(job.rows(f"samples/{name}.jsonl") for job in found.values()), strict=True)
        for mine, other in pairs:
            for key in ("prompt", "completion", "extracted", "reference", "reward", "id", "s",
                        "item"):  # fmt: skip
                assert mine[key] == other[key], key
    digests = [row["item"] for row in found["lm-eval"].rows("samples/echo.jsonl")]
    assert len(set(digests)) == len(digests) == 6
    assert found["evalscope"].rows("samples/stop.jsonl")[5]["completion"] == "666666"


def test_choices_templates_parameters_and_a_hub_out_of_reach(make_job, evalkit_python):
    job = make_job("evalscope", benchmarks=["gsm8k", "pick", "echo"], few_shot=2, seed=7,
                   max_new_tokens=4, temperature=0.7, system_prompt="Be brief.")  # fmt: skip
    done = job.run(python=evalkit_python, model=TINY, **NOWHERE)
    assert done.returncode == 1
    last = done.stdout.strip().splitlines()[-1]
    assert last.startswith("error: benchmark gsm8k needs the dataset AI-ModelScope/gsm8k")
    assert "data.test" in last and "Traceback" not in done.stdout
    rows = job.rows("scores/scores.jsonl")
    assert [(r["benchmark"], r["metric"], r["items"]) for r in rows] == [
        ("pick", "acc", 4), ("echo", "exact_match", 8), ("echo", "exact_match", 8),
    ]  # fmt: skip
    for row in rows:
        settings = row["settings"]
        assert settings["few_shot"] == 2 and settings["seed"] == 7 and settings["chat_template"]
        assert settings["few_shot_seed"] == 1234
        assert settings["decoding"]["max_tokens"] == 4
        assert settings["decoding"]["temperature"] == 0.7 and settings["decoding"]["do_sample"]
        assert settings["harness_version"] == "1.14.1"
    for sample in job.rows("samples/pick.jsonl"):
        assert "A) no\nB) yes" in sample["prompt"] and "Be brief." in sample["prompt"]
        assert sample["reference"] in ("A", "B") and "Q:" not in sample["prompt"]
        asked = sample["prompt"].rpartition("Is ")[2][0]
        assert sample["prompt"].count(f"Is {asked} even?") == 1
    assert len(job.rows("samples/echo.jsonl")[0]["completion"]) <= 8
    paths = [a["path"] for a in job.rows("artifacts.jsonl")]
    assert [p.split("/")[:3] for p in paths] == [["output", "results", n] for n in ("pick", "echo")]


def test_own_benchmark_of_evalscope_from_a_local_copy_of_its_data(
    make_job, evalkit_python, tmp_path
):
    copy = tmp_path / "gsm8k"
    copy.mkdir()
    for split, count in (("train", 6), ("test", 5)):
        rows = [{"question": f"{i} + {i}?", "answer": f"sum\n#### {2 * i}"} for i in range(count)]
        (copy / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (copy / "README.md").write_text(
        "---\nconfigs:\n- config_name: main\n  data_files:\n"
        "  - {split: train, path: train.jsonl}\n  - {split: test, path: test.jsonl}\n---\n"
    )
    config = {"evalscope": {"dataset_args": {"gsm8k": {"local_path": str(copy)}}}}
    job = make_job("evalscope", config, benchmarks=["gsm8k"], limit=3, few_shot=2,
                   max_new_tokens=4)  # fmt: skip
    done = job.run(python=evalkit_python, model=TINY, **NOWHERE)
    assert done.returncode == 0, done.stdout
    (row,) = job.rows("scores/scores.jsonl")
    assert (row["metric"], row["items"], row["primary"]) == ("accuracy", 3, True)
    settings = row["settings"]
    assert settings["few_shot"] == 2 and settings["pack"] == "v1.1" and settings["options"]
    samples = job.rows("samples/gsm8k.jsonl")
    assert [sample["reference"] for sample in samples] == ["0", "2", "4"]
    assert all(sample["prompt"].count("ANSWER") == 2 for sample in samples)
    assert {sample["task"] for sample in samples} == {"main"}


def test_choice_without_its_answer_is_named(make_job, evalkit_python):
    job = make_job("evalscope", benchmarks=["pick"], max_new_tokens=4)
    rows = job.folder / "code" / "benchmarks" / "pick" / "rows.jsonl"
    rows.write_text(rows.read_text() + '{"id": "odd", "question": "?", "choices": ["a"], '
                    '"answer": "b"}\n')  # fmt: skip
    done = job.run(python=evalkit_python, model=TINY)
    last = done.stdout.strip().splitlines()[-1]
    assert done.returncode == 1 and "Traceback" not in done.stdout
    assert last == "error: item odd of pick: the right answer is none of its 1 choices"


def test_broken_model_is_one_clear_error(make_job, evalkit_python, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text('{"model_type": "llama"}')
    done = make_job("evalscope", benchmarks=["echo"]).run(python=evalkit_python, model=str(broken))
    assert done.returncode == 1 and "Traceback" not in done.stdout
    assert done.stdout.strip().splitlines()[-1].startswith(f"error: the model {broken} can't be")

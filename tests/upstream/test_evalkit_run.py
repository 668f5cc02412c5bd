"""evalkit/benchmark really run on the tiny model: scores, samples, settings, mistakes."""

import json

import pytest
from job_support import Job

from starforge.lab.inputs import LocalResolver
from starforge.prepare import prepare
from starforge.streams import decode_rows

pytestmark = pytest.mark.upstream
TINY = "starforge:tiny"
MINE = """
name: mine
version: "3"
title: {en: Mine, zh: 我的}
description: {en: d, zh: 说明}
licence: MIT
provenance: {en: me, zh: 我}
primary: {metric: exact_match, filter: strict}
columns: [question, answer]
data: {test: rows.jsonl}
task:
  output_type: generate_until
  doc_to_text: "{{question}}"
  doc_to_target: "{{answer}}"
  generation_kwargs: {until: ["\\n"], max_gen_toks: 8}
  metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
  filter_list: [{name: strict, filter: [{function: take_first}]}]
"""


@pytest.fixture
def make_job(tmp_path, evalkit_python):
    """Return a function that prepares a benchmark experiment, with a pack of its own, as a job."""
    folder = tmp_path / "e"
    own = folder / "benchmarks" / "mine"
    own.mkdir(parents=True)
    (own / "pack.yaml").write_text(MINE, "utf-8")
    rows = [{"question": f"{i} + 1", "answer": f"{i + 1}"} for i in range(8)]
    (own / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def make(name: str = "job", *, test: list | None = None, **params) -> Job:
        experiment = {"method": "evalkit/benchmark", "model": TINY, "params": params}
        if test is not None:
            (folder / "my.jsonl").write_text("".join(json.dumps(row) + "\n" for row in test))
            experiment["data"] = {"test": "my.jsonl"}
        (folder / "experiment.yaml").write_text(json.dumps(experiment))
        prepared = prepare(folder, resolver=LocalResolver(folder, None))
        assert prepared.ok, prepared.findings
        return Job(tmp_path / name, prepared.plan, prepared.context)

    return make


def scores(job: Job) -> list[dict]:
    """Read the scores as the server does."""
    data = (job.attempt() / "scores" / "scores.jsonl").read_bytes()
    return [row.data for row in decode_rows("scores", data).rows]


def test_scores_samples_and_settings(make_job, evalkit_python):
    job = make_job(benchmarks=["basics", "arithmetic", "mine"], limit=5, batch_size=4)
    done = job.run(python=evalkit_python, model=TINY)
    assert done.returncode == 0, done.stdout
    assert "Traceback" not in done.stdout and "it/s" not in done.stdout

    rows = scores(job)
    assert [(r["benchmark"], r["metric"], r["settings"]["filter"]) for r in rows] == [
        ("basics", "acc", "none"), ("basics", "acc_norm", "none"),
        ("arithmetic", "exact_match", "last-number"), ("arithmetic", "exact_match", "strict"),
        ("mine", "exact_match", "strict"),
    ]  # fmt: skip
    for row in rows:
        assert row["items"] == 5 and 0 <= row["value"] <= 1 and row["stderr"] >= 0
        assert row["settings"]["harness_version"] == "0.4.13"
        assert row["settings"]["chat_template"] and row["settings"]["limit"] == 5
        assert len(row["settings"]["data"]) == 12
    assert rows[2]["settings"]["decoding"]["max_gen_toks"] == 64
    assert rows[0]["settings"]["decoding"] is None

    # A score is the mean of what the samples say, item by item.
    for name, primary in (("basics", rows[0]), ("mine", rows[4])):
        samples = job.rows(f"samples/{name}.jsonl")
        assert [s["s"] for s in samples] == list(range(5))
        assert sum(s["reward"] for s in samples) / 5 == pytest.approx(primary["value"])
    first = job.rows("samples/basics.jsonl")[0]
    assert first["reference"] == "12" and first["completion"] in first["choices"]
    assert "What is 7 + 5?" in first["prompt"] and "<|im_start|>assistant" in first["prompt"]

    progress = json.loads((job.attempt() / "progress.json").read_text())
    assert progress["step"] == progress["total"] == 3000
    artifacts = job.rows("artifacts.jsonl")
    assert [a["path"] for a in artifacts] == [
        f"output/results/{name}.json" for name in ("basics", "arithmetic", "mine")
    ]
    for artifact in artifacts:
        assert "results" in json.loads((job.folder / artifact["path"]).read_text())


def test_examples_never_hold_the_item_asked_and_parameters_arrive(make_job, evalkit_python):
    test = [{"question": f"Question {i}?", "answer": str(i)} for i in range(6)]
    job = make_job(
        test=test, benchmarks=["gsm8k", "mine"], few_shot=2, max_new_tokens=6, temperature=0.7,
        system_prompt="Be brief.", apply_chat_template=True, seed=7,
    )  # fmt: skip
    done = job.run(python=evalkit_python, model=TINY)
    assert done.returncode == 0, done.stdout
    for name in ("gsm8k", "mine"):
        samples = job.rows(f"samples/{name}.jsonl")
        assert len(samples) in (6, 8)
        for sample in samples:
            turns = sample["prompt"].split("<|im_start|>user\n")
            asked = turns[-1].partition("<|im_end|>")[0]
            assert len(turns) == 4 and "Be brief." in turns[0]
            assert asked not in "".join(turns[:-1])
    settings = scores(job)[0]["settings"]
    assert settings["few_shot"] == 2 and settings["seed"] == 7
    assert settings["few_shot_seed"] == 1234
    assert settings["decoding"]["temperature"] == 0.7 and settings["decoding"]["do_sample"] is True
    assert settings["decoding"]["max_gen_toks"] == 6 and settings["system_prompt"]


def test_hub_out_of_reach_is_one_clear_error_and_others_still_count(make_job, evalkit_python):
    job = make_job(benchmarks=["gsm8k", "basics"], limit=2)
    done = job.run(python=evalkit_python, model=TINY, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
    assert done.returncode == 1
    last = done.stdout.strip().splitlines()[-1]
    assert last.startswith("error: benchmark gsm8k needs the hub dataset openai/gsm8k")
    assert "data.test" in last and "Traceback" not in done.stdout
    assert [r["benchmark"] for r in scores(job)] == ["basics", "basics"]
    assert "Traceback" in (job.attempt() / "logs" / "driver-traceback.txt").read_text()


def test_broken_model_is_one_clear_error(make_job, evalkit_python, tmp_path):
    job = make_job(benchmarks=["basics"], limit=2)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text('{"model_type": "llama"}')
    done = job.run(python=evalkit_python, model=str(broken))
    assert done.returncode == 1 and "Traceback" not in done.stdout
    assert done.stdout.strip().splitlines()[-1].startswith(f"error: the model {broken} can't be")

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from starforge.evals import find_pack
from starforge.lab.bundle import pack, unpack
from starforge.lab.inputs import LocalResolver
from starforge.prepare import prepare

LAB_PACK = """
name: mine
version: "2"
title: {en: Mine, zh: 我的}
description: {en: d, zh: 说明}
licence: MIT
provenance: {en: me, zh: 我}
primary: {metric: exact_match, filter: none}
columns: [question, answer]
data: {test: rows.jsonl}
task: {output_type: generate_until, doc_to_text: "{{question}}"}
"""
ROWS = '{"question": "1+1", "answer": "2"}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "starforge.yaml").write_text("{}")
    made = tmp_path / "experiments" / "e"
    made.mkdir(parents=True)
    own = tmp_path / "benchmarks" / "mine"
    own.mkdir(parents=True)
    (own / "pack.yaml").write_text(LAB_PACK, "utf-8")
    (own / "rows.jsonl").write_text(ROWS, "utf-8")
    return made


def plan_of(folder: Path, lab_root: Path | None, *, test: str | None = None, **params):
    experiment = {"method": "evalkit/benchmark", "model": "starforge:tiny", "params": params}
    if test:
        (folder / "my.jsonl").write_text(test)
        experiment["data"] = {"test": "my.jsonl"}
    (folder / "experiment.yaml").write_text(json.dumps(experiment))
    prepared = prepare(folder, resolver=LocalResolver(folder, lab_root))
    assert prepared.ok, prepared.findings
    return prepared


def driver_config(plan) -> dict:
    return json.loads(next(f.content for f in plan.files if f.path == "record/config.json"))


def test_each_kind_of_benchmark_says_where_its_items_lie(folder, tmp_path):
    row = '{"question": "q", "answer": "1"}\n'
    plan = plan_of(
        folder, tmp_path, test=row, benchmarks=["basics", "arithmetic", "mine", "gsm8k", "mmlu"]
    ).plan
    found = {one["name"]: one for one in driver_config(plan)["benchmarks"]}
    files = {f.path: f for f in plan.files}
    assert list(found) == ["basics", "arithmetic", "mine", "gsm8k", "mmlu"]
    assert found["basics"]["rows"] == "${RECORD}/packs/basics.jsonl"
    items = files["record/packs/basics.jsonl"]
    assert items.content == find_pack("basics").data_file.read_text("utf-8")
    assert found["basics"]["settings"]["data"] == items.sha256
    assert files["record/packs/arithmetic.jsonl"].content.count("\n") == 200
    assert found["mine"]["rows"] == "${CODE}/benchmarks/mine/rows.jsonl"
    assert files["code/benchmarks/mine/rows.jsonl"].source == "experiment"
    assert found["mine"]["settings"]["data"] == hashlib.sha256(ROWS.encode()).hexdigest()
    assert found["gsm8k"]["rows"] == "${DATA}/test.jsonl" and found["gsm8k"]["hub"] is None
    assert found["gsm8k"]["settings"]["data"] == hashlib.sha256(row.encode()).hexdigest()
    assert found["mmlu"]["rows"] is None and found["mmlu"]["hub"]["dataset"] == "cais/mmlu"


def test_only_what_differs_from_upstream_goes_to_the_driver(folder, tmp_path):
    plan = plan_of(folder, tmp_path, benchmarks=["basics"], temperature=0.5, limit=3).plan
    assert driver_config(plan)["config"] == {
        "apply_chat_template": True, "batch_size": 8, "gen_kwargs.temperature": 0.5, "limit": 3,
        "tasks": ["basics"],
    }  # fmt: skip
    assert plan.config["gen_kwargs"]["temperature"] == 0.5


def test_the_driver_is_told_both_seeds_for_the_settings_of_scores(folder, tmp_path):
    def seeds(**params):
        (one,) = driver_config(plan_of(folder, tmp_path, benchmarks=["basics"], **params).plan)[
            "benchmarks"
        ]
        return one["seed"], one["few_shot_seed"]

    assert seeds() == (1234, 1234)
    assert seeds(seed=7, few_shot_seed=8) == (7, 8)


def test_process_files_and_streams(folder, tmp_path):
    plan = plan_of(folder, tmp_path, benchmarks=["basics"]).plan
    (process,) = plan.processes
    assert process.role == "evaluator" and process.argv[0] == "${PYTHON}"
    named = {f.path for f in plan.files}
    assert process.argv[1].replace("${RECORD}", "record") in named
    assert {"record/driver/eval_settings.py", "record/driver/job_files.py",
            "lib/starforge/lang.py"} <= named  # fmt: skip
    assert {(s.format, s.path) for s in plan.metrics} == {
        ("scores", "scores/*.jsonl"), ("samples", "samples/*.jsonl"),
    }  # fmt: skip
    assert plan.runtime.name == "evalkit" and plan.runtime.device == "cpu"


def test_server_with_the_bundle_alone_makes_the_same_plan(folder, tmp_path):
    """The lab's pack travels in the bundle; the server has no lab."""
    here = plan_of(folder, tmp_path, benchmarks=["mine", "basics", "arithmetic"])
    sent = tmp_path / "sent.tar.gz"
    sent.write_bytes(pack(here.files).data)
    elsewhere = tmp_path / "server" / "e"
    unpack(sent, elsewhere)
    shutil.rmtree(tmp_path / "benchmarks")
    there = prepare(elsewhere, resolver=LocalResolver(elsewhere, None))
    assert there.ok, there.findings
    assert there.plan.digest() == here.plan.digest()

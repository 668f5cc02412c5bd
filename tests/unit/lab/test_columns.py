"""Columns of data files under other names."""

import json

import pytest

from starforge.lab.columns import rename_file, rename_line
from starforge.lab.experiment import load_experiment
from starforge.prepare import prepare

MAP = {"question": "prompt", "answer": "completion"}


def experiment(tmp_path, text: str):
    (tmp_path / "experiment.yaml").write_text(text, "utf-8")
    return load_experiment(tmp_path)


def test_a_line_keeps_everything_but_the_names():
    line = b'{"question": "1?", "answer": "\xe4\xb8\x80", "id": 7}'
    assert json.loads(rename_line(line, MAP)) == {"prompt": "1?", "completion": "一", "id": 7}
    assert rename_line(b"[1]", MAP) == b"[1]"
    assert rename_line(b"nonsense", MAP) == b"nonsense"
    # Names can be exchanged.
    assert json.loads(rename_line(b'{"a": 1, "b": 2}', {"a": "b", "b": "a"})) == {"b": 1, "a": 2}


def test_a_renamed_file_has_the_same_line_numbers(tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b'\xef\xbb\xbf{"question": "a"}\r\n\n{"question": "b"}')
    rename_file(source, target, MAP)
    assert target.read_bytes() == b'{"prompt":"a"}\n\n{"prompt":"b"}\n'


def test_the_map_is_read_and_stands_in_the_plan(tmp_path):
    rows = [{"question": f"{i}?", "answer": "x"} for i in range(8)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    written = "method: trl/sft\nmodel: starforge:tiny\ndata:\n  train: rows.jsonl\n"
    experiment(tmp_path, written)
    assert "data/columns" in {f.code for f in prepare(tmp_path).findings}
    experiment(tmp_path, written + "  map: {question: prompt, answer: completion}\n")
    done = prepare(tmp_path)
    assert done.ok, done.findings
    (train,) = [ref for ref in done.plan.inputs if ref.name == "data.train"]
    assert train.columns == MAP
    _, line = next(done.context.data["train"].lines())
    assert json.loads(line) == {"prompt": "0?", "completion": "x"}


def test_a_plan_without_a_map_does_not_mention_one(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"prompt": "a", "completion": "b"}\n' * 2, "utf-8")
    experiment(tmp_path, "method: trl/sft\nmodel: starforge:tiny\ndata: {train: rows.jsonl}\n")
    import msgspec

    plan = prepare(tmp_path).plan
    assert "columns" not in json.dumps(msgspec.to_builtins(plan.inputs))


@pytest.mark.parametrize(
    ("written", "code", "at"),
    [
        ("{question: prompt, input: prompt}", "experiment/map-twice", "data.map.input"),
        ("{question: 3}", "experiment/wrong-type", "data.map.question"),
        ("[question]", "experiment/wrong-type", "data.map"),
    ],
)
def test_maps_that_can_not_be_meant(tmp_path, written, code, at):
    _, findings = experiment(tmp_path, f"method: trl/sft\ndata: {{map: {written}}}\n")
    assert [(f.code, f.at.key) for f in findings] == [(code, at)]

"""``sf bench new``: the pack is there and validates, or nothing is written."""

import json
from pathlib import Path

import pytest

ROWS = [{"question": "Capital of France?", "answer": "Paris"},
        {"question": "Capital of Japan?", "answer": "Tokyo"}]  # fmt: skip


@pytest.fixture
def data(lab: Path) -> Path:
    file = lab / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return file


@pytest.mark.parametrize("harness", ["lm-eval", "evalscope"])
@pytest.mark.parametrize("kind", ["exact", "math"])
def test_a_new_pack_validates_with_both_harnesses(sf, lab, data, kind, harness) -> None:
    made = sf("bench", "new", "capitals", str(data), "--kind", kind, "--json").json
    assert (made["kind"], made["items"], made["findings"]) == (kind, 2, [])
    assert made["folder"] == str(lab / "benchmarks/capitals")
    assert "capitals" in {pack["name"] for pack in sf("bench", "ls", "--json").json}
    folder = lab / "experiments/e"
    folder.mkdir(parents=True)
    (folder / "experiment.yaml").write_text(json.dumps({
        "method": "evalkit/benchmark", "model": "starforge:tiny",
        "params": {"benchmarks": ["capitals"], "harness": harness},
    }))  # fmt: skip
    (folder / "config.yaml").write_text("")
    checked = sf("validate", str(folder), "--json").json
    assert [one for one in checked["findings"] if one["severity"] == "error"
            and not one["code"].startswith("runtime/")] == []  # fmt: skip


def test_bad_rows_are_told_and_nothing_is_written(sf, lab, data) -> None:
    data.write_text(data.read_text() + '{"question": "Capital of Peru?"}\n')
    refused = sf("bench", "new", "capitals", str(data), "--json")
    assert refused.code == 1 and refused.json["folder"] is None
    (finding,) = refused.json["findings"]
    assert (finding["code"], finding["line"]) == ("eval/bad-items", 3)
    shown = sf("bench", "new", "capitals", str(data))
    assert shown.code == 1 and "row 3" in shown.err and "nothing was written" in shown.err
    assert not (lab / "benchmarks/capitals").exists()


def test_taken_and_bad_names_are_refused(sf, lab, data) -> None:
    assert sf("bench", "new", "capitals", str(data)).code == 0
    kept = (lab / "benchmarks/capitals/pack.yaml").read_text()
    for name in ("capitals", "gsm8k", "../x", "a b"):
        refused = sf("bench", "new", name, str(data))
        assert refused.code == 1 and "error" in refused.err and "Traceback" not in refused.err
    assert (lab / "benchmarks/capitals/pack.yaml").read_text() == kept

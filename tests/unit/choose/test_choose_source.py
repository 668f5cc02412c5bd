"""Rows of files in the formats people have."""

from __future__ import annotations

import json

import pytest

from starforge.choose.source import LOOKED_AT, iter_rows, read_source, write_lines
from starforge.errors import StarForgeError

ROWS = [{"prompt": "一", "completion": "b"}, {"prompt": "c", "completion": "d"}]


def lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


FILES = {
    "a.jsonl": lines(ROWS),
    "bom.jsonl": "\ufeff" + lines(ROWS),
    "blank.ndjson": "\n" + lines(ROWS) + "\n\n",
    "array.json": json.dumps(ROWS, indent=2),
    "one-line.json": json.dumps(ROWS),
    "lines.json": lines(ROWS),
    "held.json": json.dumps({"version": 1, "data": ROWS}, indent=1),
    "held-line.json": json.dumps({"data": ROWS}),
    "array.txt": json.dumps(ROWS),
    "t.csv": "prompt,completion\r\n一,b\r\nc,d\r\n",
    "semicolon.csv": "\ufeffprompt;completion\n一;b\nc;d\n",
    "t.tsv": "prompt\tcompletion\n一\tb\nc\td\n",
}


@pytest.mark.parametrize("name", FILES)
def test_formats_give_the_same_rows(tmp_path, name):
    file = tmp_path / name
    file.write_text(FILES[name], "utf-8", newline="")
    found = read_source(file)
    assert found.rows == ROWS and not found.more
    assert write_lines(file, tmp_path / "out.jsonl") == 2
    written = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in written] == ROWS


def test_cells_of_a_table_keep_their_meaning(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text('prompt,label,turns,answer\n"a, b",True,"[{""role"": ""user""}]",007\n')
    assert list(iter_rows(file)) == [
        {"prompt": "a, b", "label": True, "turns": [{"role": "user"}], "answer": "007"}
    ]


def test_a_long_file_is_read_only_at_its_beginning(tmp_path):
    file = tmp_path / "long.jsonl"
    file.write_text(lines([{"prompt": "x"}] * (LOOKED_AT + 1)) + "broken\n")
    found = read_source(file)
    assert len(found.rows) == LOOKED_AT and found.more


def test_a_folder_gives_its_training_file(tmp_path):
    for name in ("test.jsonl", "train.jsonl", ".cache.jsonl", "train.parquet"):
        (tmp_path / name).write_text(lines(ROWS))
    (tmp_path / "dataset_info.json").write_text("{}")
    found = read_source(tmp_path)
    assert found.file.name == "train.jsonl"
    assert {file.name for file in found.others} == {"test.jsonl", "train.parquet"}


BROKEN = {
    "x.jsonl": ('{"a": 1}\n{"a": \n', "line 2"),
    "list.jsonl": ('{"a": 1}\n[1]\n', "row 2"),
    "x.json": ('{"a": ', "not JSON"),
    "single.json": ('{\n"a": 1\n}', "no list of rows"),
    "x.csv": ("a,b\n1\n", "line 2"),
    "twice.csv": ("a,a\n1,2\n", "name every column"),
    "empty.jsonl": ("", "no rows"),
    "x.parquet": ("PAR1", "read_parquet"),
    "x.gz": ("", "gunzip"),
    "x.docx": ("", "JSON lines"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_says_what_and_where(tmp_path, name, monkeypatch):
    monkeypatch.setenv("STARFORGE_RUNTIMES", str(tmp_path / "none"))
    content, expected = BROKEN[name]
    (tmp_path / name).write_text(content)
    with pytest.raises(StarForgeError) as caught:
        read_source(tmp_path / name)
    hint = caught.value.hint.en if caught.value.hint else ""
    assert expected in caught.value.message.en + hint
    assert name in caught.value.message.zh


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"a,b\n\xff\xfe,1\n")
    with pytest.raises(StarForgeError, match="not UTF-8"):
        read_source(tmp_path / "x.csv")


def test_a_missing_file_names_the_nearest(tmp_path):
    (tmp_path / "train.jsonl").write_text("{}")
    with pytest.raises(StarForgeError) as caught:
        read_source(tmp_path / "trian.jsonl")
    assert "train.jsonl" in caught.value.hint.zh


def test_a_folder_without_data(tmp_path):
    (tmp_path / "README.md").write_text("nothing")
    with pytest.raises(StarForgeError, match="no data file"):
        read_source(tmp_path)

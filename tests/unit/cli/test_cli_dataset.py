"""What `sf dataset add` registers of files that are no JSON lines."""

import json

import pytest

from starforge.cli.dataset import as_lines
from starforge.errors import StarForgeError

ROWS = [{"prompt": "1 + 1?", "answer": "2"}, {"prompt": "换行\n", "answer": "一"}]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps(ROWS)),
        ("a.json", "\n".join(map(json.dumps, ROWS))),
        ("a.csv", 'prompt,answer\n1 + 1?,2\n"换行\n",一\n'),
        ("a.tsv", 'prompt\tanswer\n1 + 1?\t2\n"换行\n"\t一\n'),
    ],
)
def test_tables_and_lists_become_lines(tmp_path, name, text):
    file = tmp_path / name
    file.write_text(text, "utf-8")
    with as_lines(file) as lines:
        assert lines.name == "a.jsonl"
        assert [json.loads(line) for line in lines.read_bytes().splitlines()] == ROWS
    assert not lines.exists()
    assert file.read_text("utf-8") == text


def test_other_files_stay_as_they_are(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("{}\n")
    with as_lines(file) as lines:
        assert lines == file


def test_a_broken_table_is_one_clear_error(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1\n")
    with pytest.raises(StarForgeError), as_lines(tmp_path / "a.csv"):
        pass

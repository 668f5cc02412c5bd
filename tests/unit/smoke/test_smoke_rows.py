"""The rows of a smoke run: the longest ones, and others at random."""

import json

import pytest

from starforge.lab.context import DataSource
from starforge.plan import InputRef
from starforge.smoke import rows
from starforge.smoke.lengths import lengths_for, most_tokens


@pytest.fixture
def source(tmp_path):
    def make(lengths, columns=None, text="{}"):
        path = tmp_path / "train.jsonl"
        lines = [json.dumps({"prompt": "x" * n, "answer": "1"}) for n in lengths]
        path.write_text("\n\n".join(lines) + "\n", "utf-8")  # a blank line between any two
        ref = InputRef(name="data.train", kind="blob", location="0" * 64, columns=columns or {})
        return DataSource(split="train", ref=ref, shown="data/train.jsonl", path=path)

    return make


def test_the_longest_and_some_others(source):
    made = source([10, 500, 20, 400, 30, 40])
    chosen = rows.choose(made, 4)
    assert chosen.longest == [3, 7], "lines of the file, blank ones counted"
    assert len(chosen.others) == 2
    assert set(chosen.others) <= {1, 5, 9, 11}
    assert chosen.total == 6
    assert rows.choose(made, 4) == chosen, "the same every time"


def test_all_rows_when_they_are_few(source):
    chosen = rows.choose(source([1, 2]), 8)
    assert sorted(chosen.lines) == [1, 3]


def test_rows_beyond_a_lowered_limit_stay_out(source):
    chosen = rows.choose(source([10, 5000, 20, 300, 30, 40]), 4, limit=1000)
    assert chosen.longest[0] == 7
    assert 3 not in chosen.lines
    assert chosen.too_long == 1


def test_the_shortest_when_all_are_beyond_the_limit(source):
    chosen = rows.choose(source([5000, 4000, 3000]), 2, limit=100)
    assert sorted(chosen.lines) == [3, 5]
    assert chosen.too_long == 3


def test_a_row_that_only_may_be_too_long_is_measured(source):
    made = source([10, 5000, 20, 2000, 30, 40])
    asked = []

    def fits(row):
        asked.append(len(row["prompt"]))
        return len(row["prompt"]) < 3000

    chosen = rows.choose(made, 4, limit=1000, fits=fits)
    assert chosen.longest == [7, 11]
    assert sorted(asked) == [2000, 5000], "the others certainly fit"
    assert chosen.too_long == 1


def test_length_counts_only_the_named_columns(source, tmp_path):
    made = source([10, 20])
    made.path.write_text(
        '{"prompt": "long long", "answer": ""}\n{"prompt": "a", "answer": "' + "x" * 99 + '"}\n'
    )
    assert rows.choose(made, 1, columns=("prompt",)).longest == [1]
    assert rows.choose(made, 1).longest == [2]


def test_written_rows_stay_at_their_lines_and_are_repeated(source, tmp_path):
    made = source([1, 9, 3], columns={"prompt": "question"})
    chosen = rows.choose(made, 2)
    path = rows.write(made, chosen, 4, tmp_path / "small" / "train.jsonl")
    written = [json.loads(line)["prompt"] if line else "" for line in path.read_text().split("\n")]
    kept = [chosen.lines[0] - 1, chosen.lines[1] - 1]
    assert len(written[kept[0]]) == 9
    assert [bool(text) for text in written[: max(kept) + 1]] == [
        number in kept for number in range(max(kept) + 1)
    ]
    assert len([text for text in written if text]) == 4


def test_rows_that_are_no_json_are_passed_over(source):
    made = source([5])
    made.path.write_bytes(b'\xef\xbb\xbf{"prompt": "a"}\nnot json\n[1]\n\xff\n')
    assert rows.choose(made, 3).lines == [1]


@pytest.mark.parametrize(
    ("vocabulary", "context", "tokens"),
    [(264, 2048, 1024), (None, None, 1024), (151936, 32768, 883), (3_000_000, None, 128),
     (264, 512, 512)],
)  # fmt: skip
def test_sequences_fit_into_memory_and_context(vocabulary, context, tokens):
    assert lengths_for(vocabulary, context, exact=True).tokens == tokens


def test_no_text_has_more_tokens_than_bytes():
    assert most_tokens("日本") == 6
    assert most_tokens([{"role": "user", "content": "ab"}]) > len("userab")
    assert most_tokens({"n": 3, "none": None}) == 0

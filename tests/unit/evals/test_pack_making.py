"""Packs made of one's own rows: kinds, columns, and rows that lack something."""

import json

import pytest

from starforge.errors import StarForgeError
from starforge.evals import load_pack
from starforge.evals.making import Columns, pack_of, read_items


def read(tmp_path, *rows, kind=None, **columns):
    file = tmp_path / "rows.jsonl"
    file.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows))
    return read_items(file, kind, Columns(**columns))


def test_the_kind_is_seen_in_the_rows(tmp_path):
    question = {"question": "Q?"}
    assert (
        read(tmp_path, question | {"answer": "Paris"}, question | {"answer": "7"}).kind == "exact"
    )
    assert (
        read(tmp_path, question | {"answer": 7}, question | {"answer": "1,234"}).kind == "numeric"
    )
    assert read(tmp_path, question | {"choices": ["a", "b"], "answer": 1}).kind == "choice"


def test_columns_by_their_usual_or_given_names(tmp_path):
    (row,) = read(tmp_path, {"problem": " 1+1? ", "solution": "2", "id": "x"}).rows
    assert (row["question"], row["answer"], row["id"]) == ("1+1?", "2", "x")
    (row,) = read(tmp_path, {"q": "1+1?", "question": "no", "a": 2}, question="q", answer="a").rows
    assert (row["question"], row["answer"]) == ("1+1?", "2")


@pytest.mark.parametrize("answer", ["C", "c", "(C)", "red", 2, "2"])
def test_the_right_choice_by_letter_text_or_number(tmp_path, answer):
    as_list = {"question": "?", "options": ["blue", "green", "red"], "answer": answer}
    as_columns = {"question": "?", "A": "blue", "B": "green", "C": "red", "answer": answer}
    for row in read(tmp_path, as_list, as_columns).rows:
        assert (row["choices"], row["answer"]) == (["blue", "green", "red"], 2)


def test_an_answer_that_is_itself_a_choice_is_that_choice(tmp_path):
    (row,) = read(tmp_path, {"question": "Even?", "choices": ["4", "1", "3"], "answer": "1"}).rows
    assert row["answer"] == 1


def test_worked_solutions_are_cut_to_their_answers(tmp_path):
    (row,) = read(tmp_path, {"question": "?", "answer": "3+4=7\n#### 7"}, kind="numeric").rows
    assert row["answer"] == "7"
    (row,) = read(tmp_path, {"question": "?", "answer": "so \\boxed{\\frac12}"}, kind="math").rows
    assert row["answer"] == "\\frac12"


GOOD = {"question": "Q?", "answer": "1", "choices": ["0", "1"]}


@pytest.mark.parametrize(
    ("bad", "kind", "said"),
    [
        ("{", None, "not JSON"),
        ("[1]", None, "not an object"),
        ({"answer": "1"}, "exact", "`question` is missing"),
        ({"question": ["turns"], "answer": "1"}, "exact", "`question` is missing"),
        ({"question": "Q?", "answer": " "}, "exact", "`answer` is missing"),
        ({"question": "Q?", "answer": None}, "exact", "`answer` is missing"),
        ({"question": "Q?", "answer": "many"}, "numeric", "holds no number"),
        ({"question": "Q?", "answer": 1, "choices": ["a"]}, "choice", "fewer than two"),
        ({"question": "Q?", "answer": 1, "choices": ["a", "a"]}, "choice", "equal"),
        ({"question": "Q?", "answer": 1, "choices": ["a", None]}, None, "an empty one"),
        ({"question": "Q?", "answer": "a", "options": "ab"}, None, "fewer than two"),
        ('{"question": "Q?", "answer": "1", "more": [NaN]}', "exact", "NaN"),
        ('{"question": "Q?", "answer": 1e999}', "exact", "infinite"),
        ('{"question": "\\ud83d?", "answer": "1"}', "exact", "half a character"),
        ({"question": "Q?", "answer": 5, "choices": ["a", "b"]}, "choice", "none of the 2"),
        ({"question": "Q?", "answer": -1, "choices": ["a", "b"]}, "choice", "none of the 2"),
    ],
)
def test_rows_that_lack_something_are_told(tmp_path, bad, kind, said):
    made = read(tmp_path, GOOD, "", bad, kind=kind)
    assert [(one.row, said in one.text.en) for one in made.problems] == [(3, True)]
    assert made.problems[0].text.zh != made.problems[0].text.en and len(made.rows) == 1


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(StarForgeError, match="no row"):
        read(tmp_path, "")


@pytest.mark.parametrize("kind", ["exact", "numeric", "choice", "math"])
@pytest.mark.parametrize("question", ["What is it?", "这是什么？"])
def test_what_is_made_is_a_pack(tmp_path, kind, question):
    made = read(tmp_path, GOOD | {"question": question}, kind=kind)
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "pack.yaml").write_text(json.dumps(pack_of("mine", made, "rows.jsonl")))
    pack = load_pack(folder)
    assert pack.items == 1 and pack.languages == ["zh" if "这" in question else "en"]
    assert pack.primary.metric in {one["metric"] for one in pack.task["metric_list"]}
    assert "{{question}}" in pack.task["doc_to_text"]
    assert set(pack.columns) <= set(made.rows[0])

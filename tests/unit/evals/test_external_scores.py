"""Files with scores of others: what they may say, and what is refused with its row."""

import pytest

from starforge.errors import StarForgeError
from starforge.evals.external import read_external

YAML = """
source: https://example.org/paper
date: 2026-01-31
scores:
  - {model: A, benchmark: gsm8k, metric: exact_match, value: 0.5, settings: {few_shot: 8}}
  - {model: B, benchmark: gsm8k, metric: exact_match, value: 5e-1, stderr: 0.01, items: 1319,
     source: elsewhere, higher_is_better: no}
"""
CSV = """model,benchmark,metric,value,stderr,items,source,date,settings.few_shot,settings.note
A,gsm8k,acc,0.5,,,https://example.org,2026-01-31,8,chat form
,,,,,,,,,
模型,mmlu,acc,0.25,0.01,100,论文,,,
"""


def read(tmp_path, text, name="scores.yaml"):
    file = tmp_path / name
    file.write_text(text, "utf-8")
    return read_external(file)


def test_yaml_with_what_all_scores_share(tmp_path):
    first, second = read(tmp_path, YAML)
    assert first == {
        "model": "A", "benchmark": "gsm8k", "metric": "exact_match", "value": 0.5, "stderr": None,
        "items": None, "higher_is_better": True, "source": "https://example.org/paper",
        "date": "2026-01-31", "settings": {"few_shot": 8},
    }  # fmt: skip
    assert (second["value"], second["stderr"], second["items"]) == (0.5, 0.01, 1319)
    assert (second["source"], second["higher_is_better"]) == ("elsewhere", False)


def test_csv_with_settings_in_columns(tmp_path):
    first, second = read(tmp_path, "\ufeff" + CSV, "scores.csv")
    assert first["settings"] == {"few_shot": 8, "note": "chat form"}
    assert (first["date"], second["date"], second["model"]) == ("2026-01-31", None, "模型")
    assert (second["value"], second["items"], second["settings"]) == (0.25, 100, {})


GOOD = {"model": "A", "benchmark": "b", "metric": "m", "value": 0.5, "source": "s"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"value": "85%"}, "85% as 0.85"),
        ({"value": ".nan"}, "no usable number"),
        ({"value": "true"}, "no usable number"),
        ({"source": "''"}, "`source` is missing"),
        ({"stderr": -1}, "stderr"),
        ({"items": 2.5}, "must be a count"),
        ({"items": 1e300}, "must be a count"),
        ({"value": "'" + "9" * 5000 + "'"}, "no usable number"),
        ({"date": "31.1.2026"}, "is not like 2026-01-31"),
        ({"date": "2026-01-31x"}, "is not like 2026-01-31"),
        ({"date": "'2026-02-30'"}, "is not like 2026-01-31"),
        ({"model": '"a\\e[2J"'}, "control character"),
        ({"settings": "{x: .nan}"}, "short mapping"),
        ({"settings": "{2026-01-31: 1}"}, "short mapping"),
        ({"settings": "&a {x: *a}"}, "short mapping"),
        ({"model": "[a]"}, "must be a text"),
        ({"bench": "x"}, "not `benchmark`?"),
        ({"settings": "text"}, "short mapping"),
        ({"higher_is_better": "perhaps"}, "true or false"),
    ],
)
def test_a_bad_row_is_named(tmp_path, changes, said):
    good = "".join(f"- {{{', '.join(f'{k}: {v}' for k, v in row.items())}}}\n"
                   for row in (GOOD, GOOD | changes))  # fmt: skip
    with pytest.raises(StarForgeError) as caught:
        read(tmp_path, good)
    assert "(row 2)" in caught.value.message.en and said in caught.value.message.en
    assert "第 2 行" in caught.value.message.zh and caught.value.hint is not None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "a.yaml"), ("[]", "a.yaml"), ("a: 1", "a.yaml"), ("- 1", "a.yaml"),
        ("{", "a.yaml"), ("model,value\n", "a.csv"), ("a,b\n1,2,3\n", "a.csv"),
    ],
)  # fmt: skip
def test_files_without_scores_are_refused(tmp_path, text, name):
    with pytest.raises(StarForgeError) as caught:
        read(tmp_path, text, name)
    assert caught.value.code == "board/external"


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StarForgeError, match="UTF-8"):
        read_external(tmp_path / "a.csv")


@pytest.mark.parametrize("between", [";", "\t"])
def test_csv_as_spreadsheets_write_it(tmp_path, between):
    (only,) = read(tmp_path, CSV.replace("\n模型,mmlu", "\n,").partition("\n,")[0]
                   .replace(",", between), "scores.csv")  # fmt: skip
    assert (only["model"], only["value"], only["settings"]["few_shot"]) == ("A", 0.5, 8)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("A,b,m,0.5,s,more", "more cells"),
        ("A,b,m,0.5," + "x" * 200_000, "not CSV"),
        ("A,b,m,0.5,a\0b", "control character"),
        ('A,b,m,"0,5",s', "no usable number"),
        ('"A,b,m,0.5,s', "is missing"),
    ],
)
def test_a_csv_row_that_cannot_be_used_is_named(tmp_path, rows, said):
    with pytest.raises(StarForgeError) as caught:
        read(tmp_path, f"model,benchmark,metric,value,source\n{rows}", "a.csv")
    assert "(row 2)" in caught.value.message.en and said in caught.value.message.en


def test_csv_columns_of_one_name_and_settings_without_end(tmp_path):
    head = "model,benchmark,metric,value,source"
    with pytest.raises(StarForgeError, match="two columns `value`"):
        read(tmp_path, f"{head},value\nA,b,m,0.5,s,0.7", "a.csv")
    (row,) = read(tmp_path, f"{head},settings.x\nA,b,m,0.5,s,{'[' * 3_000}", "a.csv")
    assert row["settings"]["x"] == "[" * 3_000
    with pytest.raises(StarForgeError, match="short mapping"):
        read(tmp_path, f"{head},settings.x\nA,b,m,0.5,s,NaN", "a.csv")

"""Every rule about data rows, on files that break it and on files that don't."""

import json

import pytest

from starforge.checks.data import SHOWN, check_data
from starforge.checks.lengths import estimate_tokens
from starforge.findings import Finding

GOOD = {"messages": [{"role": "user", "content": "a?"}, {"role": "assistant", "content": "b"}]}


def chat(*turns: tuple[str, str]) -> dict:
    return {"messages": [{"role": role, "content": content} for role, content in turns]}


def line(row: object) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def only(findings: list[Finding], code: str) -> Finding:
    assert [f.code for f in findings] == [code], findings
    found = findings[0]
    assert found.message.en != found.message.zh
    assert "{" not in found.message.zh.replace("{", "", found.message.zh.count('{"'))
    return found


@pytest.mark.parametrize(
    "rows",
    [
        [GOOD, chat(("system", "s"), ("user", "u"), ("assistant", "a"))],
        [{"prompt": "2 + 3 =", "completion": " 5", "id": 7}, {"prompt": "x", "completion": "y"}],
        [{"text": "eine Zeile"}, {"text": "一行文字"}],
        [{"prompt": [{"role": "user", "content": "q"}],
          "completion": [{"role": "assistant", "content": "a"}]}],
        [{"messages": [
            {"role": "user", "content": "weather?"},
            {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "w"}}]},
            {"role": "tool", "content": "sunny"},
            {"role": "assistant", "content": "It is sunny."}]}],
    ],
)  # fmt: skip
def test_good_rows_give_no_finding(make_context, rows):
    assert check_data(make_context(rows)) == []


@pytest.mark.parametrize(
    ("bad", "code", "inside"),
    [
        ("{'text': 'a'}\n", "data/not-json", "byte 2"),
        ('{"text": NaN}\n', "data/not-json", "byte 10"),
        ('{"text": "a"\n', "data/not-json", "row 2 is not JSON: it ends too early"),
        ('["a", "b"]\n', "data/not-object", "a list"),
        ("3\n", "data/not-object", "a number"),
        (line({"question": "a", "answer": "b"}), "data/columns", "`question`, `answer`"),
        (line({"prompt": "a"}), "data/columns", "`prompt` and `completion`"),
        (line({}), "data/columns", "none"),
        (line({"messages": "hi"}), "data/type", "is text, but must be a list of messages"),
        (line({"prompt": "a", "completion": 5}), "data/type", "`completion` is a number"),
        (line({"text": None}), "data/type", "`text` is null"),
        (line({"prompt": "a", "completion": [{"role": "assistant", "content": "b"}]}),
         "data/type", "text, like the other columns"),
        (line({"messages": [{"from": "human", "value": "hi"}]}), "data/message",
         "`role`, `content` is missing"),
        (line({"messages": ["hi"]}), "data/message", "message 1: it is text"),
        (line({"messages": [{"role": "user", "content": 3}]}), "data/message", "a number"),
        (line(chat(("human", "hi"), ("assistant", "ho"))), "data/role", "`human`"),
        (line(chat(("user", "hi"))), "data/last-turn", "`user`"),
        (line(chat(("user", "a"), ("assistant", "b"), ("tool", "c"))), "data/last-turn", "`tool`"),
        (line({"prompt": [{"role": "assistant", "content": "5"}],
               "completion": [{"role": "assistant", "content": "6"}]}),
         "data/prompt-turn", "prompt"),
        (line({"prompt": "a", "completion": ""}), "data/empty-text", "`completion` is empty"),
        (line({"messages": []}), "data/type", "an empty list"),
        (line(chat(("user", "hi"), ("assistant", "  "))), "data/empty-text", "messages[2].content"),
    ],
)  # fmt: skip
def test_a_bad_row_is_named_with_its_line(make_context, bad, code, inside):
    # The good row before it has the same columns where possible, so that only one rule speaks.
    before = line(GOOD)
    if '"prompt"' in bad and code not in ("data/columns", "data/type"):
        kind = [{"role": "user", "content": "q"}] if '[{"role"' in bad else "q"
        answer = [{"role": "assistant", "content": "q"}] if '[{"role"' in bad else "q"
        before = line({"prompt": kind, "completion": answer})
    found = only(check_data(make_context(before + bad)), code)
    assert inside in found.message.en
    assert found.at.line == 2
    assert found.at.file == "data/train.jsonl"


def test_renamed_columns_are_suggested(make_context):
    found = only(check_data(make_context([{"instruction": "a", "output": "b"}])), "data/columns")
    assert found.hint is not None
    assert "`instruction` → `prompt`" in found.hint.en
    assert "`output` → `completion`" in found.hint.zh
    found = only(check_data(make_context([{"mesages": []}])), "data/columns")
    assert "`mesages` → `messages`" in found.hint.en


def test_roles_of_other_formats_are_translated(make_context):
    found = only(check_data(make_context([chat(("user", "x"), ("gpt", "y"))])), "data/role")
    assert "write `assistant`" in found.hint.en


def test_rows_of_another_form_than_the_first(make_context):
    rows = [{"text": "a"}, {"text": "b"}, {"prompt": "a", "completion": "b"}]
    found = only(check_data(make_context(rows)), "data/mixed")
    assert found.at.line == 3
    assert "prompt + completion as text" in found.message.en


def test_columns_that_other_rows_do_not_have(make_context):
    rows = [{"text": "a", "id": 1}, {"text": "b"}, {"text": "c", "id": 3, "x": 1, "y": 2}]
    found = only(check_data(make_context(rows)), "data/extra-columns")
    assert (found.at.line, found.at.value) == (3, ["x", "y"])
    assert (
        check_data(make_context([GOOD, {**chat(("user", "x"), ("assistant", "y")), "tools": []}]))
        == []
    )


def test_blank_lines_do_not_move_row_numbers(make_context):
    text = "\n\n" + line(GOOD) + "\n" + line(chat(("user", "x")))
    assert only(check_data(make_context(text)), "data/last-turn").at.line == 5


@pytest.mark.parametrize("content", ["", "\n\n  \n"])
def test_empty_file(make_context, content):
    only(check_data(make_context(content)), "data/empty")


@pytest.mark.parametrize(
    ("content", "inside"),
    [
        ('[\n{"text": "a"},\n{"text": "b"}\n]\n', "a JSON array"),
        ('[{"text": "a"}, {"text": "b"}]', "a JSON array"),
        ('{\n  "text": "a"\n}\n', "JSON over several lines"),
        (b"PAR1\x15\x04\x15", "a Parquet file"),
        (b"\x1f\x8b\x08\x00", "a gzip file"),
    ],
)
def test_other_formats_are_recognized(make_context, content, inside):
    assert inside in only(check_data(make_context(content)), "data/format").message.en


def test_a_byte_order_mark_is_not_an_error(make_context):
    assert check_data(make_context(b"\xef\xbb\xbf" + line(GOOD).encode())) == []


def test_invalid_utf8_names_the_row(make_context):
    found = only(
        check_data(make_context(line(GOOD).encode() + b'{"text": "\xff"}\n')), "data/not-json"
    )
    assert found.at.line == 2


def test_repeated_problems_are_counted_not_listed(make_context):
    rows = [GOOD] + [chat(("user", f"q{i}")) for i in range(100)]
    findings = check_data(make_context(rows))
    assert {f.code for f in findings} == {"data/last-turn"}
    assert len(findings) == SHOWN + 1
    assert "95 more rows" in findings[-1].message.en
    assert findings[-1].at.value == 100


def test_all_problems_of_a_file_come_at_once(make_context):
    text = line(GOOD) + "nonsense\n" + line({"a": 1}) + line(chat(("user", "x")))
    codes = {f.code for f in check_data(make_context(text))}
    assert codes == {"data/not-json", "data/columns", "data/last-turn"}


def test_duplicates_and_overlap(make_context):
    train = [{"text": "a"}, {"text": "b"}, {"text": "a"}, {"text": "a"}]
    findings = check_data(make_context(train, validation=[{"text": "c"}, {"text": "b"}]))
    duplicates, overlap = findings
    assert duplicates.code == "data/duplicates"
    assert duplicates.at.line == 3
    assert duplicates.at.value == 2
    assert overlap.code == "data/overlap"
    assert (overlap.at.file, overlap.at.line) == ("data/validation.jsonl", 2)
    assert {f.severity for f in findings} == {"warning"}


def test_long_rows_are_estimated(make_context):
    rows = [{"text": "word " * 2000}, {"text": "short"}]
    found = only(check_data(make_context(rows)), "data/long-rows")
    assert "1024" in found.message.en
    assert found.at.line == 1
    assert check_data(make_context(rows, params={"max_tokens": 8192})) == []
    # These strategies split long rows instead of cutting them.
    splitting = {"packing": True, "packing_strategy": "bfd_split"}
    assert check_data(make_context(rows, params=splitting)) == []


def test_token_estimate_is_low_for_both_scripts():
    assert 0 < estimate_tokens("a short sentence") < 6
    assert estimate_tokens("一个短句子") == 2.5
    assert estimate_tokens({"messages": [{"role": "user", "content": "abcde"}]}) > 1


def test_custom_jobs_may_bring_any_columns(make_context):
    context = make_context([{"x": 1}, {"y": [2]}], method="custom/custom", model=None,
                           files={"train.sh": "true"})  # fmt: skip
    assert check_data(context) == []

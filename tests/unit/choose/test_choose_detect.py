"""What kind of data rows are, why, and what methods would see of them."""

from __future__ import annotations

import pytest

from starforge.choose.columns import parse_map, rename
from starforge.choose.detect import as_seen, detect, kind_title
from starforge.choose.kinds import KINDS, kind_named
from starforge.choose.values import is_checkable, is_verdict
from starforge.errors import StarForgeError

USER = {"role": "user", "content": "2 + 2?"}
BOT = {"role": "assistant", "content": "4"}
GSM8K = "She sold 48/2 = 24 clips in May, so 48 + 24 = 72 in all.\n#### 72"

CASES = [
    ("instruction", "pair", {"prompt": "a", "completion": "b"}, {}),
    ("instruction", "pair", {"instruction": "a", "output": "b"},
     {"instruction": "prompt", "output": "completion"}),
    ("instruction", "pair", {"question": "why?", "answer": "Because of what light does in air."},
     {"question": "prompt", "answer": "completion"}),
    ("instruction", "conversations", {"messages": [USER, BOT]}, {}),
    ("instruction", "conversations", {"conversations": [USER, BOT]},
     {"conversations": "messages"}),
    ("instruction", "text", {"text": "once upon a time"}, {}),
    ("preference", "pairs", {"prompt": "a", "chosen": "b", "rejected": "c"}, {}),
    ("preference", "pairs", {"chosen": [USER, BOT], "rejected": [USER, BOT]}, {}),
    ("preference", "pairs", {"question": "a", "Better": "b", "Worse": "c"},
     {"question": "prompt", "Better": "chosen", "Worse": "rejected"}),
    ("binary", "labels", {"prompt": "a", "completion": "b", "label": True}, {}),
    ("binary", "labels", {"prompt": "a", "response": "b", "thumbs_up": False},
     {"response": "completion", "thumbs_up": "label"}),
    ("verifiable", "tasks", {"prompt": "2+2?", "answer": "4"}, {}),
    ("verifiable", "tasks", {"question": "2+2?", "answer": GSM8K}, {"question": "prompt"}),
    ("verifiable", "tasks", {"problem": "2+2?", "ground_truth": "four"},
     {"problem": "prompt", "ground_truth": "answer"}),
    ("verifiable", "tasks", {"prompt": "write f", "test_list": ["assert f(1)"]},
     {"test_list": "tests"}),
    ("verifiable", "tasks", {"question": "which?", "answer": "(B)"}, {"question": "prompt"}),
    ("verifiable", "tasks", {"messages": [USER], "answer": "4"}, {"messages": "prompt"}),
    ("prompts", "prompts", {"prompt": "tell me"}, {}),
    ("prompts", "prompts", {"messages": [USER]}, {"messages": "prompt"}),
    ("prompts", "prompts", {"prompt": "2+2?", "solution": "We count from two, twice up."}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "form", "row", "mapping"), CASES)
def test_kind_form_and_mapping(kind, form, row, mapping):
    found = detect([row] * 3)
    assert (found.kind, found.form, found.mapping) == (kind, form, mapping)
    assert "3 rows looked at" in found.why[0].en and "3 行" in found.why[0].zh
    assert set(found.shape) <= set(found.rows[0])
    assert kind_title(found).zh


def test_a_column_keeps_its_name_when_another_has_the_one_it_would_get():
    found = detect([{"prompt": "2+2?", "ground_truth": "4", "answer": "it is four, I think so"}])
    assert found.kind == "verifiable" and found.mapping == {}
    assert found.shape == ["prompt", "ground_truth"]
    assert found.rows[0]["answer"] == "it is four, I think so"


def test_what_a_method_sees():
    row = {"id": 7, "prompt": "a", "completion": "b"}
    assert as_seen(detect([row] * 5)) == [{"prompt": "a", "completion": "b"}] * 3
    task = {"id": 7, "question": "2+2?", "answer": "4"}
    assert list(as_seen(detect([task]))[0]) == ["prompt", "answer", "id"], "a reward may ask for id"


def notes(row, *more):
    return " ".join(note.en for note in detect([row, *more]).notes)


def test_notes_say_what_renaming_can_not_mend():
    turns = [{"from": "human", "value": "2 + 2?"}, {"from": "gpt", "value": "4"}]
    assert "jq -c" in notes({"conversations": turns})
    assert "final answer" in notes({"question": "2+2?", "answer": GSM8K})
    assert "`input`" in notes({"instruction": "a", "input": "b", "output": "c"})
    assert "`input`" not in notes({"instruction": "a", "input": "", "output": "c"})
    row = {"prompt": "a", "completion": "b"}
    assert "must hold true and false" in notes(row | {"label": 1}, row | {"label": 0})
    assert "only one" in notes(row | {"label": True})
    assert notes(row | {"label": True}, row | {"label": False}) == ""


def test_traits_of_tasks():
    task = {"prompt": "2+2?", "answer": "4"}
    assert detect([task | {"step_rewards": [1, 0]}]).traits == {"process_rewards"}
    assert detect([task | {"pass_rate": 0.05}]).traits == {"hard"}
    assert detect([task | {"pass_rate": 0.9}]).traits == frozenset()
    assert detect([task | {"solution": "count up twice"}]).traits == {"solutions"}


def test_rows_of_no_kind_name_their_columns_and_the_way_out():
    with pytest.raises(StarForgeError) as caught:
        detect([{"a": 1, "b": 2}])
    assert "`a`, `b`" in caught.value.message.zh
    assert "--map" in caught.value.hint.en
    assert detect(rename([{"a": "x", "b": "y"}], parse_map(["prompt=a", "completion=b"]))).kind == (
        "instruction"
    )


@pytest.mark.parametrize(
    ("pairs", "code"),
    [(["prompt"], "choose/map"), (["=a"], "choose/map"), (["p=a", "q=a"], "choose/map"),
     (["p=a", "p=b"], "choose/map"), (["p=c"], "choose/no-column"),
     (["b=a"], "choose/column-taken")],
)  # fmt: skip
def test_a_mapping_that_can_not_be(pairs, code):
    with pytest.raises(StarForgeError) as caught:
        rename([{"a": 1, "b": 2}], parse_map(pairs))
    assert caught.value.code == code


def test_columns_can_change_places():
    assert rename([{"a": 1, "b": 2}], parse_map(["b=a", "a=b"])) == [{"b": 1, "a": 2}]


@pytest.mark.parametrize(
    "value",
    ["72", "-3.5", "1,000", "3/4", "$5", "12 %", "B", "(c)", "True", r"\boxed{x}", 3, False],
)
def test_values_a_program_can_check(value):
    assert is_checkable(value)


@pytest.mark.parametrize("value", ["Paris is nice", "", None, [], "42 is the answer", "K"])
def test_values_it_can_not(value):
    assert not is_checkable(value)


def test_verdicts():
    assert all(is_verdict(one) for one in (True, 0, 1.0, "good", " Down "))
    assert not any(is_verdict(one) for one in (2, "maybe", None, [True]))


def test_kinds_by_the_names_people_use():
    assert kind_named("Conversations") == "instruction"
    assert kind_named("pairs") == "preference" and kind_named("RL") == "verifiable"
    assert kind_named("nonsense") is None
    words = [word for kind in KINDS.values() for word in (kind.name, *kind.aliases)]
    assert len(words) == len(set(words)), "one word, one kind"

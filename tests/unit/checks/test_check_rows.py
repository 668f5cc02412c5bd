"""Order of turns, pairs, labels, columns for the reward, benchmarks, renamed columns."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from starforge.checks import data as checks_data
from starforge.checks.data import check_data
from starforge.checks.reader import Readers
from starforge.evals.generators import generate
from starforge.evals.library import bundled

REWARD = "def reward(prompts, completions, answer, hint=None):\n    return [0.0 for _ in prompts]\n"


def chat(*turns: tuple[str, str]) -> dict:
    return {"messages": [{"role": role, "content": content} for role, content in turns]}


def codes(findings) -> list[str]:
    return [finding.code for finding in findings]


U, A, S, T = ("user", "u"), ("assistant", "a"), ("system", "s"), ("tool", "t")


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        ([U, A, U, A], None),
        ([S, U, A], None),
        ([S, ("developer", "d"), U, A], None),
        ([U, A, T, T, A], None),
        ([U, U, A], ("data/turn-order", "message 2: `user` follows `user`")),
        ([U, A, A], ("data/turn-order", "message 3: `assistant` follows `assistant`")),
        ([A, U, A], ("data/turn-order", "message 1: it is of `assistant`")),
        ([U, T, A], ("data/turn-order", "`tool` follows `user`")),
        ([S, A], ("data/turn-order", "`assistant` follows `system`")),
        ([U, S, A], ("data/late-system", "message 2 is of `system`")),
        ([U, A, S, U, A], ("data/late-system", "message 3")),
        ([U, A, U], ("data/last-turn", "`user`")),
    ],
)
def test_the_order_of_turns(make_context, turns, found):
    findings = check_data(make_context([chat(U, ("assistant", "first")), chat(*turns)]))
    if found is None:
        assert findings == []
        return
    assert codes(findings) == [found[0]]
    assert found[1] in findings[0].message.en
    assert findings[0].at.line == 2


def test_the_side_of_a_pair_that_is_a_question(make_context):
    """cases.md 41: the wrong role in `rejected`, with its row."""
    good = {"prompt": [{"role": "user", "content": "q"}],
            "chosen": [{"role": "assistant", "content": "a"}],
            "rejected": [{"role": "assistant", "content": "b"}]}  # fmt: skip
    bad = good | {"rejected": [{"role": "user", "content": "b"}]}
    (found,) = check_data(make_context([good, bad], method="trl/dpo"))
    assert (found.code, found.at.line, found.at.key) == ("data/last-turn", 2, "rejected")
    assert check_data(make_context([good], method="trl/dpo")) == []
    # cases.md 39 and 40
    text = {"prompt": "q", "chosen": "a", "rejected": "b"}
    assert check_data(make_context([text], method="trl/dpo")) == []
    whole = {"chosen": good["prompt"] + good["chosen"],
             "rejected": good["prompt"] + good["rejected"]}  # fmt: skip
    assert check_data(make_context([whole], method="trl/dpo")) == []


def labelled(good: int, bad: int) -> list[dict]:
    rows = [{"prompt": f"q{i}", "completion": "a", "label": i < good} for i in range(good + bad)]
    return sorted(rows, key=lambda row: row["prompt"])


def test_labels(make_context):
    (found,) = check_data(make_context(labelled(5, 0), method="trl/kto"))
    assert (found.code, found.severity) == ("data/one-label", "error")
    (found,) = check_data(make_context(labelled(90, 10), method="trl/kto"))
    assert (found.code, found.severity) == ("data/label-ratio", "warning")
    assert found.hint.en == "set `undesirable_weight: 9`, so that both sides weigh the same"
    weighted = make_context(labelled(90, 10), method="trl/kto", params={"undesirable_weight": 9.0})
    assert check_data(weighted) == []
    assert check_data(make_context(labelled(6, 4), method="trl/kto")) == []


def test_columns_that_the_reward_takes(make_context):
    """cases.md 43."""
    rows = [{"prompt": "a", "answer": "1"}, {"prompt": "b"}, {"prompt": "c", "answer": None}]

    def look(reward: str):
        context = make_context(
            rows, method="trl/grpo", reward="reward.py", files={"reward.py": reward}
        )
        return check_data(context)

    findings = look(REWARD)
    assert [(f.code, f.at.line, f.at.key) for f in findings] == [
        ("data/reward-column", 2, "answer"), ("data/reward-column", 3, "answer"),
    ]  # fmt: skip
    assert look("def reward(prompts, completions, answer=None):\n    return []\n") == []
    assert look("def reward(prompts, completions, **columns):\n    return []\n") == []


def test_extra_keys_far_into_a_file(make_context):
    """cases.md 46."""
    rows = [{"text": f"row {i}"} for i in range(3000)]
    rows[2800] |= {"a": 1, "b": 2, "c": 3}
    (found,) = check_data(make_context(rows))
    assert (found.code, found.at.line) == ("data/extra-columns", 2801)
    assert found.at.value == ["a", "b", "c"]


def test_equal_rows_however_they_are_written(make_context):
    text = '{"text": "é", "id": 1}\n{"id":1,"text":"\\u00e9"}\n{"text": "é", "id": 2}\n'
    (found,) = check_data(make_context(text))
    assert (found.code, found.at.line, found.at.value) == ("data/duplicates", 2, 1)


def test_many_rows_are_compared_the_same_way(make_context, monkeypatch):
    monkeypatch.setattr("starforge.checks.fingerprints.FEW", 2)
    rows = [{"text": letter} for letter in "abacada"]
    duplicates, overlap = check_data(make_context(rows, validation=[{"text": t} for t in "xca"]))
    assert (duplicates.code, duplicates.at.line, duplicates.at.value) == ("data/duplicates", 3, 3)
    assert (overlap.code, overlap.at.line, overlap.at.value) == ("data/overlap", 2, 2)


def test_questions_of_benchmarks(make_context, tmp_path):
    pack = bundled()["arithmetic"]
    item = generate(pack.data.test)[0]
    asked = f"What is {item['question']}? Give only the number."
    rows = [chat(("user", "something else?"), A), chat(("user", asked.upper()), A)]
    (found,) = check_data(make_context(rows))
    assert (found.code, found.at.line, found.at.value) == ("data/contamination", 2, 1)
    assert "`arithmetic`" in found.message.en
    own = tmp_path / "exp" / "benchmarks" / "capitals"
    own.mkdir(parents=True)
    (own / "test.jsonl").write_text('{"question": "What is the capital of Peru?", "answer": "L"}\n')
    (own / "pack.yaml").write_text(
        'name: capitals\nversion: "1"\ntitle: {en: C, zh: 首都}\ndescription: {en: D, zh: 说明}\n'
        "licence: MIT\nprovenance: {en: P, zh: 来源}\nprimary: {metric: exact_match}\n"
        "columns: [question, answer]\ndata: {test: test.jsonl}\n"
        'task: {output_type: generate_until, doc_to_text: "Q: {{question}}\\nA:"}\n'
    )
    rows = [{"prompt": "Answer in one word.\nWhat is the capital of Peru?", "completion": "Lima"}]
    (found,) = check_data(make_context(rows))
    assert "`capitals`" in found.message.en


def test_renamed_columns(make_context):
    rows = [{"question": "a", "reply": "b"}, {"question": "c", "reply": "d"}]
    assert codes(check_data(make_context(rows))) == ["data/columns"] * 2
    mapping = {"question": "prompt", "reply": "completion"}
    assert check_data(make_context(rows, columns=mapping)) == []
    (found,) = check_data(make_context(rows, columns=mapping | {"repyl": "x"}))
    assert (found.code, found.at.key) == ("data/map-unknown", "data.map.repyl")
    assert "`reply`" in found.hint.en
    rows[1]["prompt"] = "taken"
    findings = check_data(make_context(rows, columns=mapping))
    assert ("data/map-taken", 2) in [(f.code, f.at.line) for f in findings]


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "Infinity"])
def test_numbers_that_json_does_not_have(make_context, number):
    (found,) = check_data(make_context(f'{{"text": "a", "score": {number}}}\n'))
    assert found.code == "data/not-json"
    assert number.removeprefix("-") in found.message.en


def test_a_table_is_told_how_to_become_rows(make_context, tmp_path):
    context = make_context("question,answer\n1+1,2\n")
    table = tmp_path / "exp" / "data" / "train.csv"
    table.write_text("question,answer\n1+1,2\n")
    source = context.data["train"]
    import msgspec

    named = msgspec.structs.replace(source, path=table, shown="data/train.csv")
    (found,) = check_data(msgspec.structs.replace(context, data={"train": named}))
    assert "a table" in found.message.en
    import subprocess

    command = found.hint.en.removeprefix("convert it: `").removesuffix("`")
    subprocess.run(command, shell=True, check=True, cwd=tmp_path / "exp")
    made = (tmp_path / "exp" / "data" / "train.jsonl").read_text()
    assert json.loads(made) == {"question": "1+1", "answer": "2"}


# Quick and close reading come to the same verdict.
words = st.sampled_from(["", " ", "a", "一", "b\n"])
turns = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "system", "bot"]), "content": words},
        optional={"name": words},
    ),
    max_size=4,
)
row = st.one_of(
    st.fixed_dictionaries({"messages": turns}, optional={"id": st.integers(), "x": words}),
    st.fixed_dictionaries({"prompt": st.one_of(words, turns), "completion": words}),
    st.fixed_dictionaries({"text": st.one_of(words, st.none(), st.integers())}),
)


@settings(max_examples=150, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(rows=st.lists(row, min_size=1, max_size=6))
def test_reading_quickly_changes_no_verdict(make_context, rows):
    first = chat(U, A) if "messages" in rows[0] else {"prompt": "p", "completion": "c"}
    context = make_context([first, *rows, *rows])
    quick = check_data(context)

    class Close(Readers):
        def learn(self, row, shape):
            return None

    kept = checks_data.Readers
    checks_data.Readers = Close
    try:
        assert check_data(context) == quick
    finally:
        checks_data.Readers = kept

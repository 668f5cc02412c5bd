"""Lengths in tokens of a real tokenizer, and what a real chat template makes of rows."""

import itertools

import pytest
from models import END, TEMPLATE, make_model

from starforge.checks.chat_template import ChatTemplate, TemplateError, template_source
from starforge.checks.data import check_data
from starforge.checks.measured import BUDGET, EVERY, SAMPLE, Sample, check_lengths
from starforge.checks.tokens import meter_of

# Every message of TEMPLATE costs: <|start|>, its role, a line break, <|end|>.
USER, ANSWER = 3 + 4, 3 + 9


def chat(question: str, answer: str) -> dict:
    return {"messages": [{"role": "user", "content": question},
                         {"role": "assistant", "content": answer}]}  # fmt: skip


@pytest.fixture
def context_of(make_context, tmp_path):
    def make(rows, *, template=TEMPLATE, **more):
        folder = make_model(tmp_path / "model", template=template)
        return make_context(rows, model=str(folder), **more)

    return make


def named(findings, code):
    found = [finding for finding in findings if finding.code == code]
    assert len(found) == 1, findings
    return found[0]


def test_rows_are_measured_as_they_will_be_rendered(context_of):
    meter = meter_of(context_of([chat("a", "b")]))
    one = meter.measure(chat("what", "this"))
    assert one.total == 4 + USER + 4 + ANSWER
    assert one.prompt == 4 + USER + ANSWER - 1  # the beginning of the answer has no end
    assert meter.measure({"text": "abc" + END}).total == 4
    plain = meter.measure({"prompt": "12345", "completion": "123"})
    assert (plain.total, plain.prompt) == (8, 5)
    pair = {"prompt": [{"role": "user", "content": "what"}],
            "chosen": [{"role": "assistant", "content": "a"}],
            "rejected": [{"role": "assistant", "content": "longer"}]}  # fmt: skip
    assert meter.measure(pair).total == 4 + USER + 6 + ANSWER


def test_the_histogram_and_the_rows_that_are_cut(context_of):
    rows = [chat(f"{i:04}", "x" * max(1, 20 * i)) for i in range(20)]
    findings = check_data(context_of(rows, params={"max_tokens": 200}))
    lengths = named(findings, "data/lengths")
    assert lengths.severity == "info"
    assert sum(lengths.at.value["counts"]) == 20
    assert "the longest 403" in lengths.message.en
    cut = named(findings, "data/cut-rows")
    assert (cut.at.line, cut.at.value) == (20, 11)
    assert "(55%)" in cut.message.en
    assert check_data(context_of(rows, params={"max_tokens": 500}))[0].code == "data/lengths"


def test_rows_with_nothing_left_to_learn(context_of):
    rows = [chat("q" * 300, "a"), chat("q", "a")]
    findings = check_data(context_of(rows, params={"max_tokens": 100}))
    lost = named(findings, "data/no-answer-left")
    assert (lost.at.line, lost.at.value) == (1, 1)
    assert "data/cut-rows" not in {f.code for f in findings}


def test_doubled_end_tokens(context_of):
    """cases.md 51."""
    rows = [chat("a", "b"), chat("a", "b" + END), chat("a", f"c{END}\n")]
    doubled = named(check_data(context_of(rows)), "data/doubled-end")
    assert (doubled.at.line, doubled.at.value) == (2, 2)


def test_a_template_that_refuses_a_conversation(context_of):
    picky = (
        "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('roles must alternate') }}{% endif %}{{ m['content'] }}{% endfor %}"
    )
    bad = {"messages": [{"role": "system", "content": "s"}, *chat("a", "b")["messages"]]}
    findings = check_data(context_of([chat("c", "d"), bad], template=picky))
    refused = named(findings, "data/template-refuses")
    assert (refused.at.line, refused.severity) == (2, "error")
    assert "roles must alternate" in refused.message.en


@pytest.mark.parametrize(
    ("method", "rows", "way"),
    [
        ("trl/dpo", [{"chosen": [{"role": "user", "content": "a"},
                                 {"role": "assistant", "content": "b"}],
                      "rejected": [{"role": "user", "content": "a"},
                                   {"role": "assistant", "content": "c"}]}], "text columns"),
        ("openrlhf/sft", [chat("a", "b")], "apply_chat_template: false"),
        ("openrlhf/grpo", [{"prompt": "a", "answer": "b"}], "apply_chat_template: false"),
    ],
)  # fmt: skip
def test_conversations_without_a_template_are_told_once_at_the_model(context_of, method, rows, way):
    findings = check_data(context_of(rows, template=None, method=method))
    (found,) = [one for one in findings if one.severity == "error"]
    assert (found.code, found.at.key) == ("model/no-chat-template", "model")
    assert way in found.hint.en
    assert "请使用指令模型" in found.hint.zh


@pytest.mark.parametrize(
    ("params", "code", "severity"),
    [
        ({"filter_long_prompts": False}, "data/prompts-cut", "warning"),
        ({"filter_long_prompts": True}, "data/prompts-left-out", "info"),
        ({"max_prompt_tokens": 1024}, None, None),
    ],
)
def test_prompts_over_the_limit(context_of, params, code, severity):
    """cases.md 50: prompts of up to 558 tokens and a limit of 512."""
    rows = [{"prompt": "q" * n, "answer": "1"} for n in (10, 540, 100)]
    context = context_of(
        rows, method="verl/grpo", reward="reward.py",
        params={"max_prompt_tokens": 512, **params},
        files={"reward.py": "def reward(prompts, completions, answer):\n    return []\n"},
    )  # fmt: skip
    findings = check_data(context)
    assert "the longest 558" in named(findings, "data/lengths").message.en
    if code is None:
        assert {f.code for f in findings} == {"data/lengths"}
        return
    found = named(findings, code)
    assert (found.severity, found.at.line, found.at.value) == (severity, 2, 1)
    assert "558" in found.message.en


def test_rows_that_stop_the_training(context_of):
    """verl's supervised trainer raises at the first row that is too long, unless it may cut."""
    rows = [chat("q", "a" * n) for n in (10, 300)]
    params = {"max_tokens": 128, "truncation": "error"}
    found = named(check_data(context_of(rows, method="verl/sft", params=params)),
                  "data/rows-too-long")  # fmt: skip
    assert (found.severity, found.at.line, found.at.value) == ("error", 2, 1)
    params["truncation"] = "right"
    findings = check_data(context_of(rows, method="verl/sft", params=params))
    assert [f.code for f in findings] == ["data/cut-rows", "data/lengths"]


def test_a_large_split_is_sampled_evenly_and_within_a_time(context_of):
    sample = Sample(10 * SAMPLE)
    for line in range(1, 10 * SAMPLE + 1):
        sample.add(line, b'{"text": "abc"}')
    assert [line for line, _ in sample.lines[:3]] == [1, 11, 21]
    assert len(sample.lines) == SAMPLE
    context = context_of([{"text": "abc"}])
    ticks = itertools.chain([0.0, 1.0, 2.0], itertools.repeat(BUDGET + 1))
    found = check_lengths(
        context, context.data["train"], sample, meter_of(context), lambda: next(ticks)
    )
    (lengths,) = found
    assert f"{2 * EVERY} rows measured" in lengths.message.en


def test_without_a_tokenizer_lengths_are_estimated(make_context, tmp_path):
    folder = make_model(tmp_path / "model")
    (folder / "tokenizer.json").write_text("{}")
    context = make_context([{"text": "word " * 2000}], model=str(folder))
    assert [f.code for f in check_data(context)] == ["data/long-rows"]


def test_templates_run_in_a_sandbox_and_fail_cleanly(tmp_path):
    escape = ChatTemplate("{{ messages.__class__.__mro__[1].__subclasses__() }}", {}, {})
    with pytest.raises(TemplateError):
        escape.render([])
    with pytest.raises(TemplateError):
        ChatTemplate("{% for %}", {}, {})
    given = ChatTemplate("{{ bos_token }}{{ tools | tojson }}{{ think }}", {"bos_token": "<s>"},
                         {"think": 1})  # fmt: skip
    assert given.render([], tools=[{"名": 1}]) == '<s>[{"名": 1}]1'
    assert template_source(make_model(tmp_path)) == TEMPLATE
    (tmp_path / "chat_template.jinja").write_text("of the file")
    assert template_source(tmp_path) == "of the file"


def test_an_experiment_may_bring_its_own_template(context_of):
    context = context_of(
        [chat("a", "b")], template=None, params={"chat_template": "chat.jinja"},
        files={"chat.jinja": "{% for m in messages %}{{ m['content'] }}{% endfor %}"},
    )  # fmt: skip
    assert meter_of(context).measure(chat("ab", "c")).total == 3


def test_no_prompt_within_the_limit_is_an_error(context_of):
    rows = [{"prompt": "q" * 40, "answer": "1"} for _ in range(3)]
    context = context_of(
        rows, method="verl/grpo", reward="reward.py",
        params={"max_prompt_tokens": 16, "filter_long_prompts": True},
        files={"reward.py": "def reward(prompts, completions, answer):\n    return []\n"},
    )  # fmt: skip
    found = named(check_data(context), "data/no-prompt-left")
    assert found.severity == "error" and "all 3 prompts" in found.message.en

import subprocess
import sys
from pathlib import Path

import pytest

from starforge.evals import make_settings, settings_digest
from starforge.evals import settings as module

BASE = {
    "pack": {"version": "1", "digest": "a" * 64, "data": "b" * 64},
    "harness": "lm-eval", "harness_version": "0.4.13", "few_shot": 0, "limit": None, "seed": 1,
    "chat_template": "{{ messages }}", "system_prompt": None, "as_turns": True,
    "decoding": {"do_sample": False, "max_gen_toks": 32}, "filter_name": "none",
}  # fmt: skip


def digest(**changes):
    return settings_digest(make_settings(**(BASE | changes)))


@pytest.mark.parametrize(
    "changes",
    [
        {"pack": BASE["pack"] | {"version": "2"}},
        {"pack": BASE["pack"] | {"digest": "c" * 64}},
        {"pack": BASE["pack"] | {"data": "c" * 64}},
        {"pack": BASE["pack"] | {"data": None}},
        {"harness_version": "0.4.14"},
        {"few_shot": 5},
        {"limit": 10},
        {"chat_template": None},
        {"chat_template": "{{ other }}"},
        {"system_prompt": "Be brief."},
        {"decoding": None},
        {"decoding": {"do_sample": False, "max_gen_toks": 64}},
        {"filter_name": "strict"},
    ],
)
def test_whatever_changes_a_score_puts_it_into_another_column(changes):
    assert digest(**changes) != digest()


@pytest.mark.parametrize(
    "changes",
    [{"seed": 2}, {"as_turns": False}, {"few_shot": None}, {"few_shot_seed": 7}],
)
def test_what_cannot_change_a_score_does_not(changes):
    assert digest(**changes) == digest()


def test_seeds_count_where_answers_are_sampled_and_where_examples_are_chosen():
    sampled = {"decoding": {"do_sample": True, "temperature": 0.7}}
    assert digest(seed=2, **sampled) != digest(**sampled)
    assert digest(few_shot_seed=2, **sampled) == digest(**sampled)
    assert digest(seed=2, few_shot=3) == digest(few_shot=3)
    assert digest(few_shot_seed=2, few_shot=3) != digest(few_shot_seed=1, few_shot=3)
    assert digest(as_turns=False, few_shot=3) != digest(few_shot=3)


def test_the_module_needs_nothing_but_the_standard_library():
    code = f"import sys; sys.path.insert(0, {str(Path(module.__file__).parent)!r})\n"
    code += "import settings; print(settings.short('x'))"
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == module.short("x")

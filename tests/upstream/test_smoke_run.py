"""`sf smoke` in the real frameworks: what it proves, and mistakes that only running shows."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from trl_support import Trial

from starforge.prepare import prepare
from starforge.smoke.run import Options, smoke

pytestmark = pytest.mark.upstream

# Small already, but of an architecture of its own: grouped heads, three layers, two kinds of them.
CONFIG = {
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "vocab_size": 384,
    "hidden_size": 96, "intermediate_size": 160, "num_hidden_layers": 3, "num_attention_heads": 6,
    "num_key_value_heads": 3, "head_dim": 16, "max_position_embeddings": 512,
    "tie_word_embeddings": True, "eos_token_id": 2, "bos_token_id": 1, "pad_token_id": 0,
}  # fmt: skip
MODEL = """\
import json, pathlib, sys
sys.path.insert(0, sys.argv[1])
import tiny_model
from transformers import AutoConfig, AutoModelForCausalLM
folder = pathlib.Path(sys.argv[2])
tiny_model._tokenizer().save_pretrained(folder)
(folder / "config.json").write_text(sys.argv[3])
AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder)).save_pretrained(folder)
if len(sys.argv) > 4:
    (folder / "chat_template.jinja").write_text(sys.argv[4])
"""
NO_SYSTEM = (
    "{%- for message in messages %}"
    "{%- if message['role'] == 'system' and loop.length > 2 %}"
    "{{- raise_exception('no system turn in a conversation') }}{%- endif %}"
    "{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)
COUNTS = """\
def reward(prompts, completions, **columns):
    short = [text for text, prompt in zip(completions, prompts) if len(str(prompt)) < 200]
    return [float(len(text)) for text in short]
"""


def make_model(python: str, folder: Path, *template: str) -> Path:
    drivers = Path(__file__).parents[2] / "src" / "starforge" / "frameworks" / "_drivers"
    argv = [python, "-c", MODEL, str(drivers), str(folder), json.dumps(CONFIG), *template]
    folder.mkdir()
    subprocess.run(argv, check=True, env=os.environ | {"OMP_NUM_THREADS": "1"}, timeout=240)
    return folder


def tried(trial: Trial, *sets: str, **options):
    prepared = prepare(trial.folder, sets=sets)
    assert prepared.ok, prepared.findings
    report = smoke(prepared, Options(sets=sets, timeout=300, **options), lambda text: None)
    return report, {text.en for text in report.proved}


def verifiable(number: int, text: str = "") -> dict:
    return {"prompt": [{"role": "user", "content": f"{text}{number} + 1 = ?"}], "answer": number}


def test_sft_with_a_stand_in_of_the_models_architecture(tmp_path, trl_python, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = Trial(tmp_path, "trl/sft")
    model = make_model(trl_python, tmp_path / "model")
    made.edit("starforge:tiny", str(model))
    long = "long " * 60
    asked = [f"{number}? " + long * (number == 7) for number in range(20)]
    rows = [
        {"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "yes"}]}
        for text in asked
    ]
    made.write_rows(rows)
    made.write_rows(rows[:3], "validation")
    report, proved = tried(made, "validation_strategy=steps", "validation_steps=10", keep=True)
    assert report.ok, (report.reason, report.tail)
    assert [step.step for step in report.steps] == [1, 2]
    assert report.rows["train"].longest[0] == 8
    (used,) = report.models
    config = json.loads((Path(used.location) / "config.json").read_text("utf-8"))
    assert config["model_type"] == "qwen3"
    assert config["num_hidden_layers"] == 2
    assert config["vocab_size"] == 384
    assert f"architecture, tokenizer and chat template of {model}" in proved
    assert "a pass of validation" in proved
    assert not any("starforge:tiny" in text.en for text in report.open)


def test_a_template_that_refuses_a_system_turn(tmp_path, trl_python):
    made = Trial(tmp_path, "trl/grpo")
    model = make_model(trl_python, tmp_path / "model", NO_SYSTEM)
    made.edit("starforge:tiny", str(model))
    system = {"role": "system", "content": "Be brief. " * 20}
    rows = [verifiable(i) for i in range(2400)]
    # Of so many rows the checks render every third one, and not this.
    asked = {"role": "user", "content": "Hm?"}
    answered = {"role": "assistant", "content": "Hm."}
    rows[101]["prompt"] = [system, asked, answered, *rows[101]["prompt"]]
    made.write_rows(rows)
    report, _ = tried(made)
    assert not report.ok
    assert "no system turn in a conversation" in report.reason.en
    assert "row 102" in report.reason.en, "as it stands in the author's file"


def test_a_reward_that_miscounts_only_on_long_rows(tmp_path, trl_python):
    made = Trial(tmp_path, "trl/grpo")
    rows = [verifiable(i) for i in range(40)]
    rows[30] = verifiable(30, "Think about it. " * 20)
    made.write_rows(rows)
    (made.folder / "reward.py").write_text(COUNTS, "utf-8")
    assert prepare(made.folder, trial=True).ok, "the checks try the first rows only"
    report, _ = tried(made)
    assert not report.ok
    assert "rewards for" in report.reason.en
    assert 31 in report.rows["train"].longest


def test_a_model_whose_vocabulary_is_smaller_than_its_tokenizer(tmp_path, trl_python):
    from starforge.errors import StarForgeError

    made = Trial(tmp_path, "trl/sft")
    model = make_model(trl_python, tmp_path / "model")
    config = CONFIG | {"vocab_size": 100}
    (model / "config.json").write_text(json.dumps(config), "utf-8")
    made.edit("starforge:tiny", str(model))
    prepared = prepare(made.folder)
    assert prepared.ok, prepared.findings
    with pytest.raises(StarForgeError) as refused:
        smoke(prepared, Options(), lambda text: None)
    assert "the tokenizer has 259 tokens, the model's vocabulary 100" in refused.value.message.en


def test_a_distillation_has_a_teacher_of_the_same_vocabulary(tmp_path, trl_python):
    made = Trial(tmp_path, "trl/opsd")
    model = make_model(trl_python, tmp_path / "model")
    made.edit("model: starforge:tiny", f"model: {model}")
    made.edit("teacher: starforge:tiny", "teacher: someone/a-larger-model")
    report, _ = tried(made)
    assert report.ok, (report.reason, report.tail)
    assert [one.kind for one in report.models] == ["stand-in", "relative"]
    assert any("someone/a-larger-model" in text.en for text in report.open)


def test_a_model_that_is_only_on_the_hub_is_said(tmp_path, trl_python, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    made = Trial(tmp_path, "trl/grpo")
    made.edit("starforge:tiny", "someone/a-model")
    report, proved = tried(made)
    assert report.ok, (report.reason, report.tail)
    assert any("someone/a-model" in text.en for text in report.open)
    assert any("reward.py scored" in text for text in proved)


@pytest.mark.parametrize("method", ["verl/sft", "openrlhf/sft"])
def test_other_frameworks_take_two_steps(tmp_path, request, method):
    request.getfixturevalue(f"{method.partition('/')[0]}_python")
    report, _ = tried(Trial(tmp_path, method))
    assert report.ok, (report.reason, report.tail)
    assert [step.step for step in report.steps] == [1, 2]


@pytest.mark.slow
def test_a_filter_that_leaves_no_batch_in_verls_own_sampler(tmp_path, verl_python):
    made = Trial(tmp_path, "verl/grpo")
    model = make_model(verl_python, tmp_path / "model")
    made.edit("model: starforge:tiny", f"model: {model}")
    made.write_rows([verifiable(i, "word " * 40) for i in range(40)])
    report, _ = tried(made, "max_prompt_tokens=64")
    assert not report.ok


@pytest.mark.slow
@pytest.mark.parametrize("method", ["verl/grpo", "openrlhf/grpo"])
def test_sampling_in_other_frameworks(tmp_path, request, method):
    request.getfixturevalue(f"{method.partition('/')[0]}_python")
    report, proved = tried(Trial(tmp_path, method))
    assert report.ok, (report.reason, report.tail)
    assert len(report.steps) == 2
    assert any("reward.py scored" in text for text in proved)

"""What can't be started here is looked at: configuration, longest rows, template, reward."""

import json

import pytest
from models import TEMPLATE, make_model

from starforge.catalog.load import load_catalog
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare
from starforge.smoke.run import Options, smoke

MISCOUNTS = """\
def reward(prompts, completions, **columns):
    return [1.0 for prompt, text in zip(prompts, completions) if len(str(prompt)) < 300]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("STARFORGE_NEMO_RL_SRC", raising=False)
    monkeypatch.setenv("STARFORGE_HOME", str(tmp_path / "home"))
    init_lab(tmp_path / "lab")
    catalog = load_catalog()
    made = new_experiment(Lab(tmp_path / "lab"), "try", catalog.recipe("nemo-rl/grpo"), catalog)
    rows = [{"prompt": f"{i} + 1 = ?", "answer": str(i + 1)} for i in range(60)]
    rows[50]["prompt"] = "Think about it. " * 20 + rows[50]["prompt"]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (made / "data" / "train.jsonl").write_text(text, "utf-8")
    return made


def look(folder):
    prepared = prepare(folder, trial=True)
    assert prepared.ok, prepared.findings
    return smoke(prepared, Options(), lambda text: None)


def test_it_says_that_nothing_was_trained(folder):
    report = look(folder)
    assert report.ok, report.reason
    assert report.mode == "look"
    assert report.steps == []
    assert report.rows["train"].longest[0] == 51
    assert any("NeMo-RL needs a GPU" in text.en for text in report.open)
    assert any("reward.py" in text.en for text in report.proved)
    assert any("chat template of Qwen" in text.en for text in report.open)


def test_a_model_in_the_cache_of_downloads_is_rendered(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    cached = tmp_path / "cache" / "hub" / "models--Qwen--Qwen2.5-0.5B-Instruct"
    make_model(cached / "snapshots" / "abc")
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("abc")
    report = look(folder)
    assert report.ok, report.reason
    assert any("chat template renders" in text.en for text in report.proved)
    assert not any("chat template of" in text.en for text in report.open)


def test_a_reward_that_miscounts_only_on_a_long_row(folder):
    (folder / "reward.py").write_text(MISCOUNTS, "utf-8")
    report = look(folder)
    assert not report.ok
    assert "rewards for" in report.reason.en
    assert report.proved == []


def test_a_template_that_refuses_the_longest_row(folder, tmp_path):
    guard = "{% if messages[0]['content']|length > 300 %}{{ raise_exception('too much') }}"
    model = make_model(tmp_path / "model", template=guard + "{% endif %}" + TEMPLATE)
    file = folder / "experiment.yaml"
    text = file.read_text("utf-8")
    old = next(line for line in text.splitlines() if line.startswith("model:"))
    file.write_text(text.replace(old, f"model: {model}"), "utf-8")
    # Of so many rows the checks render every third one, and not this.
    rows = [{"prompt": f"{i} + 1 = ?", "answer": str(i + 1)} for i in range(2400)]
    rows[101]["prompt"] = "Think about it. " * 20
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "data" / "train.jsonl").write_text(lines, "utf-8")
    report = look(folder)
    assert not report.ok
    assert "too much" in report.reason.en
    assert "row 102" in report.reason.en, "as it stands in the author's file"

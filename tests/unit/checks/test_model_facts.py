"""Architecture, context length, template and teacher, from real folders."""

import re
from importlib import resources

import pytest
from models import make_model

from starforge.catalog.architectures import architectures_of
from starforge.catalog.load import load_catalog
from starforge.checks.model_facts import check_model_facts, context_length

REWARD = {"reward.py": "def reward(prompts, completions, **columns):\n    return []\n"}


@pytest.fixture
def look(make_context, tmp_path):
    def find(method="trl/sft", *, template=True, teacher=None, keys=None, **config):
        folder = make_model(tmp_path / "m", **({} if template else {"template": None}), **config)
        rows = [{"prompt": "a", "answer": "b"}] if method != "trl/sft" else None
        more = {"teacher": str(teacher)} if teacher else {}
        if method.endswith("/grpo"):
            more |= {"reward": "reward.py", "files": REWARD}
        context = make_context(rows, method=method, model=str(folder), **more, **(keys or {}))
        return list(check_model_facts(context))

    return find


def test_a_model_that_fits(look):
    assert look() == []
    assert look("verl/grpo") == []


def test_types_that_the_pinned_transformers_does_not_know(look):
    (found,) = look(model_type="lama")
    assert (found.code, found.at.key) == ("model/unknown-architecture", "model")
    assert "transformers 5.24.0" in found.message.en
    assert "`llama`" in found.hint.en
    # Known to one framework and not to another with an older transformers.
    newer = architectures_of(load_catalog().recipe("trl/sft")).types
    older = architectures_of(load_catalog().recipe("verl/sft")).types
    kind = sorted(newer - older)[0]
    assert look(model_type=kind) == []
    assert [f.code for f in look("verl/grpo", model_type=kind)] == ["model/unknown-architecture"]
    assert look(model_type="lama", auto_map={"AutoModelForCausalLM": "m.M"}) == []


def test_models_that_write_no_text(look):
    names = ["LlamaForSequenceClassification"]
    (found,) = look(architectures=names)
    assert found.code == "model/no-language-model"
    assert look("trl/rm", architectures=names) == []
    assert look(architectures=["Qwen2_5_VLForConditionalGeneration"]) == []


def test_the_context_of_the_model(look):
    (found,) = look(max_position_embeddings=1024, keys={"params": {"max_tokens": 2048}})
    assert (found.code, found.severity) == ("model/beyond-context", "warning")
    keys = {"params": {"max_prompt_tokens": 600, "max_completion_tokens": 600}}
    (found,) = look("verl/grpo", max_position_embeddings=1024, keys=keys)
    assert (found.code, found.severity) == ("model/context-exceeded", "error")
    assert "1200" in found.message.en
    assert look("verl/grpo", max_position_embeddings=1200, keys=keys) == []


@pytest.mark.parametrize(
    ("config", "length"),
    [
        ({}, None),
        ({"n_positions": 1024}, 1024),
        ({"text_config": {"max_position_embeddings": 4096}, "max_position_embeddings": 1}, 4096),
        ({"max_position_embeddings": 32768, "rope_scaling": {"type": "yarn", "factor": 4.0,
          "original_max_position_embeddings": 32768}}, 131072),
        ({"max_position_embeddings": 131072, "rope_scaling": {
          "rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8192}}, 131072),
        ({"max_position_embeddings": 131072, "rope_parameters": {
          "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}}, 131072),
    ],
)  # fmt: skip
def test_context_lengths(config, length):
    assert context_length(config) == length


@pytest.mark.parametrize("method", ["verl/grpo", "nemo-rl/grpo"])
def test_frameworks_that_converse_need_a_template(look, method):
    (found,) = look(method, template=False)
    assert found.code == "model/template-needed"
    path = re.search("`(.*)`", found.hint.en)[1]
    nested = "{{ messages }}"
    for part in reversed(path.split(".")):
        nested = {part: nested}
    assert look(method, template=False, keys={"config": nested}) == []


def test_teachers_with_another_tokenizer(look, tmp_path):
    teacher = make_model(tmp_path / "t")
    assert look("verl/distillation", teacher=teacher) == []
    text = (teacher / "tokenizer.json").read_text()
    (teacher / "tokenizer.json").write_text(text.replace('"A":', '"AA":'))
    (found,) = look("verl/distillation", teacher=teacher)
    assert (found.code, found.at.key) == ("model/teacher-tokenizer", "teacher")
    assert "1 tokens" in found.message.en


def test_the_names_are_those_of_the_locked_transformers():
    catalog = load_catalog()
    locks = resources.files("starforge.runtimes").joinpath("locks")
    seen = set()
    for recipe in map(catalog.recipe, catalog.names()):
        known = architectures_of(recipe)
        lock = locks.joinpath(f"{recipe.runtime}-cpu.txt")
        if known is None or not lock.is_file():
            continue
        seen.add(recipe.framework)
        assert f"\ntransformers=={known.transformers}" in lock.read_text(), recipe.name
    assert {"trl", "verl", "openrlhf", "evalkit"} <= seen

"""Reward models and teachers: what can be seen of their folders before a job starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starforge.checks.files import read_json
from starforge.findings import Finding, rule
from starforge.i18n import Text
from starforge.lab.context import PrepareContext
from starforge.plan import InputRef

REWARD_MODEL = rule(
    "trl/reward-model", "error",
    title=Text("Not a reward model", "不是奖励模型"),
    message=Text("`{model}` can't score answers: it is {kind}",
                 "`{model}` 不能给回答打分：它是 {kind}"),
    hint=Text("train one with trl/rm, or write a reward file (`reward: reward.py`)",
              "请用 trl/rm 训练一个，或编写奖励文件（`reward: reward.py`）"),
    why=Text("A reward model gives one number for a text: sequence classification with one label.",
             "奖励模型对一段文本给出一个数，即只有一个标签的序列分类模型。"),
    bad="reward: starforge:tiny", good="reward: reward.py",
)  # fmt: skip
VOCABULARY = rule(
    "trl/vocabulary", "error",
    title=Text("Teacher with another vocabulary", "教师模型词表不同"),
    message=Text("the teacher has {teacher} tokens, the trained model {student}",
                 "教师模型的词表有 {teacher} 个词元，被训练的模型有 {student} 个"),
    hint=Text("choose a teacher of the same family and vocabulary",
              "请选择同一系列、词表相同的教师模型"),
    why=Text("Distillation compares the probabilities of all tokens one by one.",
             "蒸馏要逐个词元比较概率。"),
    bad="model: models/qwen-0.5b\nteacher: models/llama-8b",
    good="model: models/qwen-0.5b\nteacher: models/qwen-7b",
)  # fmt: skip

_LANGUAGE_MODEL = Text("a language model", "语言模型")


def check_models(context: PrepareContext) -> Iterator[Finding]:
    """Yield the findings about models that lie on this machine."""
    reward = context.reward.model if context.reward else None
    if reward is not None:
        kind = _not_a_reward(reward)
        if kind is not None:
            model = context.experiment.reward
            yield REWARD_MODEL.at(context.at("reward"), model=model, kind=kind)
    sizes = [_vocabulary(context.model), _vocabulary(context.teacher)]
    if all(sizes) and sizes[0] != sizes[1]:
        yield VOCABULARY.at(context.at("teacher"), student=sizes[0], teacher=sizes[1])


def _not_a_reward(model: InputRef) -> Text | None:
    if model.kind == "builtin":
        return _LANGUAGE_MODEL
    config = _config(model)
    kinds = config.get("architectures")
    if not isinstance(kinds, list) or not kinds:
        return None
    labels = config.get("id2label")
    # Transformers takes two labels where a configuration names none.
    count = len(labels) if isinstance(labels, dict) else 2
    if "SequenceClassification" not in str(kinds[0]):
        return Text(str(kinds[0]), str(kinds[0]))
    if count == 1:
        return None
    return Text(f"{kinds[0]} with {count} labels", f"有 {count} 个标签的 {kinds[0]}")


def _vocabulary(model: InputRef | None) -> int | None:
    if model is None:
        return None
    config = _config(model)
    text = config.get("text_config")
    size = (text if isinstance(text, dict) else config).get("vocab_size")
    return size if isinstance(size, int) else None


def _config(model: InputRef) -> dict[str, Any]:
    found = read_json(Path(model.location) / "config.json") if model.kind == "path" else None
    return found if isinstance(found, dict) else {}

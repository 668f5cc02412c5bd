"""The models of a job, looked at before OpenRLHF starts: minutes earlier than it would fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from job_files import JobError
from model_folder import check_folder

from starforge.lang import t

REWARD_FLAG = "--reward.model_name_or_path"


def check(model: str, words: list[str], job: dict[str, Any]) -> None:
    """Raise :class:`JobError` for what can't be trained, can't chat, or can't give the reward.

    Only folders are looked at; what a hub id stands for is not here yet. ``words`` is
    upstream's command.
    """
    check_model(model)
    check_template(model, job)
    if REWARD_FLAG in words:
        reward = words[words.index(REWARD_FLAG) + 1]
        check_model(reward)
        check_reward_model(reward)
        check_vocabulary(model, reward)


def check_model(model: str) -> None:
    """Raise a clear error when a folder holds no model."""
    refusal = t(
        "{path} is a checkpoint of DeepSpeed, not a model folder; name the job's result "
        "as `job:ID`",
        "{path} 是 DeepSpeed 的检查点，不是模型目录；请用 `job:ID` 引用任务的结果",
        path=model,
    )
    check_folder(model, checkpoint="*_model_states.pt", refusal=refusal)


def check_reward_model(model: str) -> None:
    """Raise a clear error when the reward model has no scoring layer: upstream would add one."""
    file = Path(model) / "config.json"
    if not file.is_file():
        return
    config = json.loads(file.read_text("utf-8"))
    kinds = " ".join(map(str, config.get("architectures") or []))
    if "value_head_prefix" in config or "Classification" in kinds or "Reward" in kinds:
        return
    raise JobError(
        t(
            "the reward model {model} has no scoring layer; train one with openrlhf/rm",
            "奖励模型 {model} 没有打分层；请用 openrlhf/rm 训练",
            model=model,
        )
    )


def check_vocabulary(model: str, reward: str) -> None:
    """Upstream hands the tokens of the model to the reward model by their numbers."""
    ours, theirs = vocabulary(model), vocabulary(reward)
    if ours is None or theirs is None or ours == theirs:
        return
    raise JobError(
        t(
            "the vocabularies of reward model ({reward} tokens) and model ({model}) differ; "
            "train the reward model from a model of the same family",
            "奖励模型（{reward} 个词元）与被训练模型（{model} 个）的词表不同；"
            "请用同一系列的模型训练奖励模型",
            reward=len(theirs),
            model=len(ours),
        )
    )


def vocabulary(model: str) -> dict[str, int] | None:
    """Return the tokens of a model folder with their numbers; ``None`` when it isn't known."""
    file = Path(model) / "tokenizer.json"
    if not file.is_file():
        return None
    read = json.loads(file.read_text("utf-8"))
    tokens = read["model"].get("vocab")
    if not isinstance(tokens, dict):
        return None
    return tokens | {one["content"]: one["id"] for one in read.get("added_tokens", [])}


def check_template(model: str, job: dict[str, Any]) -> None:
    """Raise a clear error when conversations can't be turned into text with this model."""
    folder = Path(model)
    if not job["chat"] or job["pretrain"] or job["template"] or not folder.is_dir():
        return
    config = folder / "tokenizer_config.json"
    files = ("chat_template.jinja", "chat_template.json", "additional_chat_templates")
    if any((folder / name).exists() for name in files):
        return
    if config.is_file() and '"chat_template"' in config.read_text("utf-8", "replace"):
        return
    raise JobError(
        t(
            "the tokenizer of {model} has no chat template; set apply_chat_template to false and "
            "use text columns, or start from a model that has one",
            "{model} 的分词器没有对话模板；请把 apply_chat_template 设为 false 并使用纯文本列，"
            "或换一个带模板的模型",
            model=model,
        )
    )

"""The job's reward as TRL's trainers take one: a function of a file, or a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import trl_model
from job_files import JobError
from reward_file import RewardError, RewardFile
from trl_answers import text_of
from trl_data import read
from trl_job import Job

from starforge.lang import t

ROW = "starforge_row"


class Rows:
    """The rows of all splits, numbered through, in memory.

    TRL is given prompts and row numbers only, so a column reaches the reward exactly as it is
    in the data, whatever it holds and whether all rows have it or not.
    """

    def __init__(self, files: dict[str, Path]) -> None:
        self._rows: list[dict[str, Any]] = []
        self._splits: dict[str, range] = {}
        for split, path in files.items():
            first = len(self._rows)
            self._rows += read(path)
            self._splits[split] = range(first, len(self._rows))
            if not self._splits[split]:
                raise JobError(t("{path} has no rows", "{path} 里没有任何数据行", path=path))
        self._columns = sorted({name for row in self._rows for name in row} - {"prompt"})

    def dataset(self, split: str) -> Any:
        """Return the prompts of a split with their row numbers."""
        from datasets import Dataset

        numbers = self._splits[split]
        prompts = [self._rows[number].get("prompt") for number in numbers]
        try:
            return Dataset.from_dict({"prompt": prompts, ROW: list(numbers)})
        except (ValueError, TypeError) as error:
            what = t("the prompts are not all of one kind", "提示的写法不一致")
            raise trl_model.refused(what, error) from error

    def prompts(self, numbers: list[int]) -> list[Any]:
        """Return prompts as they are in the data."""
        return [self._rows[number]["prompt"] for number in numbers]

    def columns(self, numbers: list[int]) -> dict[str, list[Any]]:
        """Return all other columns of some rows; ``None`` where a row lacks one."""
        rows = [self._rows[number] for number in numbers]
        return {name: [row.get(name) for row in rows] for name in self._columns}


class FileReward:
    """The reward function of a file. ``parts`` are the named parts of the last call."""

    __name__ = "reward"  # what TRL calls it in its metrics

    def __init__(self, file: RewardFile, rows: Rows) -> None:
        self._file = file
        self._rows = rows
        self.parts: list[dict[str, float]] = []

    def __call__(self, prompts: Any, completions: list[Any], **given: Any) -> list[float]:
        """Return the rewards of ``completions``; a mistake in the file is one line."""
        numbers = given[ROW]
        try:
            scores = self._file(
                self._rows.prompts(numbers),
                [text_of(completion) for completion in completions],
                self._rows.columns(numbers),
            )
        except RewardError as error:
            raise _refused(error) from error
        self.parts = [score.parts for score in scores]
        return [score.total for score in scores]


def arguments(job: Job, rows: Rows, training: Any, model_config: Any) -> dict[str, Any]:
    """Return the reward of a job as a trainer's arguments."""
    if job.reward_file is not None:
        return {"reward_funcs": [FileReward(_load(job.reward_file, rows), rows)]}
    if job.reward_model is None:
        raise JobError(t("there is no reward", "没有奖励"))
    model, tokenizer = _load_model(job.reward_model, training, model_config)
    return {"reward_funcs": [model], "reward_processing_classes": [tokenizer]}


def _refused(error: RewardError) -> JobError:
    return JobError(t("reward: {error}", "奖励函数：{error}", error=error))


def _load(path: Path, rows: Rows) -> RewardFile:
    try:
        file = RewardFile(path)
    except RewardError as error:
        raise _refused(error) from error
    lacking = [name for name in file.required if name not in rows.columns([])]
    if lacking:
        raise JobError(
            t(
                "{file} needs columns that the data lack: {columns}",
                "{file} 需要数据中没有的列：{columns}",
                file=path.name,
                columns=", ".join(lacking),
            )
        )
    return file


def _load_model(folder: str, training: Any, model_config: Any) -> tuple[Any, Any]:
    from transformers import AutoConfig, AutoModelForSequenceClassification

    tokenizer = trl_model.load_tokenizer(folder, training, None)
    trust = training.trust_remote_code
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=trust)
        _require_reward_model(folder, config)
        model = AutoModelForSequenceClassification.from_pretrained(
            folder,
            trust_remote_code=trust,
            dtype=model_config.dtype,
            attn_implementation=model_config.attn_implementation,
        )
    except trl_model.MISTAKES as error:
        what = t(
            "the reward model {model} can't be loaded", "无法加载奖励模型 {model}", model=folder
        )
        raise trl_model.refused(what, error) from error
    # TRL names its metrics after this, and a folder's name says nothing.
    model.config._name_or_path = "reward_model"
    return model, tokenizer


def _require_reward_model(folder: str, config: Any) -> None:
    kinds = ", ".join(config.architectures or ["?"])
    if "SequenceClassification" in kinds and config.num_labels == 1:
        return
    raise JobError(
        t(
            "{model} is no reward model ({kinds}): train one with trl/rm, or name a model of "
            "sequence classification with one label",
            "{model} 不是奖励模型（{kinds}）：请用 trl/rm 训练一个，"
            "或指定只有一个标签的序列分类模型",
            model=folder,
            kinds=kinds,
        )
    )

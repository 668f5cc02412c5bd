"""The models of a job, looked at before verl starts: minutes earlier than verl would fail."""

from __future__ import annotations

from typing import Any

from job_files import JobError, one_line
from model_folder import check_folder

from starforge.lang import t


def check(model: str, teacher: str | None, facts: dict[str, Any]) -> None:
    """Raise :class:`JobError` for what is no model, can't chat, or has another vocabulary.

    ``facts`` says whether the model may bring code of its own (``trust``), and whether the
    experiment names a tokenizer or a template besides (``tokenizer``, ``template``).
    """
    tokenizer = load(model, trust=facts["trust"])
    if not (tokenizer.chat_template or facts["tokenizer"] or facts["template"]):
        raise JobError(
            t(
                "the tokenizer of {model} has no chat template, which verl needs; use an "
                "instruction-tuned model, or add chat_template.jinja to its folder",
                "{model} 的分词器没有对话模板，而 verl 需要它；请使用指令微调过的模型，"
                "或在模型目录中加入 chat_template.jinja",
                model=model,
            )
        )
    if teacher is not None:
        _same_vocabulary(tokenizer, load(teacher, trust=facts["trust"]))


def load(model: str, *, trust: bool) -> Any:
    """Return the tokenizer of a folder or a hub id; raises :class:`JobError`."""
    _check_folder(model)
    from transformers import AutoConfig, AutoTokenizer

    try:
        config = AutoConfig.from_pretrained(model, trust_remote_code=trust)
    except (OSError, ValueError, KeyError) as error:
        raise _refused(
            t("the config of {model} can't be loaded", "无法加载 {model} 的配置", model=model),
            error,
        ) from error
    names = config.architectures or []
    if any(name.endswith("Classification") for name in names):
        raise JobError(
            t(
                "{model} is a {name}, as a reward model is, and can't write text; choose a "
                "language model",
                "{model} 是 {name}（奖励模型的结构），不能生成文本；请选择语言模型",
                model=model,
                name=names[0],
            )
        )
    try:
        return AutoTokenizer.from_pretrained(model, trust_remote_code=trust)
    except Exception as error:  # the libraries below raise their own
        raise _refused(
            t("the tokenizer of {model} can't be loaded", "无法加载 {model} 的分词器", model=model),
            error,
        ) from error


def _check_folder(model: str) -> None:
    refusal = t(
        "{path} is a checkpoint of verl, not a model folder; name the job's result as "
        "`job:ID`, or export it with verl's model merger",
        "{path} 是 verl 的检查点，不是模型目录；请用 `job:ID` 引用任务的结果，"
        "或用 verl 的模型合并工具导出",
        path=model,
    )
    check_folder(model, checkpoint="model_world_size_*_rank_*.pt", refusal=refusal)


def _same_vocabulary(ours: Any, theirs: Any) -> None:
    """The teacher judges the student's tokens by their numbers, which must mean the same."""
    if ours.get_vocab() == theirs.get_vocab():
        return
    raise JobError(
        t(
            "the vocabularies of teacher ({teacher} tokens) and model ({student}) differ; choose "
            "a teacher of the same family",
            "教师模型（{teacher} 个词元）与被训练模型（{student} 个）的词表不同；"
            "请选择同一系列的教师模型",
            teacher=len(theirs),
            student=len(ours),
        )
    )


def _refused(what: str, error: Exception) -> JobError:
    return JobError(f"{what}: {one_line(error)}")

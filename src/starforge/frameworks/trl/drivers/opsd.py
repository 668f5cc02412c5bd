"""On-policy distillation with TRL, as a StarForge job."""

from __future__ import annotations

from typing import Any

import trl_job
from job_files import JobError

from starforge.lang import t


def build(job: trl_job.Job) -> Any:
    """Return a ready ``DistillationTrainer``.

    The teacher goes in as ``teacher_model``: TRL's trainer does not read the name of the
    teacher in its own configuration.
    """
    import trl_callbacks
    import trl_data
    import trl_rollouts
    import trl_setup
    from trl import DistillationConfig, DistillationTrainer

    if job.teacher is None:
        raise JobError(t("there is no teacher", "没有教师模型"))
    setup = trl_setup.prepare(job, DistillationConfig)
    same_vocabulary(job.model, job.teacher, setup.training.trust_remote_code)
    setup.training.teacher_model_init_kwargs = {
        "attn_implementation": setup.model_config.attn_implementation,
        "dtype": setup.model_config.dtype,
        **(setup.training.teacher_model_init_kwargs or {}),
    }
    return trl_setup.construct(
        trl_rollouts.with_samples(DistillationTrainer),
        model=job.model,
        teacher_model=job.teacher,
        callbacks=[trl_callbacks.Progress()],
        **trl_setup.datasets(job, setup, trl_data.PROMPTS),
        **setup.arguments,
    )


def same_vocabulary(student: str, teacher: str, trust_remote_code: bool) -> None:
    """Raise a clear error when the two models can't be compared token by token."""
    import trl_model
    from transformers import AutoConfig

    sizes = []
    for model in (student, teacher):
        try:
            config = AutoConfig.from_pretrained(model, trust_remote_code=trust_remote_code)
        except trl_model.MISTAKES as error:
            what = t(
                "the config of {model} can't be loaded", "无法加载 {model} 的配置", model=model
            )
            raise trl_model.refused(what, error) from error
        sizes.append(config.get_text_config().vocab_size)
    if sizes[0] != sizes[1]:
        raise JobError(
            t(
                "the teacher has {teacher} tokens, the trained model {student}: both must use "
                "the same vocabulary. Choose a teacher of the same family",
                "教师模型的词表有 {teacher} 个词元，被训练的模型有 {student} 个：两者"
                "必须使用同一词表。请选择同一系列的教师模型",
                teacher=sizes[1],
                student=sizes[0],
            )
        )


if __name__ == "__main__":
    trl_job.run(build)

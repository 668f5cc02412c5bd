"""``sf bench contamination``: was a model trained on what it was asked?"""

from __future__ import annotations

from starforge.cli.base import command, json_option
from starforge.cli.output import print_json, print_table
from starforge.cli.session import open_client
from starforge.cli.shared import job_argument
from starforge.lang import t


@command(
    "contamination",
    (
        "Look for benchmark items in the training data of a job's model.\n\nJOB is a benchmark "
        "job, or a training job whose model was scored. An item counts when a training row asks "
        "it, or shares 13 words in a row with it. The board shows the answer beside the score.",
        "检查任务的训练数据里是否有评测题目。\n\nJOB 是评测任务，或其模型已被评测的训练任务。"
        "训练样例直接问了某道题，或与它有连续 13 个词相同，就算见过。结果显示在看板的得分旁。",
    ),
    ("sf bench contamination job-of-gsm8k", ("a benchmark job", "评测任务")),
    ("sf bench contamination my-sft --json", ("a trained model, for a script", "供脚本使用")),
)
@job_argument
@json_option
def contamination(job_id: str, as_json: bool) -> None:
    """JSON is ``[{benchmark, job, found: {seen, items} | null, reason}]``."""
    from starforge.cli.board import seen_text

    with open_client() as client:
        found = client.contamination(job_id)
    if as_json:
        print_json(found)
        return
    print_table(
        [t("benchmark", "评测包"), t("scored by", "评测任务"), t("training data", "训练数据")],
        [
            (
                one.benchmark,
                one.job,
                t("unknown: {why}", "未知：{why}", why=t(one.reason.en, one.reason.zh))
                if one.reason
                else seen_text(one.found),
            )
            for one in found
        ],
    )

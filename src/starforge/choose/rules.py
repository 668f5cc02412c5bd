"""Which method for which data: the rules of ``sf suggest`` and of the flowchart alike.

A branch is a kind of data; its advice stands in the order of recommendation. ``lifted_by``
moves a method to the front when the situation has that trait; ``only_with`` leaves it out
when it hasn't.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from starforge.catalog.models import DataKind
from starforge.i18n import Text

Trait = Literal[
    "tight_memory", "process_rewards", "hard", "solutions", "teacher", "no_teacher"
]  # fmt: skip

TRAITS: dict[Trait, Text] = {
    "tight_memory": Text("memory is tight", "显存紧"),
    "process_rewards": Text("rewards for single steps", "有过程奖励"),
    "hard": Text("hard tasks, rarely solved", "难题，很少做对"),
    "solutions": Text("worked solutions, no teacher", "有解答过程、没有外部教师"),
    "teacher": Text("a stronger teacher", "有更强的教师"),
    "no_teacher": Text("no teacher", "没有教师"),
}


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """One method of a branch, and what speaks for it."""

    method: str
    reason: Text
    when: Text | None = None
    lifted_by: Trait | None = None
    only_with: Trait | None = None


class Branch(msgspec.Struct, frozen=True, kw_only=True):
    """The methods for one kind of data. ``label`` is its box in the flowchart."""

    kind: DataKind
    label: Text
    advice: tuple[Advice, ...]


_NEMO = Text("the default stack on GPUs, from here to reinforcement learning",
             "GPU 上的默认框架，之后可一路做到强化学习")  # fmt: skip
_TRL = Text("the simplest stack, on one machine, with or without a GPU",
            "最简单的框架，单机即可，有没有 GPU 都行")  # fmt: skip
_ORLHF = Text("DeepSpeed and vLLM, for large models", "基于 DeepSpeed 与 vLLM，适合大模型")
_VERL = Text("when you go on with verl's reinforcement methods", "接着使用 verl 的强化学习方法时")
_RM_FIRST = Text("a reward model first, then RL", "先训练奖励模型，再做 RL")
_RM = Text("a reward model from the same pairs, as the reward of RL afterwards",
           "用同样的数据训练奖励模型，之后作为 RL 的奖励")  # fmt: skip
_STEPS = Text("a critic gives credit to single steps", "评论家能把功劳分到每一步")


def _one(method: str, en: str, zh: str, **more: object) -> Advice:
    return Advice(method=method, reason=Text(en, zh), **more)  # type: ignore[arg-type]


BRANCHES: tuple[Branch, ...] = (
    Branch(
        kind="instruction",
        label=Text("instructions and answers", "指令-回复"),
        advice=(
            Advice(method="nemo-rl/sft", reason=_NEMO),
            Advice(method="trl/sft", reason=_TRL),
            Advice(method="openrlhf/sft", reason=_ORLHF),
            Advice(method="verl/sft", reason=_VERL),
        ),
    ),
    Branch(
        kind="preference",
        label=Text("preference pairs", "成对偏好"),
        advice=(
            Advice(method="nemo-rl/dpo", reason=_NEMO),
            Advice(method="trl/dpo", reason=_TRL),
            Advice(method="openrlhf/dpo", reason=_ORLHF),
            Advice(method="nemo-rl/rm", reason=_RM, when=_RM_FIRST),
            Advice(method="trl/rm", reason=_RM, when=_RM_FIRST),
            Advice(method="openrlhf/rm", reason=_RM, when=_RM_FIRST),
        ),
    ),
    Branch(
        kind="binary",
        label=Text("good/bad labels", "二元好/坏"),
        advice=(
            _one("trl/kto", "it needs a verdict on single answers, no pairs",
                 "只需要对单个回答的评判，不要求成对"),
        ),
    ),
    Branch(
        kind="verifiable",
        label=Text("verifiable tasks: mathematics, code, tools", "可验证任务（数学/代码/工具）"),
        advice=(
            _one("nemo-rl/grpo", "the default for tasks that a program can check; no critic",
                 "程序可检验的任务的默认选择，不需要评论家",
                 when=Text("default", "默认")),
            _one("nemo-rl/grpo-lora", "trains adapters only, so it fits where full training does "
                 "not", "只训练适配器，放得下全参训练放不下的模型",
                 when=TRAITS["tight_memory"], lifted_by="tight_memory"),
            Advice(method="nemo-rl/ppo", reason=_STEPS, when=TRAITS["process_rewards"],
                   lifted_by="process_rewards"),
            _one("nemo-rl/maxrl", "puts the signal where answers are rarely right",
                 "把学习信号集中在很少做对的题上", when=TRAITS["hard"], lifted_by="hard"),
            _one("verl/grpo", "GRPO with verl: answers of a group compared, no critic",
                 "verl 上的 GRPO：组内回答相互比较，不需要评论家"),
            _one("verl/dapo", "GRPO for long reasoning: wider clipping, groups without signal "
                 "dropped", "面向长推理的 GRPO：放宽上裁剪，丢弃没有信号的组"),
            _one("verl/rloo", "an unbiased baseline that does not divide by the spread of a group",
                 "无偏基线，不除以组内标准差"),
            _one("verl/reinforce-baseline", "normalizes over the batch, calmer than small groups",
                 "在整个 batch 上归一化，比小组内更稳"),
            _one("verl/remax", "two answers a task suffice: one sampled, one greedy",
                 "每题两条回答就够：一条采样、一条贪心"),
            Advice(method="verl/ppo", reason=_STEPS, lifted_by="process_rewards"),
            _one("openrlhf/grpo", "GRPO with OpenRLHF: answers of a group compared, no critic",
                 "OpenRLHF 上的 GRPO：组内回答相互比较，不需要评论家"),
            _one("openrlhf/reinforce-baseline", "normalizes over the batch, with OpenRLHF",
                 "在整个 batch 上归一化，使用 OpenRLHF"),
            Advice(method="openrlhf/ppo", reason=_STEPS, lifted_by="process_rewards"),
            _one("trl/grpo", "GRPO on the simplest stack: answers of a group compared, no critic",
                 "最简单的框架上的 GRPO：组内回答相互比较，不需要评论家"),
            _one("trl/rloo", "two answers a task already work", "每题两条回答即可"),
            _one("nemo-rl/opsd", "learns from its own reading of the worked solutions",
                 "从自己对解答过程的理解中学习", when=TRAITS["solutions"], only_with="solutions"),
        ),
    ),
    Branch(
        kind="prompts",
        label=Text("prompts and a stronger teacher", "提示，且有更强的教师模型"),
        advice=(
            _one("nemo-rl/opsd", "no teacher needed: the model learns from the worked solutions",
                 "不需要外部教师：模型从解答过程中学习",
                 when=TRAITS["solutions"], only_with="solutions", lifted_by="no_teacher"),
            _one("nemo-rl/distillation", "the student answers and learns from the teacher's most "
                 "likely tokens", "学生作答，向教师最可能的词元学习"),
            _one("verl/distillation", "the teacher answers from a pool of its own",
                 "教师在单独的资源池里提供推理"),
            _one("trl/opsd", "the simplest stack; the teacher must have the same vocabulary",
                 "最简单的框架；教师词表必须相同"),
        ),
    ),
)  # fmt: skip


def branch_of(kind: DataKind) -> Branch:
    """Return the branch of a kind of data that has one."""
    return next(branch for branch in BRANCHES if branch.kind == kind)

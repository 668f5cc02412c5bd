"""The kinds of data by the names that people use for them."""

from __future__ import annotations

import msgspec

from starforge.catalog.models import DataKind
from starforge.i18n import Text


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of data: ``aliases`` are other words for it that filters take."""

    name: DataKind
    title: Text
    about: Text
    aliases: tuple[str, ...]


KINDS: dict[DataKind, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            name="instruction",
            title=Text("Instructions and answers", "指令与回答"),
            about=Text(
                "Good answers to imitate: a prompt with its completion, or whole conversations. "
                "Some methods also take plain text, to go on with pre-training.",
                "供模仿的好回答：一条提示配一条回答，或完整的对话。"
                "有些方法也接受纯文本，用于继续预训练。",
            ),
            aliases=("sft", "conversations", "conversation", "messages", "chat", "text"),
        ),
        Kind(
            name="preference",
            title=Text("Preference pairs", "偏好对"),
            about=Text(
                "Two answers to one prompt, the better and the worse one. Without `prompt`, both "
                "answers are whole conversations with the same beginning.",
                "同一条提示的两个回答，一好一差。"
                "没有 `prompt` 列时，两个回答都是开头相同的完整对话。",
            ),
            aliases=("pairs", "pairwise", "preferences", "dpo", "chosen"),
        ),
        Kind(
            name="binary",
            title=Text("Good/bad labels", "好/坏标签"),
            about=Text(
                "One answer with a verdict: `label` is true for a good answer, false for a bad "
                "one. Both must occur.",
                "一个回答加一个评判：好回答的 `label` 为 true，差回答为 false，两种都要有。",
            ),
            aliases=("labels", "label", "thumbs", "kto"),
        ),
        Kind(
            name="verifiable",
            title=Text("Verifiable tasks", "可验证任务"),
            about=Text(
                "Prompts whose answers a program can check: mathematics, code, formats, tools. "
                "Columns beside `prompt` are free; your reward gets those that its signature "
                "names.",
                "程序能够检验答案的提示：数学、代码、格式、工具调用等。"
                "`prompt` 之外的列可自由命名，奖励函数的签名里写了哪些列，就会收到哪些列。",
            ),
            aliases=("rl", "tasks", "math", "code", "reward", "rewards"),
        ),
        Kind(
            name="prompts",
            title=Text("Prompts with a stronger teacher", "提示与更强的教师"),
            about=Text(
                "Prompts alone. The student answers them and learns from a teacher; a method that "
                "teaches itself needs a worked `solution` beside each.",
                "只有提示。学生自己作答，再向教师学习；自我蒸馏的方法还需要每条提示配一份解答"
                "（`solution`）。",
            ),
            aliases=("teacher", "distillation", "distill", "prompt"),
        ),
        Kind(
            name="none",
            title=Text("No training data", "不需要训练数据"),
            about=Text(
                "Benchmarks, and scripts of your own that read what they like.",
                "评测，以及自行读取数据的自定义脚本。",
            ),
            aliases=("benchmark", "script", "custom"),
        ),
    )
}


def kind_named(word: str) -> DataKind | None:
    """Return the kind that a word means: its name or one of its aliases."""
    plain = word.strip().lower().replace("_", "-")
    for kind in KINDS.values():
        if plain == kind.name or plain in kind.aliases:
            return kind.name
    return None

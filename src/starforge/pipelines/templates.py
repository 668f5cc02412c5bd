"""New pipelines from templates: their experiments, and a pipeline.yaml that teaches."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from starforge.catalog.load import Catalog
from starforge.errors import StarForgeError
from starforge.i18n import Lang, Text, current_lang
from starforge.lab.lab import EXPERIMENTS, Lab
from starforge.lab.scaffold import check_name, new_experiment
from starforge.pipelines.model import PIPELINE_FILE, PIPELINES
from starforge.prepare import runtime_digests

TINY = "starforge:tiny"
_ITEMS = 20


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A training stage of a template. ``first`` stages start from the base model.

    ``lines`` are further keys of the stage as they stand in pipeline.yaml.
    """

    stage: str
    method: str
    first: bool = False
    lines: tuple[str, ...] = ()
    about: Text


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """Training stages, and the benchmark at their end."""

    name: str
    title: Text
    benchmark: str
    parts: tuple[Part, ...]


_SFT = Text("Teach the form of the answers with examples.", "用示例教会模型回答的形式。")
TEMPLATES: dict[str, Template] = {
    one.name: one
    for one in (
        Template(
            name="sft-dpo-benchmark", benchmark="basics",
            title=Text("supervised fine-tuning, then DPO, then a benchmark",
                       "先监督微调，再 DPO，最后评测"),
            parts=(
                Part(stage="sft", method="trl/sft", first=True, about=_SFT),
                Part(stage="dpo", method="trl/dpo", lines=("init_from: sft",),
                     about=Text("Prefer better answers to worse ones.", "让模型偏好更好的回答。")),
            ),
        ),
        Template(
            name="sft-grpo-benchmark", benchmark="arithmetic",
            title=Text("supervised fine-tuning, then GRPO, then a benchmark",
                       "先监督微调，再 GRPO，最后评测"),
            parts=(
                Part(stage="sft", method="trl/sft", first=True, about=_SFT),
                Part(stage="grpo", method="trl/grpo", lines=("init_from: sft",),
                     about=Text("Learn from a reward: see reward.py of the experiment.",
                                "从奖励中学习：见实验里的 reward.py。")),
            ),
        ),
        Template(
            name="sft-rm-ppo-benchmark", benchmark="basics",
            title=Text("supervised fine-tuning, a reward model, PPO, then a benchmark",
                       "监督微调、奖励模型、PPO，最后评测"),
            parts=(
                Part(stage="sft", method="openrlhf/sft", first=True, about=_SFT),
                Part(stage="rm", method="openrlhf/rm", lines=("init_from: sft",),
                     about=Text("Learn to tell better answers from worse ones.",
                                "学会分辨回答的好坏。")),
                Part(stage="ppo", method="openrlhf/ppo",
                     lines=("init_from: sft", "reward_from: rm"),
                     about=Text("Improve the answers by what the reward model says.",
                                "按奖励模型的评分改进回答。")),
            ),
        ),
        Template(
            name="distillation-benchmark", benchmark="basics",
            title=Text("distillation from a teacher, then a benchmark", "从教师模型蒸馏，最后评测"),
            parts=(
                Part(stage="distill", method="trl/opsd", first=True,
                     about=Text("Learn from the teacher that the experiment names; a stage "
                                "that trains one goes before, with `teacher_from`.",
                                "向实验所指定的教师模型学习；也可以先用一个阶段训练教师，"
                                "再写 `teacher_from`。")),
            ),
        ),
    )
}  # fmt: skip

_HEAD = Text(
    """\
# {name}: {title}.
# Check it with `sf pipeline validate {name}`, run it with `sf pipeline run {name} --watch`.
name: {name}

stages:
  # What the base model scores: the gate at the end compares with it.
  base-score:
    benchmark: {benchmark}
    model: {model}
    set: {{limit: {items}}}  # a quick look; without it the whole benchmark is asked
""",
    """\
# {name}：{title}。
# 用 `sf pipeline validate {name}` 检查，用 `sf pipeline run {name} --watch` 运行。
name: {name}

stages:
  # 基座模型的得分，最后的门槛要与它比较。
  base-score:
    benchmark: {benchmark}
    model: {model}
    set: {{limit: {items}}}  # 只做一部分题目以便快速查看；去掉则做完整个评测
""",
)
_TAIL = Text(
    """
  # The pipeline succeeds unless the model became worse by more than two standard errors. To
  # ask for progress instead: `{benchmark}.{metric} better than base-score by 2 se`.
  score:
    benchmark: {benchmark}
    model_from: {last}
    set: {{limit: {items}}}
    gate: {benchmark}.{metric} >= base-score - 2 se
""",
    """
  # 只要模型没有变差超过两个标准误，流水线就算成功。
  # 如果要求确有进步：`{benchmark}.{metric} better than base-score by 2 se`。
  score:
    benchmark: {benchmark}
    model_from: {last}
    set: {{limit: {items}}}
    gate: {benchmark}.{metric} >= base-score - 2 se
""",
)
_METRICS = {"basics": "acc", "arithmetic": "exact_match"}


def new_pipeline(
    lab: Lab, name: str, template: str, catalog: Catalog, *,
    model: str | None = None, lang: Lang | None = None,
) -> list[Path]:  # fmt: skip
    """Create ``pipelines/NAME/pipeline.yaml`` and its experiments ``NAME-STAGE``; return them.

    ``model`` is the base model instead of a tiny random one. All of it appears or nothing.
    Raises :class:`StarForgeError` for an unknown template and for a bad or taken name.
    """
    lang = lang or current_lang()
    chosen = TEMPLATES[template]
    target = lab.root / PIPELINES / check_name(name)
    experiments = {part.stage: f"{name}-{part.stage}" for part in chosen.parts}
    for path in [target, *(lab.root / EXPERIMENTS / one for one in experiments.values())]:
        if path.exists():
            raise _taken(path)
    made: list[Path] = []
    try:
        for part in chosen.parts:
            recipe = catalog.recipe(part.method)
            made.append(new_experiment(
                lab, experiments[part.stage], recipe, catalog,
                runtime=runtime_digests(recipe), lang=lang,
            ))  # fmt: skip
        target.mkdir(parents=True)
        made.append(target)
        text = pipeline_text(chosen, name, model or TINY, lang)
        (target / PIPELINE_FILE).write_text(text, "utf-8")
    except BaseException:
        for path in made:
            shutil.rmtree(path, ignore_errors=True)
        raise
    return made


def pipeline_text(template: Template, name: str, model: str, lang: Lang) -> str:
    """Return the pipeline.yaml of a template, with comments that teach."""
    fields = {
        "name": name, "title": template.title.pick(lang), "benchmark": template.benchmark,
        "model": model, "items": _ITEMS, "metric": _METRICS[template.benchmark],
        "last": template.parts[-1].stage,
    }  # fmt: skip
    parts = [_HEAD.pick(lang).format(**fields)]
    for part in template.parts:
        lines = [f"experiment: {name}-{part.stage}"]
        if part.first:
            lines.append(f"model: {model}")
        body = "".join(f"    {line}\n" for line in [*lines, *part.lines])
        parts.append(f"\n  # {part.about.pick(lang)}\n  {part.stage}:\n{body}")
    return "".join([*parts, _TAIL.pick(lang).format(**fields)])


def _taken(path: Path) -> StarForgeError:
    return StarForgeError(
        "pipeline/exists",
        Text(f"{path} is there already", f"{path} 已存在"),
        Text("choose another name, or remove that folder yourself",
             "请换个名字，或自行删除该文件夹"),
    )  # fmt: skip

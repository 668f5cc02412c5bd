"""What a smoke run proved, and what it did not."""

from __future__ import annotations

from typing import Any

import msgspec

from starforge.i18n import Text
from starforge.lab.context import PrepareContext
from starforge.smoke.rows import Chosen
from starforge.smoke.shrink import Shrunk
from starforge.smoke.standin import StandIn


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A setting of the experiment, and what it was in the smoke run."""

    name: str
    own: Any
    smoke: Any


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One optimizer step (or scored benchmark) and its key metrics by canonical name."""

    step: int
    metrics: dict[str, float]


class SmokeReport(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome. ``seconds`` count from the job's start; ``setup_seconds`` before it.

    ``rows`` says by split which lines of the data were used. ``folder`` is there with
    ``--keep``.
    """

    ok: bool
    method: str
    mode: str
    seconds: float
    setup_seconds: float = 0.0
    steps: list[Step] = []
    scores: list[dict[str, Any]] = []
    reason: Text | None = None
    tail: list[str] = []
    proved: list[Text] = []
    open: list[Text] = []
    changes: list[Change] = []
    models: list[StandIn] = []
    rows: dict[str, Chosen] = {}
    folder: str | None = None

    def to_public(self) -> dict[str, Any]:
        """Return it as JSON, with texts in the language of this process."""
        made: dict[str, Any] = msgspec.to_builtins(self)
        made["reason"] = self.reason.pick() if self.reason else None
        made["proved"] = [text.pick() for text in self.proved]
        made["open"] = [text.pick() for text in self.open]
        return made


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a run that went well has shown.

    ``scored`` counts answers with a reward, ``same_reward`` says that it was one and the same;
    ``settings`` those compared with what arrives in
    upstream's configuration; ``rendered`` says that the model's own tokenizer measured rows.
    """

    scored: int = 0
    same_reward: bool = False
    validated: bool = False
    model: bool = False
    settings: int = 0
    rendered: bool = False


def proved_by(
    context: PrepareContext, shrunk: Shrunk, report: SmokeReport, seen: Seen
) -> list[Text]:
    """Say what held. Nothing is said of what was not seen."""
    made = [_config(context, shrunk)]
    if shrunk.mode == "look" and seen.settings:
        made.append(Text(f"{seen.settings} settings arrive in upstream's own configuration",
                         f"{seen.settings} 项设置原样进入上游的配置"))  # fmt: skip
    made += [_rows(split, chosen) for split, chosen in report.rows.items()]
    made += _models(report)
    if seen.rendered:
        made.append(
            Text("the model's chat template renders these rows", "模型的对话模板能渲染这些行")
        )
    if (
        context.reward is not None
        and context.reward.file
        and (seen.scored or shrunk.mode == "look")
    ):
        name, count = context.reward.file, seen.scored
        how = Text(
            f"{name} scored {count} answers" if count else f"{name} scores made-up answers",
            f"{name} 给 {count} 个回答打了分" if count else f"{name} 能给构造的回答打分",
        )
        made.append(how)  # fmt: skip
    if report.steps and shrunk.mode in ("train", "script"):
        count = len(report.steps)
        made.append(Text(f"{count} steps of training with finite values",
                         f"完成 {count} 步训练，数值均有限"))  # fmt: skip
    if report.scores:
        made.append(Text(f"{len(report.scores)} scores were computed",
                         f"算出了 {len(report.scores)} 个得分"))  # fmt: skip
    if seen.validated:
        made.append(Text("a pass of validation", "一轮验证"))
    if seen.model:
        made.append(Text("the model is saved and complete", "模型能完整保存"))
    return made


def _config(context: PrepareContext, shrunk: Shrunk) -> Text:
    pin = context.recipe.pin
    if shrunk.mode == "script":
        return Text("the script starts and reports", "脚本能启动并上报")
    if shrunk.mode == "look":
        return Text(f"the configuration is complete for {pin}", f"配置对 {pin} 是完整的")
    return Text(f"{pin} takes the configuration", f"{pin} 接受这份配置")


def _rows(split: str, chosen: Chosen) -> Text:
    count, total = len(chosen.lines), chosen.total
    listed = ", ".join(map(str, chosen.longest[:3]))
    return Text(
        f"{count} of {total} {split} rows are read, among them the longest (lines {listed})",
        f"读入了 {total} 行 {split} 数据中的 {count} 行，含最长的几行（第 {listed} 行）",
    )


def _models(report: SmokeReport) -> list[Text]:
    made = []
    for model in report.models:
        if model.kind == "stand-in":
            made.append(Text(f"architecture, tokenizer and chat template of {model.reference}",
                             f"{model.reference} 的结构、分词器和对话模板"))  # fmt: skip
    return made


def left_open(
    context: PrepareContext, shrunk: Shrunk, report: SmokeReport, seen: Seen
) -> list[Text]:
    """Say what a smoke run of this experiment can't show."""
    made = list(shrunk.open)
    if shrunk.mode == "look" and context.model is not None and not seen.rendered:
        name = context.model.location
        made.append(
            Text(
                f"the chat template of {name}: its tokenizer is not on this machine",
                f"{name} 的对话模板：本机没有它的分词器",
            )
        )
    for model in report.models:
        if model.kind == "tiny" and model.reference != model.location:
            made.append(
                Text(
                    f"tokenizer, template and architecture of {model.reference}: its config is "
                    "not on this machine, so starforge:tiny stood in",
                    f"{model.reference} 的分词器、模板和结构："
                    "本机没有它的配置，用 starforge:tiny 代替",
                )
            )
        elif model.kind == "relative":
            made.append(
                Text(
                    f"tokenizer and architecture of {model.reference}: its config is not on this "
                    "machine, so the model's own stood in",
                    f"{model.reference} 的分词器和结构：本机没有它的配置，沿用了被训练模型的",
                )
            )
    if seen.same_reward:
        made.append(
            Text(
                f"whether the reward tells answers apart: all {seen.scored} got the same",
                f"奖励能否区分回答：{seen.scored} 个回答得分全都相同",
            )
        )
    left = sum(chosen.too_long for chosen in report.rows.values())
    if left and shrunk.tokens:
        made.append(Text(f"{left} rows that may be longer than {shrunk.tokens} tokens",
                         f"可能超过 {shrunk.tokens} 个词元的 {left} 行"))  # fmt: skip
    if context.resources.gpus:
        count = context.resources.gpus
        made.append(Text(f"memory, kernels and sharding on {count} GPU(s)",
                         f"{count} 张 GPU 上的显存、算子与切分"))  # fmt: skip
    if shrunk.mode == "train":
        made.append(Text("speed, memory and learning with the real model and sizes",
                         "真实模型与规模下的速度、内存和学习效果"))  # fmt: skip
    return list(dict.fromkeys(made))

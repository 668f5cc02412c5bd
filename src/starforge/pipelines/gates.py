"""Gates: read, and decided when the scores are there."""

from __future__ import annotations

import math
import re
from typing import Any, Literal, cast

import msgspec

from starforge.i18n import Text
from starforge.pipelines.model import Gate

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_AMOUNT = r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_SCORE = r"(?P<score>\S+)"
# A "-" without a space before it belongs to the name of the stage.
_BOUND = re.compile(
    rf"{_SCORE}\s*(?P<op>>=|<=|>|<)\s*"
    rf"(?:(?P<number>{_NUMBER})|(?P<stage>[^\W\d_][\w-]*)"
    rf"(?:(?P<sign>\s+-|\s*\+)\s*(?P<amount>{_AMOUNT})\s*(?P<se>se)?)?)"
)
_BETTER = re.compile(
    rf"{_SCORE}\s+better\s+than\s+(?P<stage>[^\W\d_][\w-]*)"
    rf"(?:\s+by\s+(?P<amount>{_AMOUNT})\s*(?P<se>se)?)?"
)
# The chat template belongs to the model: a base model may have none.
_OF_MODEL = frozenset({"chat_template", "few_shot_turns"})


def parse_gate(text: str) -> Gate | Text:
    """Read a gate; a text that says what is wrong when it is none."""
    written = " ".join(text.split())
    match = _BETTER.fullmatch(written) or _BOUND.fullmatch(written)
    if match is None:
        return Text("it is not `BENCHMARK.METRIC >= BOUND`", "应写成 `评测包.指标 >= 界限`")
    benchmark, _, metric = match["score"].rpartition(".")
    if not benchmark or not metric:
        return Text(f"`{match['score']}` is not `BENCHMARK.METRIC`",
                    f"`{match['score']}` 应写成 `评测包.指标`")  # fmt: skip
    parts = match.groupdict()
    sign = (parts.get("sign") or "").strip()
    amount = float(parts["amount"] or 0.0)
    number = parts.get("number")
    return Gate(
        text=written, benchmark=benchmark, metric=metric,
        op=cast(Literal[">=", ">", "<=", "<", "better"], parts.get("op") or "better"),
        number=None if number is None else float(number), stage=parts["stage"],
        margin=-amount if sign == "-" else amount, in_se=parts["se"] is not None,
    )  # fmt: skip


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A measured score, as far as gates need it."""

    value: float
    stderr: float | None = None
    higher_is_better: bool = True
    settings: dict[str, Any] = {}


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a gate was met, with the numbers; ``bound`` is what ``value`` had to reach."""

    gate: str
    met: bool
    text: Text
    value: float | None = None
    stderr: float | None = None
    bound: float | None = None


def decide(gate: Gate, own: Figure | None, other: Figure | None = None) -> Verdict:
    """Compare a score with its gate; ``other`` is the same score of ``gate.stage``.

    The standard error of the difference of two scores is ``sqrt(a**2 + b**2)``: both are taken
    as independent, which errs on the careful side when the same items were asked. What can't
    be compared does not meet the gate.
    """
    score = f"{gate.benchmark}.{gate.metric}"
    if own is None or math.isnan(own.value):
        return _not_met(gate, Text(f"no {score} was measured", f"没有测得 {score}"))
    if gate.stage is None:
        assert gate.number is not None
        return _verdict(gate, own, gate.number)
    if other is None or math.isnan(other.value):
        return _not_met(gate, Text(f"stage {gate.stage} measured no {score}",
                                   f"阶段 {gate.stage} 没有测得 {score}"))  # fmt: skip
    differ = differing(own.settings, other.settings)
    if differ:
        listed = ", ".join(differ)
        return _not_met(gate, Text(
            f"{score} was measured with other settings than in {gate.stage}: {listed}",
            f"{score} 与 {gate.stage} 的评测设置不同：{listed}",
        ))  # fmt: skip
    margin = gate.margin
    if gate.in_se:
        if own.stderr is None or other.stderr is None:
            return _not_met(gate, Text(f"{score} came without a standard error",
                                       f"{score} 没有标准误"))  # fmt: skip
        margin *= math.hypot(own.stderr, other.stderr)
    if gate.op == "better" and not own.higher_is_better:
        margin = -margin
    return _verdict(gate, own, other.value + margin, strict=gate.op == "better" and not margin)


def _verdict(gate: Gate, own: Figure, bound: float, *, strict: bool = False) -> Verdict:
    op: str = gate.op
    if op == "better":  # by a margin it is enough to reach it
        side = ">" if own.higher_is_better else "<"
        op = side if strict else f"{side}="
    met = {
        ">=": own.value >= bound, ">": own.value > bound,
        "<=": own.value <= bound, "<": own.value < bound,
    }[op]  # fmt: skip
    spread = f" ± {own.stderr:.4g}" if own.stderr is not None else ""
    said = f"{gate.benchmark}.{gate.metric} = {own.value:.4g}{spread}"
    wanted = f"{op} {bound:.4g}"
    text = (
        Text(f"{said} is {wanted}", f"{said}，满足 {wanted}")
        if met
        else Text(f"{said} is not {wanted}", f"{said}，未达到 {wanted}")
    )
    return Verdict(
        gate=gate.text, met=met, text=text, value=own.value, stderr=own.stderr, bound=bound
    )


def _not_met(gate: Gate, text: Text) -> Verdict:
    return Verdict(gate=gate.text, met=False, text=text)


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Return the settings in which two scores differ, but for what belongs to the model."""
    keys = {**one, **other}
    return [key for key in keys if key not in _OF_MODEL and one.get(key) != other.get(key)]

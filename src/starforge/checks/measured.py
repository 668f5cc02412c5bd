"""Findings about the lengths of rows in tokens, from a sample of a split.

The sample is every n-th row, so it is the same for the same file; measuring stops after
:data:`BUDGET` seconds, and the findings say how many rows they are about.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from starforge.checks import rules_model
from starforge.checks import rules_tokens as rules
from starforge.checks.chat_template import TemplateError
from starforge.checks.lengths import row_limit
from starforge.checks.model import needs_template
from starforge.checks.tokens import CONVERSING, Measured, Meter, NoTemplateError
from starforge.findings import Finding, Location, Rule
from starforge.i18n import Text
from starforge.lab.columns import BYTE_ORDER_MARK
from starforge.lab.context import DataSource, PrepareContext

SAMPLE = 1000  # rows
BUDGET = 10.0  # seconds
EVERY = 16  # rows between two looks at the clock
BARS = 10  # of the histogram
ROLLING = ("verifiable", "prompts")  # kinds whose answers the model writes itself


class Sample:
    """Some rows of a split, evenly spread."""

    def __init__(self, rows: int | None) -> None:
        self._every = max(1, -(-(rows or 0) // SAMPLE))
        self._seen = 0
        self.lines: list[tuple[int, bytes]] = []

    def add(self, line: int, raw: bytes) -> None:
        """Take a row when it is its turn."""
        if self._seen % self._every == 0:
            self.lines.append((line, raw))
        self._seen += 1


class Lengths:
    """What was measured of a split."""

    def __init__(self, sample: Sample, meter: Meter, clock: Callable[[], float]) -> None:
        self.rows: list[tuple[int, Measured]] = []
        self.refused: list[tuple[int, str]] = []
        self.without_template = False
        until = clock() + BUDGET
        for index, (line, raw) in enumerate(sample.lines):
            if index % EVERY == 0 and clock() > until:
                break
            self._measure(line, raw, meter)

    def _measure(self, line: int, raw: bytes, meter: Meter) -> None:
        try:
            row: Any = msgspec.json.decode(raw.removeprefix(BYTE_ORDER_MARK))
            self.rows.append((line, meter.measure(row)))
        except NoTemplateError:
            self.without_template = True
        except TemplateError as error:
            self.refused.append((line, str(error)))
        except (KeyError, TypeError, AttributeError, ValueError):
            return  # a row of another form has its finding


def check_lengths(
    context: PrepareContext,
    source: DataSource,
    sample: Sample,
    meter: Meter,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Finding]:
    """Yield what the lengths of the sampled rows say."""
    measured = Lengths(sample, meter, clock)
    if measured.refused:
        line, problem = measured.refused[0]
        at = Location(file=source.shown, line=line, value=len(measured.refused))
        count = len(measured.refused)
        yield rules.TEMPLATE_REFUSES.at(at, row=line, problem=problem, count=count)
    if measured.without_template:
        yield from _without_template(context, source)
    if not measured.rows:
        return
    rolling = context.recipe.data.kind in ROLLING
    limits = _prompt_limits if rolling else _row_limits
    yield from limits(context, source, measured.rows)
    doubled = [line for line, one in measured.rows if one.doubled]
    if doubled:
        at = Location(file=source.shown, line=doubled[0], value=len(doubled))
        yield rules.DOUBLED_END.at(
            at, row=doubled[0], count=len(doubled), looked=len(measured.rows)
        )
    yield _histogram(source, measured.rows, rolling)


_INSTRUCT = Text("take an instruct model, or make text columns of the messages",
                 "请使用指令模型，或把对话消息改成文本列")  # fmt: skip
_PLAIN = Text(
    "take an instruct model, or set `apply_chat_template: false` and make text columns of the rows",
    "请使用指令模型，或设置 `apply_chat_template: false` 并把数据改成文本列",
)


def _without_template(context: PrepareContext, source: DataSource) -> Iterator[Finding]:
    """Say once that conversations need a template, unless the check of the model has said it."""
    first = next(iter(context.data.values()), None)
    if source is not first or context.recipe.framework in CONVERSING or needs_template(context):
        return
    way = _PLAIN if context.recipe.framework == "openrlhf" else _INSTRUCT
    model = context.experiment.model
    yield rules_model.NO_CHAT_TEMPLATE.at(context.at("model"), hint=way, model=model)


def _row_limits(
    context: PrepareContext, source: DataSource, rows: list[tuple[int, Measured]]
) -> Iterator[Finding]:
    limit = row_limit(context)
    if limit is None:
        return
    over = [(one.total, line) for line, one in rows if one.total > limit]
    lost = [(one.prompt or 0, line) for line, one in rows if (one.prompt or 0) >= limit]
    if over and context.parameter("truncation") == "error":
        yield _at_longest(rules.ROWS_TOO_LONG, source, over, len(rows), limit=limit)
        return
    if lost:
        yield _at_longest(rules.NO_ANSWER_LEFT, source, lost, len(rows), limit=limit)
    if len(over) > len(lost):
        yield _at_longest(rules.CUT_ROWS, source, over, len(rows), limit=limit)


def _prompt_limits(
    context: PrepareContext, source: DataSource, rows: list[tuple[int, Measured]]
) -> Iterator[Finding]:
    name = "max_prompt_tokens"
    limit = context.parameter(name)
    if limit is None:
        name = "max_model_tokens"
        limit = context.parameter(name)
    if not isinstance(limit, int) or isinstance(limit, bool):
        return
    over = [(one.total, line) for line, one in rows if one.total > limit]
    if over:
        rule = rules.PROMPTS_CUT
        if context.parameter("filter_long_prompts"):
            all_of_them = len(over) == source.ref.rows
            rule = rules.NO_PROMPT_LEFT if all_of_them else rules.PROMPTS_LEFT_OUT
        yield _at_longest(rule, source, over, len(rows), limit=limit, parameter=name)


def _at_longest(
    rule: Rule, source: DataSource, over: list[tuple[int, int]], looked: int, **more: Any
) -> Finding:
    """Return a finding about rows given as (tokens, line), at the longest of them."""
    tokens, line = max(over, key=lambda one: (one[0], -one[1]))
    percent = max(1, round(100 * len(over) / looked))
    at = Location(file=source.shown, line=line, value=len(over))
    return rule.at(
        at, count=len(over), looked=looked, percent=percent, row=line, tokens=tokens, **more
    )


def _histogram(source: DataSource, rows: list[tuple[int, Measured]], rolling: bool) -> Finding:
    lengths = sorted(one.total for _, one in rows)
    longest = lengths[-1]
    width = max(1, -(-(longest + 1) // BARS))
    bars = [0] * BARS
    for length in lengths:
        bars[length // width] += 1
    value = {"width": width, "counts": bars}
    what = Text("prompts", "提示") if rolling else Text("rows", "数据行")
    return rules.LENGTHS.at(
        Location(file=source.shown, value=value),
        looked=len(lengths), what=what, median=lengths[len(lengths) // 2],
        most=lengths[min(len(lengths) - 1, len(lengths) * 95 // 100)], longest=longest,
    )  # fmt: skip

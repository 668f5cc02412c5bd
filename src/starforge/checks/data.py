"""Checks of data files: one streaming pass over every split that is at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from starforge.checks import rules_data as rules
from starforge.checks.benchmarks import pack_roots
from starforge.checks.column_map import check_column_map
from starforge.checks.contamination import Contamination
from starforge.checks.file_format import wrong_format
from starforge.checks.fingerprints import Fingerprints
from starforge.checks.labels import Labels
from starforge.checks.lengths import LongRows, row_limit
from starforge.checks.measured import Sample, check_lengths
from starforge.checks.reader import Readers, canonical
from starforge.checks.reward_signature import signature_of
from starforge.checks.rows import (
    Form,
    columns_problem,
    form_columns,
    form_of,
    form_text,
    problems_of,
    shape_of,
    type_text,
)
from starforge.checks.tokens import Meter, meter_of
from starforge.findings import Finding, Location, Rule
from starforge.i18n import Text
from starforge.lab.columns import BYTE_ORDER_MARK
from starforge.lab.context import DataSource, PrepareContext

# Optional columns of single rows that frameworks do read.
READ_WHERE_GIVEN = frozenset({"tools", "chat_template_kwargs"})
SHOWN = 5  # rows named for each rule; the rest is counted


def check_data(context: PrepareContext) -> list[Finding]:
    """Return the findings of all splits, and of train and validation together."""
    findings = list(check_column_map(context))
    seen: dict[str, Fingerprints] = {}
    meter = meter_of(context) if context.data and context.recipe.data.shapes else None
    for split in sorted(context.data):
        scan = Scan(context, context.data[split], meter)
        findings += scan.run()
        seen[split] = scan.fingerprints
    if "train" in seen and "validation" in seen:
        findings += _overlap(context, seen["train"], seen["validation"])
    return findings


class Scan:
    """One pass over the rows of a split."""

    def __init__(
        self, context: PrepareContext, source: DataSource, meter: Meter | None = None
    ) -> None:
        self.context = context
        self.source = source
        self.shapes = context.recipe.data.shapes
        self.fingerprints = Fingerprints()
        self._findings: list[Finding] = []
        self._counts: dict[Rule, int] = {}
        self._rows = 0
        self._readers = Readers()
        self._first_form: Form | None = None
        self._first_columns: frozenset[str] | None = None
        # What the tokenizer itself measures is not estimated too.
        self._meter = meter
        self._sample = Sample(source.ref.rows) if meter is not None else None
        self._lengths = LongRows(row_limit(context) if meter is None else None)
        self._labels = Labels(context) if any("label" in shape for shape in self.shapes) else None
        trained = source.split == "train" and context.recipe.data.kind != "none"
        self._known = Contamination(pack_roots(context)) if trained else None
        self._rewarded = _reward_columns(context)

    def run(self) -> list[Finding]:
        """Return everything found; nothing when the data is not on this machine."""
        if self.source.path is None:
            return []
        wrong = wrong_format(self.source)
        if wrong is not None:
            return [wrong]
        for line, raw in self.source.lines():
            self._rows += 1
            self._row(line, raw)
        if self._rows == 0:
            return [rules.EMPTY.at(Location(file=self.source.shown), file=self.source.shown)]
        return [*self._findings, *self._more(), *self._summary()]

    def _row(self, line: int, raw: bytes) -> None:
        read = self._readers.read(raw)
        if read is not None:
            row, key = read
            self.fingerprints.add(line, key)
            self._look(line, raw, row)
            return
        try:
            row = msgspec.json.decode(raw.removeprefix(BYTE_ORDER_MARK))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self._add(rules.NOT_JSON, line, problem=_json_problem(error, raw))
            return
        self.fingerprints.add(line, canonical(row))
        if not isinstance(row, dict):
            self._add(rules.NOT_OBJECT, line, found=type_text(row))
            return
        self._columns(line, row)
        self._look(line, raw, row)

    def _look(self, line: int, raw: bytes, row: Any) -> None:
        """Show a row to what looks at all of them; ``row`` has ``get(column)``."""
        self._lengths.add(line, raw)
        if self._sample is not None:
            self._sample.add(line, raw)
        if self._known is not None:
            self._known.add(line, row)
        if self._labels is not None:
            label = row.get("label")
            if isinstance(label, bool):
                self._labels.add(label)
        for column in self._rewarded:
            if row.get(column) is None:
                self._add(rules.REWARD_COLUMN, line, column=column)

    def _columns(self, line: int, row: dict[str, Any]) -> None:
        if not self.shapes:
            return
        shape = shape_of(row, self.shapes)
        if shape is None:
            rule, arguments = columns_problem(row, self.shapes, self.context.recipe.name)
            self._add(rule, line, value=sorted(row), **arguments)
            return
        problems = list(problems_of(row, shape))
        for rule, arguments in problems:
            self._add(rule, line, **arguments)
        if any(rule.severity == "error" for rule, _ in problems):
            return
        extra = self._extra_columns(line, row)
        form = form_of(row, shape)
        self._first_form = self._first_form or form
        if form != self._first_form:
            self._add(rules.MIXED, line, found=form_text(form), first=form_text(self._first_form))
        elif not problems and not extra:
            self._readers.learn(row, shape)

    def _extra_columns(self, line: int, row: dict[str, Any]) -> bool:
        if self._first_columns is None:
            self._first_columns = frozenset(row) | READ_WHERE_GIVEN
        extra = row.keys() - self._first_columns
        # A row of another form has columns of its own, and a finding of its own.
        if extra and (self._first_form is None or form_columns(self._first_form) <= row.keys()):
            names = ", ".join(f"`{name}`" for name in sorted(extra))
            self._add(rules.EXTRA_COLUMNS, line, value=sorted(extra), extra=names)
        return bool(extra)

    def _add(
        self, rule: Rule, line: int, *, hint: Text | None = None, value: Any = None, **args: object
    ) -> None:
        self._counts[rule] = count = self._counts.get(rule, 0) + 1
        if count <= SHOWN:
            column = args.get("column")
            at = Location(
                file=self.source.shown, line=line, value=value,
                key=str(column) if column else None,
            )  # fmt: skip
            self._findings.append(rule.at(at, hint=hint, row=line, **args))

    def _more(self) -> Iterator[Finding]:
        for rule, count in self._counts.items():
            if count > SHOWN:
                yield Finding(
                    code=rule.code,
                    severity=rule.severity,
                    message=Text(
                        f"{count - SHOWN} more rows of {self.source.shown} have this problem "
                        f"({count} in all, of {self._rows})",
                        f"{self.source.shown} 还有 {count - SHOWN} 行有同样的问题"
                        f"（共 {count} 行，总行数 {self._rows}）",
                    ),
                    at=Location(file=self.source.shown, value=count),
                )

    def _summary(self) -> Iterator[Finding]:
        file, repeated = self.source.shown, self.fingerprints.duplicates()
        if repeated.count:
            yield rules.DUPLICATES.at(
                Location(file=file, line=repeated.first, value=repeated.count),
                count=repeated.count, rows=self._rows, row=repeated.first, file=file,
            )  # fmt: skip
        yield from self._lengths.findings(file, self._rows)
        if self._meter is not None and self._sample is not None:
            yield from check_lengths(self.context, self.source, self._sample, self._meter)
        if self._labels is not None:
            yield from self._labels.findings(file)
        if self._known is not None:
            yield from self._known.findings(file, self._rows)


def _reward_columns(context: PrepareContext) -> tuple[str, ...]:
    """Return the columns that the reward file can't do without."""
    signature = signature_of(context)
    return tuple(signature.required) if signature is not None else ()


def _overlap(
    context: PrepareContext, train: Fingerprints, validation: Fingerprints
) -> list[Finding]:
    shared = validation.shared(train)
    if not shared.count:
        return []
    at = context.data_location("validation", shared.first, value=shared.count)
    return [rules.OVERLAP.at(at, count=shared.count, rows=len(validation), row=shared.first)]


def _json_problem(error: Exception, raw: bytes) -> Text:
    """Say in both languages where the JSON of a row breaks."""
    place = re.search(r"\(byte (\d+)\)", str(error))
    if place is not None:
        index = int(place[1])
        number = re.match(rb"-?(NaN|Infinity)|N(?=aN)", raw[index:])
        if number is not None:
            name = "NaN" if b"N" in number[0] else "Infinity"
            return Text(f"{name} at byte {index + 1} is not a number of JSON",
                        f"第 {index + 1} 个字节处的 {name} 不是合法的 JSON 数值")  # fmt: skip
        return Text(f"unexpected character at byte {index + 1}", f"第 {index + 1} 个字节处有误")
    if "truncated" in str(error):
        return Text("it ends too early", "内容不完整")
    return Text(str(error), str(error))

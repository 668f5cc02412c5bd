"""Checks of data files: one streaming pass over every split that is at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from starforge.checks import rules_data as rules
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
from starforge.findings import Finding, Location, Rule
from starforge.i18n import Text
from starforge.lab.context import DataSource, PrepareContext

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SPLITTING = ("bfd_split", "wrapped")  # packing strategies that cut nothing off
# Optional columns of single rows that frameworks do read.
READ_WHERE_GIVEN = frozenset({"tools", "chat_template_kwargs"})
SHOWN = 5  # rows named for each rule; the rest is counted
LONG_SHARE = 0.01  # share of long rows worth a warning
MAGIC = {
    b"PAR1": Text("a Parquet file", "Parquet 文件"),
    b"\x1f\x8b": Text("a gzip file", "gzip 压缩文件"),
    b"\x28\xb5\x2f\xfd": Text("a zstd file", "zstd 压缩文件"),
    b"PK\x03\x04": Text("a zip file", "zip 压缩文件"),
    b"ARROW1": Text("an Arrow file", "Arrow 文件"),
}


def check_data(context: PrepareContext) -> list[Finding]:
    """Return the findings of all splits, and of train and validation together."""
    findings: list[Finding] = []
    seen: dict[str, dict[int, int]] = {}
    for split in sorted(context.data):
        scan = Scan(context, context.data[split])
        findings += scan.run()
        seen[split] = scan.first_rows
    if "train" in seen and "validation" in seen:
        findings += _overlap(context, seen["train"], seen["validation"])
    return findings


class Scan:
    """One pass over the rows of a split.

    ``first_rows`` maps the hash of every different row to the line it first stands on.
    """

    def __init__(self, context: PrepareContext, source: DataSource) -> None:
        self.context = context
        self.source = source
        self.first_rows: dict[int, int] = {}
        self._findings: list[Finding] = []
        self._counts: dict[Rule, int] = {}
        self._rows = 0
        self._duplicates: list[int] = []
        self._first_form: Form | None = None
        self._first_columns: frozenset[str] | None = None
        self._lengths = LongRows(context)

    def run(self) -> list[Finding]:
        """Return everything found; nothing when the data is not on this machine."""
        if self.source.path is None:
            return []
        wrong = self._file_format()
        if wrong is not None:
            return [wrong]
        for line, raw in self.source.lines():
            self._rows += 1
            self._row(line, raw)
        if self._rows == 0:
            return [rules.EMPTY.at(Location(file=self.source.shown), file=self.source.shown)]
        return [*self._findings, *self._more(), *self._summary()]

    def _file_format(self) -> Finding | None:
        for _, raw in self.source.lines():
            found = next((text for magic, text in MAGIC.items() if raw.startswith(magic)), None)
            way = Text("convert it to JSON Lines", "请转换成 JSON Lines")
            if found is None and raw[:1] == b"[" and not _is_whole_json(raw):
                found = Text("a JSON array", "JSON 数组")
                way = Text("write its elements one a line: `jq -c '.[]' IN.json > OUT.jsonl`",
                           "请把元素逐行写出：`jq -c '.[]' IN.json > OUT.jsonl`")  # fmt: skip
            elif found is None and raw == b"{":
                found = Text("JSON over several lines", "跨多行的 JSON")
                way = Text("write one object a line: `jq -c . IN.json > OUT.jsonl`",
                           "请每行写一个对象：`jq -c . IN.json > OUT.jsonl`")  # fmt: skip
            if found is None:
                return None
            at = Location(file=self.source.shown, line=1)
            return rules.FORMAT.at(at, file=self.source.shown, found=found, way=way)
        return None

    def _row(self, line: int, raw: bytes) -> None:
        try:
            row = msgspec.json.decode(raw.removeprefix(BYTE_ORDER_MARK))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self._add(rules.NOT_JSON, line, problem=_json_problem(error))
            return
        key = hash(raw)
        if self.first_rows.setdefault(key, line) != line:
            self._duplicates.append(line)
        if not isinstance(row, dict):
            self._add(rules.NOT_OBJECT, line, found=type_text(row))
            return
        self._columns(line, row)
        self._lengths.add(line, row)

    def _columns(self, line: int, row: dict[str, Any]) -> None:
        recipe = self.context.recipe
        shapes = recipe.data.shapes
        if not shapes:
            return
        shape = shape_of(row, shapes)
        if shape is None:
            rule, arguments = columns_problem(row, shapes, recipe.name)
            self._add(rule, line, value=sorted(row), **arguments)
            return
        sound = True
        for rule, arguments in problems_of(row, shape):
            sound = sound and rule.severity != "error"
            self._add(rule, line, **arguments)
        if not sound:
            return
        self._extra_columns(line, row)
        form = form_of(row, shape)
        self._first_form = self._first_form or form
        if form != self._first_form:
            self._add(rules.MIXED, line, found=form_text(form), first=form_text(self._first_form))

    def _extra_columns(self, line: int, row: dict[str, Any]) -> None:
        if self._first_columns is None:
            self._first_columns = frozenset(row) | READ_WHERE_GIVEN
        extra = row.keys() - self._first_columns
        # A row of another form has columns of its own, and a finding of its own.
        if extra and (self._first_form is None or form_columns(self._first_form) <= row.keys()):
            names = ", ".join(f"`{name}`" for name in sorted(extra))
            self._add(rules.EXTRA_COLUMNS, line, value=sorted(extra), extra=names)

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
        if self._duplicates:
            first = self._duplicates[0]
            yield rules.DUPLICATES.at(
                Location(file=self.source.shown, line=first, value=len(self._duplicates)),
                count=len(self._duplicates), rows=self._rows, row=first, file=self.source.shown,
            )  # fmt: skip
        yield from self._lengths.findings(self.source.shown, self._rows)


class LongRows:
    """Counts rows that are probably longer than the method's limit of tokens."""

    def __init__(self, context: PrepareContext) -> None:
        limit = context.parameter("max_tokens")
        splits = context.parameter("packing") and context.parameter("packing_strategy") in SPLITTING
        self._limit = limit if isinstance(limit, int) and not splits else None
        self._count = 0
        self._longest = (0.0, 0)

    def add(self, line: int, row: dict[str, Any]) -> None:
        """Estimate one row. Low on purpose: a warning must not cry wolf."""
        if self._limit is None:
            return
        tokens = estimate_tokens(row)
        self._longest = max(self._longest, (tokens, line))
        if tokens > self._limit:
            self._count += 1

    def findings(self, file: str, rows: int) -> Iterator[Finding]:
        """Yield the warning when the share of long rows is worth one."""
        if self._count and self._count >= LONG_SHARE * rows:
            line = self._longest[1]
            yield rules.LONG_ROWS.at(
                Location(file=file, line=line, value=self._count),
                count=self._count, rows=rows, percent=max(1, round(100 * self._count / rows)),
                limit=self._limit, row=line, parameter="max_tokens",
            )  # fmt: skip


def estimate_tokens(value: Any) -> float:
    """Estimate how many tokens the texts inside ``value`` have, rather too few than too many."""
    if isinstance(value, str):
        plain = len(value) if value.isascii() else sum(map(str.isascii, value))
        return plain / 5 + (len(value) - plain) / 2
    if isinstance(value, dict):
        return sum(map(estimate_tokens, value.values()))
    if isinstance(value, list):
        return sum(map(estimate_tokens, value))
    return 0.0


def _overlap(
    context: PrepareContext, train: dict[int, int], validation: dict[int, int]
) -> list[Finding]:
    shared = sorted(line for key, line in validation.items() if key in train)
    if not shared:
        return []
    at = context.data_location("validation", shared[0], value=len(shared))
    return [rules.OVERLAP.at(at, count=len(shared), rows=len(validation), row=shared[0])]


def _is_whole_json(raw: bytes) -> bool:
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    # A whole array of objects on one line is a file, not a row.
    return not (isinstance(found, list) and found and all(isinstance(x, dict) for x in found))


def _json_problem(error: Exception) -> Text:
    """Say in both languages where the JSON of a row breaks."""
    place = re.search(r"\(byte (\d+)\)", str(error))
    if place is not None:
        number = int(place[1]) + 1
        return Text(f"unexpected character at byte {number}", f"第 {number} 个字节处有误")
    if "truncated" in str(error):
        return Text("it ends too early", "内容不完整")
    return Text(str(error), str(error))

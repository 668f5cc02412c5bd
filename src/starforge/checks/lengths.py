"""Estimating the length of rows in tokens, where the model's tokenizer is not at hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from starforge.checks import rules_data as rules
from starforge.findings import Finding, Location
from starforge.lab.context import PrepareContext

SPLITTING = ("bfd_split", "wrapped")  # packing strategies that cut nothing off
LONG_SHARE = 0.01  # share of long rows worth a warning
LETTERS = 5  # ASCII letters a token has, at most as a rule; half a token for any other letter


def row_limit(context: PrepareContext) -> int | None:
    """Return the number of tokens beyond which the method cuts a row; ``None`` for no limit."""
    limit = context.parameter("max_tokens")
    splits = context.parameter("packing") and context.parameter("packing_strategy") in SPLITTING
    return limit if isinstance(limit, int) and not splits else None


class LongRows:
    """Counts rows that are probably longer than the method's limit of tokens."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._shortest = limit * LETTERS if limit else 0  # bytes of JSON that may be too long
        self._count = 0
        self._longest = (0.0, 0)

    def add(self, line: int, raw: bytes) -> None:
        """Estimate one row. Low on purpose: a warning must not cry wolf."""
        if self._limit is None or len(raw) <= self._shortest:
            return
        tokens = estimate_tokens(msgspec.json.decode(raw.removeprefix(b"\xef\xbb\xbf")))
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
        # Letters beyond ASCII take three bytes of UTF-8 as a rule, so two more than ASCII.
        more = 0 if value.isascii() else len(value.encode("utf-8", "replace")) - len(value)
        return (len(value) - more / 2) / LETTERS + more / 4
    if isinstance(value, dict):
        return sum(map(estimate_tokens, value.values()))
    if isinstance(value, list):
        return sum(map(estimate_tokens, value))
    return 0.0

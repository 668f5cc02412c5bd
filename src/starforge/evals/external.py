"""Scores that others measured, read from a YAML or CSV file with where they come from."""

from __future__ import annotations

import csv
import datetime
import difflib
import io
import json
import math
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import yaml

from starforge.errors import StarForgeError
from starforge.i18n import Text

REQUIRED = ("model", "benchmark", "metric", "value", "source")
OPTIONAL = ("stderr", "items", "higher_is_better", "date", "settings")
PREFIX = "settings."  # a column of a CSV file for one setting
MOST_ROWS = 5_000
MOST_BYTES = 8 << 20
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

Row = dict[str, Any]


def read_external(file: Path) -> list[Row]:
    """Return the scores of a file, each with the keys of ``REQUIRED`` and ``OPTIONAL``.

    YAML holds a list of mappings, or ``scores:`` with one; a mapping's other top-level keys
    count for every score that lacks them. Raises :class:`StarForgeError` naming the row.
    """
    try:
        if file.stat().st_size > MOST_BYTES:
            _refuse(file, None, "it is larger than 8 MiB", "文件超过 8 MiB")
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        _refuse(file, None, reason, reason)
    rows = list(_csv(file, text) if file.suffix.lower() == ".csv" else _yaml(file, text))
    if not 0 < len(rows) <= MOST_ROWS:
        _refuse(file, None, f"it must hold 1 to {MOST_ROWS} scores, not {len(rows)}",
                f"应有 1 到 {MOST_ROWS} 个得分，现有 {len(rows)} 个")  # fmt: skip
    return [_checked(file, number, row) for number, row in rows]


def _csv(file: Path, text: str) -> Iterator[tuple[int, Row]]:
    # Spreadsheets of many languages write semicolons; what is copied from one has tabs.
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=head.count))
    try:
        names = [name.strip() for name in next(reader, [])]
        twice = {name for name in names if name and names.count(name) > 1}
        if twice:
            _refuse(file, None, f"there are two columns `{min(twice)}`",
                    f"有两列名为 `{min(twice)}`")  # fmt: skip
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, _csv_row(file, reader.line_num, names, cells)
    except csv.Error as error:
        _refuse(file, reader.line_num, f"it is not CSV: {error}", f"不是合法的 CSV：{error}")


def _csv_row(file: Path, number: int, names: list[str], cells: list[str]) -> Row:
    if any(cell.strip() for cell in cells[len(names) :]):
        _refuse(file, number, "it has more cells than there are columns", "单元格比列名多")
    plain = {name: cell.strip() for name, cell in zip(names, cells, strict=False) if cell.strip()}
    row: Row = {k: v for k, v in plain.items() if not k.startswith(PREFIX)}
    settings = {k.removeprefix(PREFIX): _number_or_text(v) for k, v in plain.items()
                if k.startswith(PREFIX)}  # fmt: skip
    return row | ({"settings": settings} if settings else {})


def _number_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _yaml(file: Path, text: str) -> Iterator[tuple[int, Row]]:
    try:
        raw = yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        _refuse(file, None, f"it is not YAML: {reason}", f"不是合法的 YAML：{reason}")
    common: Row = {}
    if isinstance(raw, dict):
        common = {key: value for key, value in raw.items() if key != "scores"}
        raw = raw.get("scores")
    if not isinstance(raw, list):
        _refuse(file, None, "it must be a list of scores, or a mapping with `scores`",
                "应为得分列表，或含 `scores` 的映射")  # fmt: skip
    for number, row in enumerate(raw, start=1):
        if not isinstance(row, dict):
            _refuse(file, number, "it is not a mapping", "不是映射（键: 值）")
        yield number, common | row


def _checked(file: Path, number: int, row: Row) -> Row:
    """Return a row with values of the right types."""
    known = (*REQUIRED, *OPTIONAL)
    for key in row:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            _refuse(file, number, f"unknown key `{key}`" + (f", not `{near[0]}`?" if near else ""),
                    f"未知的键 `{key}`" + (f"，是不是 `{near[0]}`？" if near else ""))  # fmt: skip
    for key in REQUIRED:
        if row.get(key) in (None, ""):
            _refuse(file, number, f"`{key}` is missing", f"缺少 `{key}`")
    found: Row = {key: _text(file, number, row, key) for key in ("model", "benchmark", "metric",
                                                                "source")}  # fmt: skip
    found["value"] = _number(file, number, row, "value")
    found["stderr"] = _number(file, number, row, "stderr") if _given(row, "stderr") else None
    found["items"] = _count(file, number, row) if _given(row, "items") else None
    found["higher_is_better"] = _truth(file, number, row.get("higher_is_better", True))
    found["date"] = _date(file, number, row["date"]) if _given(row, "date") else None
    found["settings"] = _settings(file, number, row.get("settings"))
    return found


def _given(row: Row, key: str) -> bool:
    return row.get(key) not in (None, "")


def _text(file: Path, number: int, row: Row, key: str) -> str:
    value = row[key]
    if isinstance(value, dict | list | bool):
        _refuse(file, number, f"`{key}` must be a text", f"`{key}` 应为文本")
    text = " ".join(str(value).split())
    if len(text) > 500:
        _refuse(file, number, f"`{key}` is too long", f"`{key}` 过长")
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text):
        _refuse(file, number, f"`{key}` holds a control character", f"`{key}` 含有控制字符")
    return text


def _number(file: Path, number: int, row: Row, key: str) -> float:
    value = row[key]
    try:
        found = float(value) if not isinstance(value, bool) else math.nan
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found) or (key == "stderr" and found < 0):
        said = f"{key}: {str(value)[:40]}"
        _refuse(file, number, f"`{said}` is no usable number (write 85% as 0.85)",
                f"`{said}` 不是可用的数（85% 请写作 0.85）")  # fmt: skip
    return found


def _count(file: Path, number: int, row: Row) -> int:
    found = _number(file, number, row, "items")
    if not 1 <= found < 2**53 or not found.is_integer():
        _refuse(file, number, "`items` must be a count", "`items` 应为题数")
    return int(found)


def _truth(file: Path, number: int, value: Any) -> bool:
    found = value if isinstance(value, bool) else _TRUTH.get(str(value).lower())
    if found is None:
        _refuse(file, number, "`higher_is_better` must be true or false",
                "`higher_is_better` 应为 true 或 false")  # fmt: skip
    return found


def _date(file: Path, number: int, value: Any) -> str:
    try:
        if not isinstance(value, datetime.date):  # a time of day is one, too
            value = datetime.datetime.fromisoformat(str(value))
        return f"{value:%Y-%m-%d}"
    except ValueError:
        said = str(value)[:40]
        _refuse(file, number, f"`date: {said}` is not like 2026-01-31",
                f"`date: {said}` 应写作 2026-01-31 的形式")  # fmt: skip


def _settings(file: Path, number: int, value: Any) -> Row:
    if value is None:
        return {}
    if isinstance(value, str):
        value = _number_or_text(value)
    try:  # no NaN, no circle, no key that is no text
        text = json.dumps(value, default=str, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = ""
    if not isinstance(value, dict) or not 0 < len(text) <= 4_000:
        _refuse(file, number, "`settings` must be a short mapping of plain values",
                "`settings` 应为由普通值组成的简短映射")  # fmt: skip
    made: Row = json.loads(text)
    return made


def _refuse(file: Path, number: int | None, en: str, zh: str) -> NoReturn:
    row = Text("", "") if number is None else Text(f" (row {number})", f"（第 {number} 行）")
    raise StarForgeError(
        "board/external",
        Text(f"{file}{row.en}: {en}", f"{file}{row.zh}：{zh}"),
        Text(f"a score needs {', '.join(REQUIRED)}; it may have {', '.join(OPTIONAL)}",
             f"每个得分需要 {'、'.join(REQUIRED)}，可以有 {'、'.join(OPTIONAL)}"),
    )  # fmt: skip

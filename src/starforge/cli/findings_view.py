"""Findings for a person: place, code, message, the line with a caret, and a hint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click

from starforge.cli.output import style
from starforge.lang import t

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
_NAMES = {"error": "错误", "warning": "警告", "info": "提示"}
_WIDTH = 100  # longest source line shown, in characters
_FURTHEST = 100_000  # lines read to find a source line


def print_findings(
    findings: Iterable[dict[str, Any]], folders: Sequence[Path] = (), *, err: bool = False
) -> None:
    """Print findings in their published shape. Source lines are looked up in ``folders``."""
    for finding in findings:
        for line in _render(finding, folders, err=err):
            click.echo(line, err=err)


def count_line(findings: Sequence[dict[str, Any]]) -> str:
    """Say how many findings of each severity there are."""
    parts = []
    for severity, one, many, chinese in (
        ("error", "error", "errors", "个错误"),
        ("warning", "warning", "warnings", "个警告"),
        ("info", "note", "notes", "条提示"),
    ):
        count = sum(1 for finding in findings if finding["severity"] == severity)
        if count:
            parts.append(t(f"{count} {one if count == 1 else many}", f"{count} {chinese}"))
    return t(", ", "，").join(parts)


def _render(finding: dict[str, Any], folders: Sequence[Path], *, err: bool) -> Iterable[str]:
    severity = finding["severity"]
    colour = _COLOURS.get(severity)
    place = ":".join(str(finding[key]) for key in ("file", "line", "column") if finding[key])
    name = t(severity, _NAMES.get(severity, severity))
    head = f"{style(name, colour, err=err)} {style(finding['code'], bold=True, err=err)}"
    yield (
        f"{style(place, 'cyan', err=err)}: {head} {finding['message']}"
        if place
        else (f"{head} {finding['message']}")
    )
    yield from _source(finding, folders, colour, err=err)
    if finding["hint"]:
        yield f"  {style(t('hint: ', '提示：'), 'cyan', err=err)}{finding['hint']}"


def _source(
    finding: dict[str, Any], folders: Sequence[Path], colour: str | None, *, err: bool
) -> Iterable[str]:
    line, column = finding["line"], finding["column"] or 1
    text = _line_of(finding["file"], line, folders)
    if text is None:
        return
    number = str(line)
    margin = " " * len(number)
    cut = max(0, column - _WIDTH // 2) if len(text) > _WIDTH else 0
    shown = text[cut : cut + _WIDTH]
    yield f"  {number} | {shown}"
    if finding["column"]:
        before = _blank(shown[: column - 1 - cut])
        caret = "^" * _caret(text[column - 1 :], finding)
        yield f"  {margin} | {before}{style(caret, colour, err=err)}"


def _line_of(file: str | None, line: int | None, folders: Sequence[Path]) -> str | None:
    """Return a line of a file below one of ``folders``, if it can be read."""
    if not file or not line or line > _FURTHEST:
        return None
    for folder in folders:
        try:
            with (folder / file).open(encoding="utf-8", errors="replace") as stream:
                found = next(islice(stream, line - 1, line), None)
        except (OSError, ValueError):
            continue
        return found.rstrip("\r\n").replace("\t", " ") if found is not None else None
    return None


def _caret(rest: str, finding: dict[str, Any]) -> int:
    """Return how many columns to underline: the key or value that stands there."""
    key = str(finding["key"] or "").rsplit(".", 1)[-1]
    value = finding["value"]
    for text in (key, value if isinstance(value, str) else None):
        if text and rest.startswith((text, f'"{text}"', f"'{text}'")):
            quotes = 0 if rest.startswith(text) else 2
            return _cells(text) + quotes
    word = rest.split(":", maxsplit=1)[0].split(" #", maxsplit=1)[0].rstrip() if rest else ""
    return max(1, min(_cells(word), 60))


def _blank(text: str) -> str:
    return " " * _cells(text)


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)

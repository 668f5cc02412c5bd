"""Training rows that ask what a benchmark asks.

Compared are whole prompts and single lines of them with the questions of every pack whose
items are at hand: the lab's own and those that come with StarForge. Case and the spaces
around a line don't count. Questions of a few letters, like ``2 + 3``, count only as the
benchmark words them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from starforge.checks import rules_data as rules
from starforge.errors import StarForgeError
from starforge.evals.generators import generate
from starforge.evals.library import bundled_root, own_folders
from starforge.evals.pack import PACK_FILE, Generated, Pack, load_pack
from starforge.findings import Finding, Location

SHORT = 16  # letters; a shorter question says too little to be recognised by itself
MOST_BYTES = 64 << 20  # a larger file of items is not read for this
_COLUMN = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
ASKING = ("prompt", "text")


class Contamination:
    """Counts the rows of the training split that stand in a benchmark."""

    def __init__(self, roots: list[Path]) -> None:
        self._questions = questions(roots)
        lengths = [len(question) for question in self._questions]
        self._shortest, self._longest = min(lengths, default=0), max(lengths, default=0)
        self._found: dict[str, list[int]] = {}

    def add(self, line: int, row: Any) -> None:
        """Look at one row, given as anything with ``get(column)``."""
        if not self._questions:
            return
        for text in asked(row):
            pack = self._known(text)
            if pack is not None:
                self._found.setdefault(pack, []).append(line)
                return

    def _known(self, text: str) -> str | None:
        lines = text.split("\n") if "\n" in text else []
        for part in (text, *lines):
            if self._shortest <= len(part) <= 2 * self._longest:
                plain = part.strip().lower()
                if plain in self._questions:
                    return self._questions[plain]
        return None

    def findings(self, file: str, rows: int) -> Iterator[Finding]:
        """Yield one finding for each benchmark."""
        for pack, lines in self._found.items():
            yield rules.CONTAMINATED.at(
                Location(file=file, line=lines[0], value=len(lines)),
                count=len(lines), rows=rows, row=lines[0], benchmark=pack, file=file,
            )  # fmt: skip


def asked(row: Any) -> Iterator[str]:
    """Yield the texts of a row that ask something: its prompt and what its users say."""
    for column in ASKING:
        value = row.get(column)
        if isinstance(value, str):
            yield value
    for column in ("prompt", "messages", "chosen"):
        turns = row.get(column)
        for turn in turns if isinstance(turns, list) else ():
            role, content = (
                (turn.get("role"), turn.get("content"))
                if isinstance(turn, dict)
                else (getattr(turn, "role", None), getattr(turn, "content", None))
            )
            if role == "user" and isinstance(content, str):
                yield content


def questions(roots: list[Path]) -> dict[str, str]:
    """Return the questions of all packs below ``roots`` and of StarForge: text -> pack."""
    known: dict[str, str] = {}
    for folder in _folders(roots):
        try:
            pack = load_pack(folder)
            for item in _items(pack):
                for question in wordings(pack.task, item):
                    known.setdefault(question.strip().lower(), pack.name)
        except (StarForgeError, OSError, ValueError, msgspec.DecodeError):
            continue  # a broken pack has its findings where it is used
    known.pop("", None)
    return known


def _folders(roots: list[Path]) -> Iterator[Path]:
    """Yield the folders of packs that bring items; an own pack wins over a bundled one."""
    bundled = {file.parent.name: file.parent for file in bundled_root().glob(f"*/{PACK_FILE}")}
    for folder in (bundled | own_folders(roots)).values():
        if b"\ndata:" in (folder / PACK_FILE).read_bytes():
            yield folder


def _items(pack: Pack) -> Iterator[dict[str, Any]]:
    if pack.data is not None and isinstance(pack.data.test, Generated):
        yield from generate(pack.data.test)
    file = pack.data_file
    if file is None or not file.is_file() or file.stat().st_size > MOST_BYTES:
        return
    for line in file.read_bytes().splitlines():
        item = msgspec.json.decode(line) if line.strip() else None
        if isinstance(item, dict):
            yield item


def wordings(task: dict[str, Any] | None, item: dict[str, Any]) -> Iterator[str]:
    """Yield a question by itself and, when its template is a plain one, as it is worded.

    ``task`` is that of the item's pack.
    """
    template = str((task or {}).get("doc_to_text", ""))
    columns = _COLUMN.findall(template) or [c for c in ("question", "prompt") if c in item]
    for column in columns:
        text = item.get(column)
        if isinstance(text, str) and len(text.strip()) >= SHORT:
            yield text
    if all(isinstance(item.get(column), str) for column in columns):
        worded = _COLUMN.sub(lambda match: str(item[match[1]]), template)
        if "{{" not in worded and "{%" not in worded:
            yield worded
            yield from (line for line in worded.split("\n") if len(line.strip()) >= SHORT
                        and any(str(item[column]) in line for column in columns))  # fmt: skip

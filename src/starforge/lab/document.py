"""A YAML file as plain values with the place of every key and value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import yaml

from starforge.findings import Finding, Location
from starforge.i18n import Text
from starforge.lab import rules_yaml as rules
from starforge.lab.compose import Composer, Position, StopComposingError
from starforge.lab.shell_form import find_in_lines
from starforge.lab.syntax import explain

MAX_BYTES = 1 << 20
_MAX_TABS = 10


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed YAML file.

    ``file`` is the name shown in findings (relative to the experiment folder); ``keys``
    and ``marks`` map dotted paths (``params.learning_rate``, ``then.0``) to the place of
    the key and of its value. ``broken`` says that ``value`` could not be read;
    ``unusable`` are the paths of single values with a finding of their own (NaN, ...).
    """

    file: str
    value: Any = None
    keys: dict[str, Position] = {}
    marks: dict[str, Position] = {}
    broken: bool = False
    unusable: frozenset[str] = frozenset()

    @property
    def mapping(self) -> dict[str, Any]:
        """The root mapping; empty when the file is empty or broken."""
        return self.value if isinstance(self.value, dict) else {}

    def get(self, path: str, default: Any = None) -> Any:
        """Return the value at a dotted path; keys may hold dots themselves."""
        found = _lookup(self.value, path)
        return default if found is _MISSING else found

    def is_usable(self, path: str) -> bool:
        """Say whether the value at ``path`` and all values inside it could be read."""
        return not any(one == path or one.startswith(path + ".") for one in self.unusable)

    def at(self, path: str) -> Location:
        """Return where the key ``path`` is written.

        When it is not there, the place of the nearest parent that is; the key of the
        location is always ``path``.
        """
        found = path
        while found and found not in self.keys and found not in self.marks:
            found = found.rpartition(".")[0]
        position = self.keys.get(found) or self.marks.get(found)
        return Location(
            file=self.file,
            line=position.line if position else None,
            column=position.column if position else None,
            key=path,
            value=self.get(path),
        )


_MISSING = object()
_UNUSABLE = {rules.NOT_FINITE.code, rules.NUMBER_TOO_LARGE.code, rules.ALIAS.code}


def _lookup(node: Any, path: str) -> Any:
    if isinstance(node, list):
        head, _, rest = path.partition(".")
        if not head.isdigit() or int(head) >= len(node):
            return _MISSING
        return _lookup(node[int(head)], rest) if rest else node[int(head)]
    if not isinstance(node, dict):
        return _MISSING
    if path in node:
        return node[path]
    for dot in (at for at, letter in enumerate(path) if letter == "."):
        if path[:dot] in node:
            found = _lookup(node[path[:dot]], path[dot + 1 :])
            if found is not _MISSING:
                return found
    return _MISSING


def load_document(path: Path, file: str) -> tuple[Document, list[Finding]]:
    """Read and parse a YAML file; ``file`` is its name in findings."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        found = rules.UNREADABLE.at(Location(file=file), file=file, reason=reason)
        return Document(file=file, broken=True), [found]
    return parse_document(data, file)


def parse_document(data: bytes, file: str) -> tuple[Document, list[Finding]]:
    """Parse one YAML mapping; what is wrong with it comes as findings, never raised."""
    if len(data) > MAX_BYTES:
        unit = Text("bytes", "字节")
        found = rules.TOO_LARGE.at(Location(file=file), file=file, limit=MAX_BYTES, unit=unit)
        return Document(file=file, broken=True), [found]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        at = Location(file=file, line=line)
        found = rules.NOT_UTF8.at(at, file=file, offset=error.start)
        return Document(file=file, broken=True), [found]
    return _parse(text, file)


def _parse(text: str, file: str) -> tuple[Document, list[Finding]]:
    value: Any = None
    broken = False
    try:
        composer = Composer(text, file)
        findings = composer.findings
        value = composer.compose()
    except StopComposingError:
        broken = True
    except yaml.reader.ReaderError as error:
        return Document(file=file, broken=True), [_bad_character(error, text, file)]
    except yaml.MarkedYAMLError as error:
        broken = True
        findings.extend(_syntax(error, text, file))
    if not broken and value is not None and not isinstance(value, dict):
        broken = True
        findings.append(_wrong_root(value, composer, file))
    if broken and (pasted := find_in_lines(text, file)) is not None:
        # The words of a command line are the cause when the error stands beside them.
        near = {pasted.at.line + step for step in (-1, 0, 1)} if pasted.at.line else set()
        if any(one.at.line in near or one.code == rules.ROOT.code for one in findings):
            findings = [pasted]
    document = Document(
        file=file, value=None if broken else value, keys=composer.keys, marks=composer.marks,
        broken=broken,
        unusable=frozenset(f.at.key for f in findings if f.at.key and f.code in _UNUSABLE),
    )  # fmt: skip
    return document, findings


def _wrong_root(value: Any, composer: Composer, file: str) -> Finding:
    found = Text("a list", "列表") if isinstance(value, list) else Text("a single value", "单个值")
    return rules.ROOT.at(Location(file=file, line=1, column=1), file=file, found=found)


def _bad_character(error: yaml.reader.ReaderError, text: str, file: str) -> Finding:
    position = error.position if isinstance(error.position, int) else 0
    before = text[:position]
    line, column = before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1
    code = error.character if isinstance(error.character, int) else ord(str(error.character)[:1])
    problem = Text(f"the character U+{code:04X} is not allowed", f"不允许出现字符 U+{code:04X}")
    return rules.SYNTAX.at(Location(file=file, line=line, column=column), problem=problem)


def _syntax(error: yaml.MarkedYAMLError, text: str, file: str) -> list[Finding]:
    # An unclosed quote or bracket is noticed far below the line where it began.
    opened = error.context and ("flow" in error.context or "quoted" in error.context)
    mark = (error.context_mark if opened else None) or error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
    tabs = [
        number
        for number, row in enumerate(text.splitlines(), start=1)
        if "\t" in row[: len(row) - len(row.lstrip())] and row.strip()
    ]
    if tabs and line is not None and any(line - 1 <= number <= line for number in tabs):
        return [
            rules.TAB.at(Location(file=file, line=number, column=1)) for number in tabs[:_MAX_TABS]
        ]
    at = Location(file=file, line=line, column=column)
    return [rules.SYNTAX.at(at, problem=explain(error))]

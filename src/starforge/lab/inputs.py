"""Model and data references of an experiment, and finding what they name on this machine."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from starforge.findings import Finding, Location
from starforge.i18n import Text
from starforge.lab import rules_experiment as rules
from starforge.lab.context import DataSource
from starforge.lab.lab import find_input, find_lab, input_places
from starforge.plan import InputRef

STAGE = "stage:"  # what a stage of a pipeline will leave: ``stage:NAME``, ``stage:NAME:FILE``
BUILTIN_MODELS = ("starforge:tiny",)
SMALL_FILE = 1 << 20
_MAX_MODEL_FILES = 10_000
_ID = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_HUB_LENGTH = 200
_JOB = re.compile(rf"{_ID}(@(last|best|step-\d+))?")
_HUB = re.compile(rf"{_ID}(/{_ID})?")
_SCHEME = re.compile(r"[a-z][a-z0-9+]+:")
_VERSIONED = re.compile(r"[^\s/@:]+(@[^\s/@:]+)?")

MODEL_FORMS = Text(
    "a model is a folder, a hub id `org/name`, `job:ID`, `model:NAME@VERSION` or `starforge:tiny`",
    "模型可以是文件夹、hub 上的 `org/name`、`job:ID`、`model:名字@版本` 或 `starforge:tiny`",
)
REWARD_FORMS = Text(
    "a reward is a Python file of the experiment with a function `reward`, or a reward model "
    "(a folder, a hub id, `job:ID` or `model:NAME@VERSION`)",
    "奖励可以是实验文件夹里含 `reward` 函数的 Python 文件，也可以是奖励模型"
    "（文件夹、hub ID、`job:ID` 或 `model:名字@版本`）",
)
DATA_FORMS = Text(
    "data is a .jsonl file or `dataset:NAME@VERSION`",
    "数据可以是 .jsonl 文件或 `dataset:名字@版本`",
)


class Reference(msgspec.Struct, frozen=True):
    """A parsed reference. ``location`` is without its prefix, except for built-in names."""

    kind: Literal["path", "hub", "registry", "job", "builtin"]
    location: str


class Resolver(Protocol):
    """Finds what references name.

    What it returns goes into the plan, so it must not depend on the machine: data are
    ``blob`` by sha256; registered things and jobs keep their symbolic location. A finding
    is returned (its place is filled in by ``prepare``) when there is nothing to be found.
    """

    def model(self, reference: str, name: str = "model") -> InputRef | Finding:
        """Find a model; ``name`` is what it is for: ``model``, ``teacher`` or ``reward``."""
        ...

    def data(self, reference: str, split: str) -> DataSource | Finding:
        """Find the rows of one split."""
        ...


def parse_model(reference: str, folder: Path, lab_root: Path | None) -> Reference | None:
    """Say what a model reference is; ``None`` when it is malformed.

    A name like ``org/name`` is a hub id unless it exists here, or its first part does.
    """
    if reference in BUILTIN_MODELS:
        return Reference("builtin", reference)
    for prefix, kind in (("job:", "job"), ("model:", "registry")):
        if reference.startswith(prefix):
            rest = reference.removeprefix(prefix)
            pattern = _JOB if kind == "job" else _VERSIONED
            return Reference(kind, rest) if pattern.fullmatch(rest) else None  # type: ignore[arg-type]
    if not reference.strip() or _SCHEME.match(reference):
        return None
    if _is_path(reference) or find_input(reference, folder, lab_root) is not None:
        return Reference("path", reference)
    if len(reference) <= _HUB_LENGTH and _HUB.fullmatch(reference):
        first = reference.split("/", maxsplit=1)[0]
        is_local = "/" in reference and find_input(first, folder, lab_root) is not None
        return Reference("path" if is_local else "hub", reference)
    return Reference("path", reference)


def parse_data(reference: str) -> Reference | None:
    """Say what a data reference is; ``None`` when it is malformed."""
    if reference.startswith("dataset:"):
        rest = reference.removeprefix("dataset:")
        return Reference("registry", rest) if _VERSIONED.fullmatch(rest) else None
    if not reference.strip() or _SCHEME.match(reference):
        return None
    return Reference("path", reference)


def _is_path(reference: str) -> bool:
    return reference.startswith(("/", "./", "../", "~")) or reference in (".", "..")


class LocalResolver:
    """Resolves paths on this machine; jobs and registered things stay symbolic (offline)."""

    offline = True

    def __init__(self, folder: Path, lab_root: Path | None = None) -> None:
        self.folder = folder
        self.lab_root = lab_root

    @classmethod
    def for_folder(cls, folder: Path) -> LocalResolver:
        """Return the resolver of an experiment folder and the lab around it."""
        lab = find_lab(folder)
        return cls(folder, lab.root if lab else None)

    def model(self, reference: str, name: str = "model") -> InputRef | Finding:
        """Find a model folder; hub ids, jobs and registered models are kept as they are."""
        parsed = parse_model(reference, self.folder, self.lab_root)
        if parsed is None:
            at = Location(value=reference)
            return rules.INPUT_REFERENCE.at(at, ref=reference, forms=MODEL_FORMS)
        if parsed.kind != "path":
            return InputRef(name=name, kind=parsed.kind, location=parsed.location)
        path = self._find(parsed.location)
        if isinstance(path, Finding):
            return path
        if not path.is_dir():
            return _wrong_kind(reference, Text("a model folder", "模型文件夹"))
        try:
            digest = folder_digest(path)
        except OSError as error:
            return _unreadable(reference, error)
        return InputRef(name=name, kind="path", location=str(path.resolve()), digest=digest)

    def data(self, reference: str, split: str) -> DataSource | Finding:
        """Find a data file, count its rows and take its digest."""
        parsed = parse_data(reference)
        if parsed is None:
            at = Location(value=reference)
            return rules.INPUT_REFERENCE.at(at, ref=reference, forms=DATA_FORMS)
        name, file = f"data.{split}", f"{split}.jsonl"
        if parsed.kind == "registry":
            ref = InputRef(name=name, kind="registry", location=parsed.location, file=file)
            return DataSource(split=split, ref=ref, shown=reference)
        path = self._find(parsed.location)
        if isinstance(path, Finding):
            return path
        if not path.is_file():
            return _wrong_kind(reference, Text("a file of JSON lines", "JSON Lines 文件"))
        try:
            digest, rows = rows_digest(path)
        except OSError as error:
            return _unreadable(reference, error)
        ref = InputRef(name=name, kind="blob", location=digest, digest=digest, file=file, rows=rows)
        return DataSource(split=split, ref=ref, shown=reference, path=path)

    def _find(self, reference: str) -> Path | Finding:
        found = find_input(reference, self.folder, self.lab_root)
        if found is not None:
            return found
        places = input_places(reference, self.folder, self.lab_root)
        listed = ", ".join(str(place.parent) for place in places)
        return rules.INPUT_NOT_FOUND.at(Location(value=reference), ref=reference, places=listed)


def _wrong_kind(reference: str, wanted: Text) -> Finding:
    return rules.INPUT_KIND.at(Location(value=reference), ref=reference, wanted=wanted)


def _unreadable(reference: str, error: OSError) -> Finding:
    reason = error.strerror or str(error)
    return rules.INPUT_UNREADABLE.at(Location(value=reference), ref=reference, reason=reason)


def rows_digest(path: Path) -> tuple[str, int]:
    """Return the sha256 of a file and its number of lines that are not blank."""
    digest = hashlib.sha256()
    rows = 0
    with path.open("rb") as stream:
        for line in stream:
            digest.update(line)
            if not line.isspace():
                rows += 1
    return digest.hexdigest(), rows


def folder_digest(folder: Path) -> str:
    """Return a digest of a model folder: names and sizes, and contents of small files.

    Weights are not read: they are large, and their size changes with nearly every edit
    that matters.
    """
    digest = hashlib.sha256()
    files = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files += [Path(root, name) for name in names if not name.startswith(".")]
        if len(files) > _MAX_MODEL_FILES:
            break
    for file in sorted(files)[:_MAX_MODEL_FILES]:
        size = file.stat().st_size
        digest.update(f"{file.relative_to(folder).as_posix()}\0{size}\0".encode())
        if size <= SMALL_FILE:
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()

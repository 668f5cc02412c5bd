"""The rows of an experiment that is made from a form: what its file says, and what travels."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePosixPath

import msgspec

from starforge.catalog.models import Recipe
from starforge.choose.source import LINES, write_lines
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lab.scaffold import OwnData, sample_rows
from starforge.lab.templates import SAMPLE_FILE
from starforge.server.core import Core
from starforge.server.services.uploads import named, plain_file
from starforge.wire.experiments import DataChoice, ExperimentValues, PreparedInput

FOLDER = "data"


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """The data of an experiment.

    ``references`` stand in experiment.yaml by split; ``files`` are those of them that are
    files of its folder, by digest. ``sample`` says that they are the method's own rows.
    """

    references: dict[str, str] = {}
    files: dict[str, str] = {}
    inputs: list[PreparedInput] = []
    choices: dict[str, DataChoice] = {}
    sample: bool = False

    def own(self, columns: dict[str, str]) -> OwnData:
        """Return these rows as a new experiment names them."""
        rest = {split: ref for split, ref in self.references.items() if split != "train"}
        return OwnData(train=self.references.get("train"), splits=rest, columns=columns)


def rows_of(core: Core, values: ExperimentValues, recipe: Recipe) -> Rows:
    """Find the rows that a form names; without any, keep the method's sample.

    Raises :class:`StarForgeError` for a choice that names nothing, for content that is not
    here, and for a file that can't be read as rows.
    """
    if values.data is None:
        return _sample(core, recipe)
    rows = Rows()
    for split, choice in values.data.items():
        if choice.digest is None:
            rows.references[split] = _reference(split, choice)
            rows.choices[split] = choice
            continue
        digest = _as_lines(core, choice.digest, choice.file)
        _add(rows, split, digest, _file_name(rows, choice.file, digest))
    return rows


def _sample(core: Core, recipe: Recipe) -> Rows:
    lines = [msgspec.json.encode(row) + b"\n" for row in sample_rows(recipe)]
    rows = Rows(sample=bool(lines))
    if lines:
        _add(rows, "train", core.blobs.put(lines), SAMPLE_FILE)
    return rows


def _add(rows: Rows, split: str, digest: str, name: str) -> None:
    rows.references[split] = name
    rows.files[name] = digest
    rows.choices[split] = DataChoice(digest=digest, file=PurePosixPath(name).name)
    rows.inputs.append(
        PreparedInput(
            name=f"data.{split}", kind="blob", location=digest, digest=digest, file=f"{split}.jsonl"
        )
    )


def _reference(split: str, choice: DataChoice) -> str:
    if choice.reference:
        return choice.reference
    raise StarForgeError(
        "experiment/data",
        Text(f"the {split} data name neither a `reference` nor a `digest`",
             f"{split} 数据既没有给出 `reference`，也没有给出 `digest`"),
        Text("name a dataset as `dataset:NAME@VERSION`, or upload the file to /blobs first",
             "请写 `dataset:名字@版本`，或先把文件上传到 /blobs"),
        status=422,
    )  # fmt: skip


def _as_lines(core: Core, digest: str, file: str) -> str:
    """Return the digest of the same rows as JSON lines."""
    if PurePosixPath(plain_file(file)).suffix.lower() in LINES:
        core.blobs.use(digest)
        return digest
    with named(core, digest, file) as source, tempfile.TemporaryDirectory() as temp:
        target = Path(temp) / "rows.jsonl"
        write_lines(source, target)
        return core.blobs.put_file(target)


def _file_name(rows: Rows, file: str, digest: str) -> str:
    """Return a place in the folder that no other content has."""
    stem = PurePosixPath(plain_file(file)).stem
    name, number = f"{FOLDER}/{stem}.jsonl", 1
    while rows.files.get(name, digest) != digest:
        number += 1
        name = f"{FOLDER}/{stem}-{number}.jsonl"
    return name

"""Take over the data of a launch: keep files that fit, convert rows that have other columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from starforge.convert.importing.model import DataRef, Note, show
from starforge.errors import StarForgeError
from starforge.home import starforge_home
from starforge.i18n import Text
from starforge.runtimes.parquet import parquet_python, parquet_rows

_JSON_LINES = (".jsonl", ".ndjson")
_JSON = ".json"
_PARQUET = ".parquet"
_FOLDER = "data"


class TakenData(msgspec.Struct, frozen=True, kw_only=True):
    """``reference`` for experiment.yaml; rows to write there when there are ``files``."""

    reference: str
    files: list[Path] = []
    notes: list[Note] = []


def take_data(split: str, ref: DataRef, folder: Path, lab_root: Path) -> TakenData:
    """Say how one split is taken over; nothing is written yet.

    ``folder`` is where relative paths of the launch start.
    """
    target = f"{_FOLDER}/{split}.jsonl"
    files = [_find(source, folder) for source in ref.sources]
    found = [file for file in files if file is not None]
    if len(found) < len(ref.sources):
        missing = [s for s, f in zip(ref.sources, files, strict=True) if f is None]
        return TakenData(reference=target, notes=[_absent(one, ref, split) for one in missing])
    unreadable = [file for file in found if not _readable(file)]
    if unreadable:
        return TakenData(
            reference=target, notes=[_to_convert(one, ref, split) for one in unreadable]
        )
    if len(found) == 1 and found[0].suffix in _JSON_LINES and _fits(found[0], ref):
        return TakenData(reference=_named(found[0], lab_root))
    why = Text(f"rows written as {target} with the columns of this method",
               f"已按该方法的列写成 {target}")  # fmt: skip
    said = ", ".join(ref.sources)
    note = Note(kind="changed", what=show(f"data.{split}", said), why=why, line=ref.line)
    return TakenData(reference=target, files=found, notes=[note])


def write_rows(taken: TakenData, ref: DataRef, folder: Path) -> None:
    """Write the rows of ``taken.files`` to their place in the experiment, one at a time."""
    target = folder / taken.reference
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", encoding="utf-8") as stream:
        for file in taken.files:
            for row in rows_of(file):
                stream.write(json.dumps(canonical(row, ref), ensure_ascii=False) + "\n")


def canonical(row: dict[str, Any], ref: DataRef) -> dict[str, Any]:
    """Return a row with our column names; what it holds besides is kept.

    A column that already has our name is left alone, and so is a row that has none of
    upstream's.
    """
    made = dict(row)
    for theirs, ours in ref.columns.items():
        if theirs in made and theirs != ours and ours not in made:
            made[ours] = made.pop(theirs)
    if ref.form == "verl" and isinstance(made.get("reward_model"), dict):
        made.setdefault("answer", made.pop("reward_model").get("ground_truth"))
    return made


def rows_of(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a JSON lines, JSON or Parquet file."""
    if file.suffix == _PARQUET:
        python = parquet_python(starforge_home())
        if python is not None:
            yield from parquet_rows(file, python)
        return
    if file.suffix == _JSON:
        value = _whole(file)
        if value is not None:
            yield from (row for row in value if isinstance(row, dict))
            return
    with file.open(encoding="utf-8") as stream:
        for line in stream:
            if line.strip():
                yield json.loads(line)


def _whole(file: Path) -> list[Any] | None:
    """Return a JSON file that is one list; ``None`` when it holds lines."""
    with file.open(encoding="utf-8") as stream:
        if not stream.read(64).lstrip().startswith("["):
            return None
    value = json.loads(file.read_text("utf-8"))
    return value if isinstance(value, list) else None


def _find(source: str, folder: Path) -> Path | None:
    try:
        path = folder / Path(source).expanduser()
        return path if path.is_file() else None
    except (OSError, RuntimeError, ValueError):
        return None


def _readable(file: Path) -> bool:
    if file.suffix == _PARQUET and parquet_python(starforge_home()) is None:
        return False
    if file.suffix not in (*_JSON_LINES, _JSON, _PARQUET):
        return False
    try:
        return next(rows_of(file), None) is not None
    except (OSError, ValueError, StarForgeError):
        return False


def _fits(file: Path, ref: DataRef) -> bool:
    """Say whether the first rows are as they would be after converting."""
    rows = rows_of(file)
    first = [row for row, _ in zip(rows, range(20), strict=False)]
    return all(canonical(row, ref) == row for row in first)


def _named(file: Path, lab_root: Path) -> str:
    real, root = file.resolve(), lab_root.resolve()
    return str(real.relative_to(root)) if real.is_relative_to(root) else str(real)


def _absent(source: str, ref: DataRef, split: str) -> Note:
    why = Text(
        f"not a file of this machine: put its rows into {_FOLDER}/{split}.jsonl{_columns(ref).en}",
        f"本机没有这个文件：请把数据写入 {_FOLDER}/{split}.jsonl{_columns(ref).zh}",
    )
    return Note(kind="todo", what=show(f"data.{split}", source), why=why, line=ref.line)


def _to_convert(file: Path, ref: DataRef, split: str) -> Note:
    command = (
        f'python -c "import pandas; pandas.read_parquet({str(file)!r})'
        f".to_json('{split}.jsonl', orient='records', lines=True, force_ascii=False)\""
    )
    how = command if file.suffix == _PARQUET else ""
    why = Text(
        f"to be converted into {_FOLDER}/{split}.jsonl{_columns(ref).en} {how}".rstrip(),
        f"需要转换成 {_FOLDER}/{split}.jsonl{_columns(ref).zh} {how}".rstrip(),
    )
    return Note(kind="todo", what=show(f"data.{split}", str(file)), why=why, line=ref.line)


def _columns(ref: DataRef) -> Text:
    pairs = {a: b for a, b in ref.columns.items() if a != b}
    if ref.form == "verl":
        pairs["reward_model.ground_truth"] = "answer"
    if not pairs:
        return Text("", "")
    said = ", ".join(f"`{theirs}` → `{ours}`" for theirs, ours in pairs.items())
    return Text(f", with {said}", f"，并重命名列 {said}")

"""Read rows of a file or folder in the formats people have data in."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from starforge.choose.columns import Row
from starforge.errors import StarForgeError
from starforge.findings import nearest
from starforge.home import starforge_home
from starforge.i18n import Text
from starforge.runtimes.parquet import parquet_python, parquet_rows

LINES = (".jsonl", ".ndjson")
TABLES = (".csv", ".tsv")
FORMATS = (*LINES, ".json", *TABLES)
PARQUET = ".parquet"  # read where a runtime with pyarrow is installed
CONVERTIBLE = (PARQUET, ".arrow", ".gz", ".zst", ".zip", ".xlsx")
LOOKED_AT = 1000  # rows that the kind is told from
_WHOLE_JSON = 1 << 30  # bytes of a .json file that is read at once
_HOLDERS = ("data", "rows", "train", "examples", "instances")  # keys of a .json with one list


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The beginning of a data file: up to :data:`LOOKED_AT` rows.

    ``others`` are further files of a folder that could have been meant; ``more`` says that
    the file goes on after ``rows``.
    """

    file: Path
    rows: list[Row]
    more: bool = False
    others: list[Path] = []


def read_source(path: Path) -> Source:
    """Return the first rows of a file, or of the likeliest file of a folder.

    Raises :class:`StarForgeError` when there is none, or it can't be read as rows.
    """
    others: list[Path] = []
    if path.is_dir():
        files = _data_files(path)
        path, others = files[0], files[1:]
    rows = list(islice(iter_rows(path), LOOKED_AT + 1))
    if not rows:
        raise StarForgeError(
            "choose/no-rows",
            Text(f"{path} holds no rows", f"{path} 中没有任何数据"),
            Text("write one JSON object a line", "请每行写一个 JSON 对象"),
        )
    return Source(
        file=path, rows=rows[:LOOKED_AT], more=len(rows) > LOOKED_AT, others=others
    )  # fmt: skip


def iter_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file as objects; raise :class:`StarForgeError` where it is broken."""
    suffix = path.suffix.lower()
    if not path.is_file():
        raise _missing(path)
    if suffix == PARQUET:
        yield from _parquet(path)
        return
    if suffix in CONVERTIBLE:
        raise _convert(path, suffix)
    try:
        if suffix in TABLES:
            yield from _table(path, "\t" if suffix == ".tsv" else None)
        elif suffix not in (*FORMATS, ".txt"):
            raise _convert(path, suffix)
        elif suffix in LINES or not _is_whole(path):
            yield from _lines(path)
        else:
            yield from _whole(path)
    except OSError as error:
        said = error.strerror or str(error)
        raise _broken(path, Text(said, said)) from error
    except UnicodeDecodeError as error:
        reason = Text(f"it is not UTF-8 (byte {error.start})", f"不是 UTF-8（字节 {error.start}）")
        raise _broken(path, reason) from error


def _parquet(path: Path) -> Iterator[Row]:
    python = parquet_python(starforge_home())
    if python is None:
        raise _convert(path, PARQUET)
    yield from parquet_rows(path, python)


def _data_files(folder: Path) -> list[Path]:
    """Return the data files of a folder, training data first."""
    found = [
        file
        for file in sorted(folder.rglob("*"))
        if file.suffix.lower() in (*FORMATS, *CONVERTIBLE)
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
        and not file.name.endswith((".lock.json", "config.json", "_info.json", "state.json"))
    ]
    if not found:
        kinds = ", ".join(FORMATS)
        raise StarForgeError(
            "choose/no-data-file",
            Text(f"{folder} holds no data file ({kinds})", f"{folder} 中没有数据文件（{kinds}）"),
            Text("name the file itself", "请直接给出数据文件"),
        )

    def rank(file: Path) -> tuple[bool, bool, str]:
        readable = file.suffix.lower() in FORMATS
        return (not readable, "train" not in file.stem.lower(), str(file))

    return sorted(found, key=rank)


def _is_whole(path: Path) -> bool:
    """Say whether a file is one JSON document rather than one a line."""
    with path.open("rb") as stream:
        first = next((line for line in stream if line.strip()), b"")
    text = first.removeprefix(b"\xef\xbb\xbf").strip()
    if text[:1] == b"[":
        return True
    try:
        return _only_list(msgspec.json.decode(text)) is not None
    except msgspec.DecodeError:
        return text[:1] == b"{"  # an object over several lines


def _lines(path: Path) -> Iterator[Row]:
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            text = line.strip().removeprefix(b"\xef\xbb\xbf")
            if text:
                yield _row(path, number, _decode(path, number, text))


def _decode(path: Path, number: int, text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        reason = Text(f"line {number} is not JSON ({error})", f"第 {number} 行不是 JSON（{error}）")
        raise _broken(path, reason) from error


def _row(path: Path, number: int, value: Any) -> Row:
    if isinstance(value, dict):
        return value
    raise _broken(path, Text(f"row {number} is not an object", f"第 {number} 行不是对象"))


def _whole(path: Path) -> Iterator[Row]:
    if path.stat().st_size > _WHOLE_JSON:
        raise _convert(path, ".json")
    try:
        value = msgspec.json.decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except msgspec.DecodeError as error:
        raise _broken(path, Text(f"it is not JSON ({error})", f"不是 JSON（{error}）")) from error
    rows = value if isinstance(value, list) else _only_list(value)
    if rows is None:
        raise _broken(path, Text("it is no list of rows", "不是由行组成的列表"))
    for number, row in enumerate(rows, start=1):
        yield _row(path, number, row)


def _only_list(value: Any) -> list[Any] | None:
    """Return the rows of ``{"data": [...]}``."""
    if not isinstance(value, dict):
        return None
    held = [value[key] for key in _HOLDERS if isinstance(value.get(key), list)]
    return held[0] if held and all(isinstance(one, dict) for one in held[0]) else None


def _table(path: Path, delimiter: str | None) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        head = stream.readline()
        stream.seek(0)
        separator = delimiter or max(",;\t", key=head.count)
        try:
            reader = csv.DictReader(stream, delimiter=separator, strict=True)
            names = reader.fieldnames or []
            if len(set(names)) != len(names) or not all(name.strip() for name in names):
                reason = Text("its first line must name every column, each differently",
                              "第一行必须是互不相同的列名")  # fmt: skip
                raise _broken(path, reason)
            for row in reader:
                if None in row or None in row.values():
                    reason = Text(f"line {reader.line_num} has another number of columns",
                                  f"第 {reader.line_num} 行的列数不同")  # fmt: skip
                    raise _broken(path, reason)
                yield {name: _cell(text) for name, text in row.items()}
        except csv.Error as error:
            where = Text(f"line {reader.line_num}: {error}", f"第 {reader.line_num} 行：{error}")
            raise _broken(path, where) from error


def _cell(text: str) -> Any:
    """Return what a cell of a table means: JSON lists and objects, true and false, else text."""
    plain = text.strip()
    if plain.lower() in ("true", "false"):
        return plain.lower() == "true"
    if plain[:1] in ("[", "{"):
        try:
            return msgspec.json.decode(plain)
        except msgspec.DecodeError:
            return text
    return text


def write_lines(source: Path, target: Path) -> int:
    """Write the rows of ``source`` as JSON lines and return how many there are."""
    count = 0
    with target.open("wb") as stream:
        for row in iter_rows(source):
            stream.write(msgspec.json.encode(row) + b"\n")
            count += 1
    return count


def _missing(path: Path) -> StarForgeError:
    try:
        names = [one.name for one in path.parent.iterdir()]
    except OSError:
        names = []
    near = ", ".join(f"`{path.parent / name}`" for name in nearest(path.name, names))
    hint = Text(f"did you mean {near}?", f"是不是想写 {near}？") if near else None
    return StarForgeError(
        "choose/no-file", Text(f"there is no file {path}", f"没有文件 {path}"), hint
    )


def _broken(path: Path, reason: Text) -> StarForgeError:
    return StarForgeError(
        "choose/broken-file",
        Text(f"{path} can't be read as rows: {reason.en}", f"{path} 无法按行读取：{reason.zh}"),
        Text("one JSON object a line (.jsonl), a JSON list (.json), or a table with a line of "
             "column names (.csv, .tsv)",
             "可用格式：每行一个 JSON 对象（.jsonl）、JSON 列表（.json），"
             "或首行为列名的表格（.csv、.tsv）"),
    )  # fmt: skip


def _convert(path: Path, suffix: str) -> StarForgeError:
    target = path.with_suffix(".jsonl").name
    pandas = {".parquet": "read_parquet", ".arrow": "read_feather", ".xlsx": "read_excel"}
    if suffix in pandas:
        way = (
            f"python -c \"import pandas; pandas.{pandas[suffix]}('{path}').to_json('{target}', "
            "orient='records', lines=True, force_ascii=False)\""
        )
    elif suffix == ".json":
        way = f"jq -c '.[]' '{path}' > '{target}'"
    else:
        tool = {".gz": "gunzip -k", ".zst": "unzstd", ".zip": "unzip"}.get(suffix)
        way = f"{tool} '{path}'" if tool else ""
    runtime = suffix == PARQUET
    first = Text("install a runtime that reads it (`sf runtime install trl`), or " * runtime,
                 "请安装能读取它的运行环境（`sf runtime install trl`），或" * runtime)  # fmt: skip
    hint = (
        Text(f"{first.en}convert it first: `{way}`", f"{first.zh}请先转换：`{way}`")
        if way
        else Text("convert it to JSON lines (.jsonl)", "请转换成 JSON Lines（.jsonl）")
    )
    return StarForgeError(
        "choose/format",
        Text(f"{path} is in a format that methods don't read", f"{path} 的格式不能直接使用"),
        hint,
    )

"""Recognising files that are no JSON Lines, by their beginning."""

from __future__ import annotations

from pathlib import PurePath

import msgspec

from starforge.checks import rules_data as rules
from starforge.findings import Finding, Location
from starforge.i18n import Text
from starforge.lab.columns import BYTE_ORDER_MARK
from starforge.lab.context import DataSource

TABLES = (".csv", ".tsv")
PARQUET = Text("a Parquet file", "Parquet 文件")
MAGIC = {
    b"PAR1": PARQUET,
    b"\x1f\x8b": Text("a gzip file", "gzip 压缩文件"),
    b"\x28\xb5\x2f\xfd": Text("a zstd file", "zstd 压缩文件"),
    b"PK\x03\x04": Text("a zip file", "zip 压缩文件"),
    b"ARROW1": Text("an Arrow file", "Arrow 文件"),
}
_PANDAS = {b"PAR1": "read_parquet", b"ARROW1": "read_feather"}
_UNPACK = {b"\x1f\x8b": "gunzip -k", b"\x28\xb5\x2f\xfd": "unzstd", b"PK\x03\x04": "unzip"}


def wrong_format(source: DataSource) -> Finding | None:
    """Say what a file is when it is of another format, and how it becomes JSON Lines."""
    first = next((raw for _, raw in source.raw_lines()), None)
    if first is None:
        return None
    described = _binary(first, source.shown) or _text(first, source.shown)
    if described is None:
        return None
    found, way = described
    at = Location(file=source.shown, line=1)
    return rules.FORMAT.at(at, file=source.shown, found=found, way=way)


def _binary(raw: bytes, shown: str) -> tuple[Text, Text] | None:
    magic = next((magic for magic in MAGIC if raw.startswith(magic)), None)
    if magic is None:
        return None
    if magic in _UNPACK:
        command = f"{_UNPACK[magic]} {shown}"
        return MAGIC[magic], Text(f"unpack it: `{command}`", f"请先解压：`{command}`")
    return MAGIC[magic], _convert(
        f"python -c \"import pandas; pandas.{_PANDAS[magic]}('{shown}').to_json("
        f"'{_lines_name(shown)}', orient='records', lines=True, force_ascii=False)\""
    )


def _text(raw: bytes, shown: str) -> tuple[Text, Text] | None:
    plain, target = raw.removeprefix(BYTE_ORDER_MARK), _lines_name(shown)
    if plain[:1] == b"[" and not _is_row(plain):
        return Text("a JSON array", "JSON 数组"), _convert(f"jq -c '.[]' {shown} > {target}")
    if plain == b"{":
        return Text("JSON over several lines", "跨多行的 JSON"), _convert(
            f"jq -c . {shown} > {target}"
        )
    if PurePath(shown).suffix.lower() in TABLES and plain[:1] not in (b"{", b"["):
        python = (
            "import csv, json, sys; [print(json.dumps(row, ensure_ascii=False)) "
            "for row in csv.DictReader(sys.stdin)]"
        )
        return Text("a table", "表格"), _convert(f'python -c "{python}" < {shown} > {target}')
    return None


def _convert(command: str) -> Text:
    return Text(f"convert it: `{command}`", f"请先转换：`{command}`")


def _lines_name(shown: str) -> str:
    name = PurePath(shown).with_suffix(".jsonl").as_posix()
    return name if name != shown else f"{name.removesuffix('.jsonl')}-rows.jsonl"


def _is_row(raw: bytes) -> bool:
    """Say whether a line that begins with ``[`` is a whole value, and not a file of objects."""
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return not (isinstance(found, list) and found and all(isinstance(x, dict) for x in found))

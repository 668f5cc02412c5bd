"""Read the files of a catalog folder, with errors that name the file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from starforge.catalog.models import Contract
from starforge.errors import StarForgeError
from starforge.i18n import Text


def broken(file: Path, problems: Iterable[str]) -> StarForgeError:
    """Return the error for a catalog file that cannot be used."""
    listed = "\n".join(f"  - {problem}" for problem in problems)
    return StarForgeError(
        "catalog/invalid",
        Text(f"{file} is not a valid catalog file:\n{listed}",
             f"目录文件 {file} 无效：\n{listed}"),
        Text("see the README.md in catalog/data for the format",
             "格式见 catalog/data 下的 README.md"),
        status=500,
    )  # fmt: skip


def read_mapping(file: Path) -> dict[str, Any]:
    """Parse a YAML file whose root is a mapping."""
    import yaml  # not when all that is asked for was kept

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        value = yaml.load(file.read_text("utf-8"), Loader=loader)  # noqa: S506 - a safe loader
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise broken(file, [str(error)]) from error
    if not isinstance(value, dict):
        raise broken(file, ["its root must be a mapping"])
    return value


def read_contract(file: Path) -> Contract:
    """Decode a contract file."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Contract)
    except (OSError, msgspec.MsgspecError) as error:
        raise broken(file, [str(error)]) from error


def read_glossary(*folders: Path) -> dict[str, dict[str, Any]]:
    """Join all glossary files; a name may stand in one file only."""
    glossary: dict[str, dict[str, Any]] = {}
    for file in [file for folder in folders for file in sorted(folder.glob("*.yaml"))]:
        for name, fields in read_mapping(file).items():
            if name in glossary:
                raise broken(file, [f"`{name}` is already defined in another glossary file"])
            if not isinstance(fields, dict):
                raise broken(file, [f"`{name}` must be a mapping"])
            glossary[name] = fields
    return glossary

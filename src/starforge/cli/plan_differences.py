"""In what two plans of one experiment differ, a line for each difference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from starforge.lang import t


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Compare two plans as JSON values: files by content, config by key, the rest whole."""
    lines = list(_mapping(t("config", "配置"), ours.get("config"), theirs.get("config")))
    lines += _mapping(t("file", "文件"), _digests(ours), _digests(theirs))
    derived = {"config", "files", "differs", "digest"}
    for key in sorted({*ours, *theirs} - derived):
        if ours.get(key) != theirs.get(key):
            lines.append(_line(key, ours.get(key), theirs.get(key)))
    return lines


def _digests(plan: Mapping[str, Any]) -> dict[str, str]:
    return {file["path"]: f"sha256 {file['sha256'][:12]}" for file in plan.get("files") or []}


def _mapping(what: str, ours: Any, theirs: Any) -> Iterator[str]:
    mine, other = ours or {}, theirs or {}
    for key in sorted({*mine, *other}):
        if mine.get(key) != other.get(key):
            yield _line(f"{what} {key}", mine.get(key), other.get(key))


def _line(what: str, ours: Any, theirs: Any) -> str:
    return t(
        "{what}: here {ours}, server {theirs}",
        "{what}：本机 {ours}，服务 {theirs}",
        what=what,
        ours=_short(ours),
        theirs=_short(theirs),
    )


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."

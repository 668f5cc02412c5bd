"""Findings for continuous integration: GitHub annotations and SARIF 2.1.0.

SARIF: OASIS Standard "Static Analysis Results Interchange Format Version 2.1.0". Annotations:
the workflow commands ``::error``, ``::warning`` and ``::notice`` of GitHub Actions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starforge import __version__

Finding = dict[str, Any]  # the published shape

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def placed(finding: Finding, folders: Sequence[Path], base: Path) -> Finding:
    """Return a finding with its file relative to ``base``, as a repository names it.

    A finding's file is relative to the experiment or its lab (``folders``); one that is
    nowhere there belongs to the first folder. Files outside of ``base`` stay absolute.
    """
    file = finding["file"]
    if not folders:
        return finding
    places = [folder / file if file else folder / "experiment.yaml" for folder in folders]
    path = next((one for one in places if one.exists()), places[0])
    inside = path.resolve().is_relative_to(base.resolve())
    shown = path.resolve().relative_to(base.resolve()) if inside else path
    return finding | {"file": shown.as_posix()}


def github_lines(findings: Iterable[Finding]) -> list[str]:
    """Return one workflow command a finding."""
    lines = []
    for finding in findings:
        places = {"file": "file", "line": "line", "column": "col"}
        fields = [
            f"{name}={_property(str(finding[key]))}" for key, name in places.items() if finding[key]
        ]
        fields.append(f"title={_property(finding['code'])}")
        message = "\n".join(part for part in (finding["message"], finding["hint"]) if part)
        lines.append(f"::{_COMMANDS[finding['severity']]} {','.join(fields)}::{_data(message)}")
    return lines


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif(findings: Iterable[Finding], lang: str) -> str:
    """Return a SARIF log of one run; rules are those that occur."""
    listed = list(findings)
    codes = list(dict.fromkeys(finding["code"] for finding in listed))
    run = {
        "tool": {
            "driver": {
                "name": "StarForge",
                "version": __version__,
                "language": "zh-Hans" if lang == "zh" else "en",
                "rules": [_rule(code) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, codes.index(finding["code"])) for finding in listed],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2)


def _rule(code: str) -> dict[str, Any]:
    from starforge.findings.declared import every_rule

    rule = every_rule().get(code)
    if rule is None:
        return {"id": code}
    example = f"{rule.why.pick()}\n\n-: {rule.bad}\n+: {rule.good}"
    return {
        "id": code,
        "shortDescription": {"text": rule.title.pick()},
        "fullDescription": {"text": rule.why.pick()},
        "help": {"text": example},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    message = "\n".join(part for part in (finding["message"], finding["hint"]) if part)
    result: dict[str, Any] = {
        "ruleId": finding["code"],
        "ruleIndex": index,
        "level": _LEVELS[finding["severity"]],
        "message": {"text": message},
    }
    file = finding["file"]
    if file:
        artifact: dict[str, Any] = {"uri": quote(file)}
        if file.startswith("/"):
            artifact["uri"] = "file://" + artifact["uri"]
        else:
            artifact["uriBaseId"] = "%SRCROOT%"
        place: dict[str, Any] = {"artifactLocation": artifact}
        if finding["line"]:
            place["region"] = {"startLine": finding["line"]}
            if finding["column"]:
                place["region"]["startColumn"] = finding["column"]
        result["locations"] = [{"physicalLocation": place}]
    return result

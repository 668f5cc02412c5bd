"""Read pipeline.yaml into a :class:`Pipeline`, with findings for what can't be used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from starforge.catalog.types import accepts, describe
from starforge.findings import Finding, nearest
from starforge.i18n import Text
from starforge.lab.assign import did_you_mean
from starforge.lab.document import Document, parse_document
from starforge.lab.experiment import SPLITS
from starforge.lab.values import given, shown
from starforge.pipelines import rules
from starforge.pipelines.gates import parse_gate
from starforge.pipelines.model import MODELS, PIPELINE_FILE, Gate, Pipeline, Result, Stage

_KEYS = {"name": "str", "description": "str", "stages": "dict"}
_NAMES = "str | list[str]"
_STAGE = {
    "experiment": "str", "benchmark": _NAMES, "model": "str", "teacher": "str", "reward": "str",
    "init_from": "str", "model_from": "str", "teacher_from": "str", "reward_from": "str",
    "data": "str | dict", "data_from": "dict", "set": "dict", "resources": "str",
    "needs": _NAMES, "gate": _NAMES, "retries": "int",
}  # fmt: skip
_SYNONYMS = {
    "params": "set", "depends_on": "needs", "after": "needs", "profile": "resources",
    "benchmarks": "benchmark", "gates": "gate", "retry": "retries", "steps": "stages",
}  # fmt: skip
_FROM = {
    "init_from": "model", "model_from": "model", "teacher_from": "teacher",
    "reward_from": "reward",
}  # fmt: skip
_NAME = re.compile(r"[^\W\d_][\w-]{0,59}")
_MODEL = re.compile(r"([^\W\d_][\w-]*)(?:@(last|best|step-\d+))?")
_FILE = re.compile(r"([^\W\d_][\w-]*):(.+)")
MAX_STAGES = 100
MAX_RETRIES = 10


def load_pipeline(
    data: bytes, name: str, file: str = PIPELINE_FILE
) -> tuple[Pipeline, list[Finding]]:
    """Read the bytes of a pipeline.yaml; ``name`` is its name unless it says another.

    What can be read is kept even when other parts are wrong.
    """
    document, findings = parse_document(data, file)
    reader = _Reader(document, findings)
    fields = reader.read("", document.mapping, _KEYS)
    stages: dict[str, Stage] = {}
    written = fields.get("stages") or {}
    if not written and not document.broken and document.is_usable("stages"):
        findings.append(rules.NO_STAGES.at(document.at("stages")))
    for key, value in list(written.items())[:MAX_STAGES]:
        stage = reader.stage(str(key), value)
        if stage is not None:
            stages[stage.name] = stage
    if len(written) > MAX_STAGES:
        limit = Text(f"a mapping of at most {MAX_STAGES} stages", f"至多 {MAX_STAGES} 个阶段的映射")
        found = Text(f"one of {len(written)}", f"{len(written)} 个")
        findings.append(
            rules.WRONG_TYPE.at(document.at("stages"), key="stages", wanted=limit, given=found)
        )
    pipeline = Pipeline(
        name=fields.get("name") or name, document=document, stages=stages,
        description=fields.get("description") or "",
    )  # fmt: skip
    return pipeline, findings


class _Reader:
    """Reads parts of one document, noting what is wrong with them."""

    def __init__(self, document: Document, findings: list[Finding]) -> None:
        self.document = document
        self.findings = findings

    def read(self, parent: str, mapping: Any, types: Mapping[str, str]) -> dict[str, Any]:
        """Return the usable entries of a mapping; an empty value counts as not written."""
        fields: dict[str, Any] = {}
        for written, value in mapping.items():
            key = str(written)
            path = f"{parent}.{key}" if parent else key
            if key not in types:
                self._unknown_key(path, key, types)
            elif value is not None and self.document.is_usable(path):
                ok, made = accepts(types[key], value)
                if ok:
                    fields[key] = made
                else:
                    self._wrong_type(path, describe(types[key]), value)
        return fields

    def stage(self, name: str, value: Any) -> Stage | None:
        """Read one stage; ``None`` when nothing can be made of it."""
        path = f"stages.{name}"
        if not _NAME.fullmatch(name):
            self.findings.append(rules.STAGE_NAME.at(self.document.at(path), name=shown(name)))
            return None
        if not isinstance(value, dict):
            self._wrong_type(path, describe("dict"), value)
            return None
        fields = self.read(path, value, _STAGE)
        benchmarks = _several(fields.get("benchmark"))
        kinds = [key for key in ("experiment", "benchmark") if value.get(key) is not None]
        if len(kinds) != 1:
            self.findings.append(rules.ONE_KIND.at(self.document.at(path), name=name))
            return None
        replace = {key: fields[key] for key in MODELS if key in fields}
        replace |= self._data(path, fields.get("data"), benchmark="benchmark" in kinds)
        return Stage(
            name=name, experiment=fields.get("experiment"), benchmarks=benchmarks,
            sets={str(key): one for key, one in fields.get("set", {}).items()},
            resources=fields.get("resources"), replace=replace,
            results=self._results(path, fields, replace),
            needs=_several(fields.get("needs")), gates=self._gates(path, fields.get("gate")),
            retries=self._retries(path, fields.get("retries", 0)),
        )  # fmt: skip

    def _data(self, parent: str, value: Any, *, benchmark: bool) -> dict[str, str]:
        """Return the data named in place of the experiment's; items of a benchmark are ``test``."""
        if isinstance(value, str) and benchmark:
            return {"data.test": value}
        if isinstance(value, str):
            self._wrong_type(f"{parent}.data", describe("dict"), value)
            return {}
        fields = self.read(f"{parent}.data", value or {}, dict.fromkeys(SPLITS, "str"))
        return {f"data.{split}": reference for split, reference in fields.items()}

    def _results(
        self, parent: str, fields: dict[str, Any], replace: dict[str, str]
    ) -> dict[str, Result]:
        """Return what comes from other stages, by input."""
        found: dict[str, Result] = {}
        for key, what in _FROM.items():
            if key in fields:
                match = _MODEL.fullmatch(fields[key])
                result = Result(stage=match[1], key=key, which=match[2]) if match else None
                self._add(found, replace, f"{parent}.{key}", what, result)
        files = self.read(
            f"{parent}.data_from", fields.get("data_from") or {}, dict.fromkeys(SPLITS, "str")
        )
        for split, text in files.items():
            key = f"data_from.{split}"
            match = _FILE.fullmatch(text)
            path = _below_output(match[2]) if match else None
            result = Result(stage=match[1], key=key, path=path) if match and path else None
            self._add(found, replace, f"{parent}.{key}", f"data.{split}", result)
        return found

    def _add(
        self, found: dict[str, Result], replace: dict[str, str], path: str, what: str,
        result: Result | None,
    ) -> None:  # fmt: skip
        at = self.document.at(path)
        other = what if what in replace else found[what].key if what in found else None
        if result is None:
            self.findings.append(rules.RESULT_FORM.at(at, value=shown(at.value)))
        elif other is not None:
            key = path.split(".", 2)[2]
            self.findings.append(rules.TWO_SOURCES.at(at, key=key, other=other, what=what))
        else:
            found[what] = result

    def _gates(self, parent: str, value: Any) -> list[Gate]:
        gates = []
        for text in _several(value):
            gate = parse_gate(text)
            if isinstance(gate, Gate):
                gates.append(gate)
            else:
                at = self.document.at(f"{parent}.gate")
                self.findings.append(rules.GATE.at(at, value=shown(text), problem=gate))
        return gates

    def _retries(self, parent: str, value: int) -> int:
        if 0 <= value <= MAX_RETRIES:
            return value
        wanted = Text(f"a number from 0 to {MAX_RETRIES}", f"介于 0 与 {MAX_RETRIES} 之间的整数")
        self._wrong_type(f"{parent}.retries", wanted, value)
        return 0

    def _unknown_key(self, path: str, key: str, types: Mapping[str, str]) -> None:
        meant = _SYNONYMS.get(key.lower())
        near = [meant] if meant in types else nearest(key, types, count=1)
        self.findings.append(
            rules.UNKNOWN_KEY.at(
                self.document.at(path), hint=did_you_mean([one for one in near if one]),
                key=path, known=", ".join(types),
            )
        )  # fmt: skip

    def _wrong_type(self, path: str, wanted: Text, value: Any) -> None:
        at = self.document.at(path)
        self.findings.append(rules.WRONG_TYPE.at(at, key=path, wanted=wanted, given=given(value)))


def _several(value: Any) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(dict.fromkeys(value))


def _below_output(path: str) -> str | None:
    """Return a path below the job's output folder, if it stays there."""
    parts = [part for part in path.strip().removeprefix("output/").split("/") if part != "."]
    bad = not parts or any(part in ("", "..") for part in parts) or "\\" in path or "\0" in path
    return None if bad else "/".join(parts)

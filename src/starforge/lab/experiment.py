"""experiment.yaml, typed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from starforge.catalog.types import accepts, describe
from starforge.errors import StarForgeError
from starforge.findings import Finding, Location, nearest
from starforge.i18n import Text
from starforge.lab import rules_experiment as rules
from starforge.lab.document import Document, load_document
from starforge.lab.values import given, parse_duration, parse_size, shown
from starforge.plan import Policies

EXPERIMENT_FILE = "experiment.yaml"
CONFIG_FILE = "config.yaml"
LOCK_FILE = "recipe.lock.json"

KEYS = {
    "method": "str", "model": "str", "teacher": "str", "reward": "str", "data": "dict",
    "params": "dict", "resources": "str",
    "then": "list", "policies": "dict", "description": "str", "tags": "list[str]",
    "priority": "int",
}  # fmt: skip
SPLITS = ("train", "validation", "test")
_SPLITS = {**dict.fromkeys(SPLITS, "str"), "map": "dict"}
_POLICIES = {
    "nan_loss": "bool", "nan_metrics": "list[str]",
    "time_limit": "duration", "stop_grace": "duration",
    "disk_full": "bool", "disk_reserve": "size", "stalled": "duration",
    "budget": "duration", "no_signal": "int", "kl_explosion": "float",
    "length_explosion": "float", "retries": "int",
}  # fmt: skip
# Words of other tools for the same thing.
_SYNONYMS = {
    "val": "validation", "valid": "validation", "eval": "validation", "dev": "validation",
    "parameters": "params", "config": "params", "hyperparameters": "params",
    "dataset": "data", "datasets": "data", "algorithm": "method", "recipe": "method",
    "base_model": "model", "teacher_model": "teacher", "reward_model": "reward",
    "reward_function": "reward", "profile": "resources", "timeout": "time_limit",
    "stall": "stalled", "stall_timeout": "stalled", "min_free_disk": "disk_reserve",
}  # fmt: skip


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """One experiment as its author wrote it, with the places of everything written.

    References in ``model``, ``teacher``, ``reward`` and ``data`` are as written, not
    resolved. ``config`` is config.yaml as nested plain values. ``data_map`` is ``data.map``:
    columns of the data by the name under which the job reads them (as written -> as read).
    """

    folder: Path
    name: str
    method: str
    document: Document
    config_document: Document | None = None
    model: str | None = None
    teacher: str | None = None
    reward: str | None = None
    data: dict[str, str] = {}
    data_map: dict[str, str] = {}
    params: dict[str, Any] = {}
    config: dict[str, Any] = {}
    resources: str = "local"
    then: list[Any] = []
    policies: Policies = Policies()
    description: str = ""
    tags: list[str] = []
    priority: int = 0

    def at(self, key: str) -> Location:
        """Return where ``key`` stands in experiment.yaml (its parent when it is absent)."""
        return self.document.at(key)

    def replaced(self, inputs: Mapping[str, str]) -> Experiment:
        """Return the experiment with other inputs: by ``model``, ``teacher``, ``reward`` or
        ``data.SPLIT``. Raises :class:`StarForgeError` for anything else.
        """
        known = {"model", "teacher", "reward", *(f"data.{split}" for split in SPLITS)}
        for name in inputs:
            if name not in known:
                raise StarForgeError(
                    "experiment/replace",
                    Text(f"`{name}` is not an input of an experiment",
                         f"`{name}` 不是实验的输入"),
                    Text(f"inputs are {', '.join(sorted(known))}",
                         f"可用的输入：{'、'.join(sorted(known))}"),
                )  # fmt: skip
        data = {name.removeprefix("data."): ref for name, ref in inputs.items() if "." in name}
        models = {name: ref for name, ref in inputs.items() if "." not in name}
        changed: dict[str, Any] = {**models, "data": {**self.data, **data}}
        return msgspec.structs.replace(self, **changed)


def load_experiment(folder: Path) -> tuple[Experiment | None, list[Finding]]:
    """Read an experiment folder; ``None`` when there is no method to check it against.

    What can be read is kept even when other parts are wrong, so that one look shows all
    findings.
    """
    folder = folder.absolute()
    file = folder / EXPERIMENT_FILE
    if not os.path.lexists(file):
        at = Location(file=EXPERIMENT_FILE)
        return None, [rules.NO_FILE.at(at, folder=folder)]
    document, findings = load_document(file, EXPERIMENT_FILE)
    config_document = None
    if os.path.lexists(folder / CONFIG_FILE):
        config_document, more = load_document(folder / CONFIG_FILE, CONFIG_FILE)
        findings += more
    if document.broken:
        return None, findings
    fields = _read(document, "", document.mapping, KEYS, findings)
    data = _read(document, "data", fields.pop("data", {}), _SPLITS, findings)
    data_map = _column_map(document, data.pop("map", {}), findings)
    policies = _read(document, "policies", fields.pop("policies", {}), _POLICIES, findings)
    if not fields.get("method"):
        if document.get("method") is None:
            findings.append(rules.NO_METHOD.at(Location(file=EXPERIMENT_FILE, key="method")))
        return None, findings
    experiment = Experiment(
        folder=folder, name=folder.name, document=document, config_document=config_document,
        config=config_document.mapping if config_document else {},
        data=data, data_map=data_map, policies=Policies(**policies), **fields,
    )  # fmt: skip
    return experiment, findings


def _read(
    document: Document,
    parent: str,
    mapping: dict[str, Any],
    types: dict[str, str],
    findings: list[Finding],
) -> dict[str, Any]:
    """Return the usable entries of ``mapping``; an empty value counts as not written."""
    fields: dict[str, Any] = {}
    for key, value in mapping.items():
        path = f"{parent}.{key}" if parent else key
        if key not in types:
            findings.append(_unknown_key(document.at(path), key, types))
        elif value is None or not document.is_usable(path):
            continue
        elif types[key] == "duration":
            seconds = parse_duration(value)
            if seconds is None:
                at = document.at(path)
                findings.append(rules.DURATION.at(at, key=key, value=shown(value)))
            else:
                fields[key] = seconds
        elif types[key] == "size":
            size = parse_size(value)
            if size is None:
                findings.append(rules.SIZE.at(document.at(path), key=key, value=shown(value)))
            else:
                fields[key] = size
        else:
            ok, made = accepts(types[key], value)
            if ok:
                fields[key] = made
            else:
                findings.append(_wrong_type(document.at(path), path, types[key], value))
    return fields


def _column_map(
    document: Document, written: dict[Any, Any], findings: list[Finding]
) -> dict[str, str]:
    """Return the usable renamings of ``data.map``; each new name can be given once."""
    columns: dict[str, str] = {}
    for old, new in written.items():
        path = f"data.map.{old}"
        if not isinstance(new, str) or not new.strip():
            findings.append(_wrong_type(document.at(path), path, "str", new))
        elif new in columns.values():
            findings.append(rules.MAP_TWICE.at(document.at(path), new=new, old=old))
        else:
            columns[str(old)] = new
    return columns


def _unknown_key(at: Location, key: str, types: dict[str, str]) -> Finding:
    meant = [_SYNONYMS[key.lower()]] if _SYNONYMS.get(key.lower()) in types else []
    near = meant or nearest(key, types, count=1)
    hint = None
    if near:
        hint = Text(f"did you mean `{near[0]}`?", f"是不是想写 `{near[0]}`？")
    return rules.UNKNOWN_KEY.at(at, hint=hint, key=at.key, known=", ".join(types))


def _wrong_type(at: Location, key: str, wanted: str, value: Any) -> Finding:
    hint = None
    if key == "data" and isinstance(value, str):
        hint = Text(f"write `data: {{train: {value}}}`", f"请写成 `data: {{train: {value}}}`")
    elif wanted == "str" and isinstance(value, int | float):
        hint = Text(f'put quotes around it: "{shown(value)}"', f'请加上引号："{shown(value)}"')
    elif wanted in ("list[str]", "list") and isinstance(value, str):
        hint = Text(f"write `[{value}]`", f"请写成 `[{value}]`")
    return rules.WRONG_TYPE.at(at, hint=hint, key=key, wanted=describe(wanted), given=given(value))

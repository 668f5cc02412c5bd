"""Experiments of the cases: the scaffold of ``sf new``, and what the case changes in it."""

import json
from pathlib import Path
from typing import Any

import yaml
from models import make_model

from starforge.catalog.load import Catalog
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import Prepared, prepare, runtime_digests

Case = dict[str, Any]


def read_cases(folder: Path) -> list[Case]:
    """Return the cases of every YAML file of ``folder``, by number."""
    cases = [case for file in sorted(folder.glob("*.yaml")) for case in _read(file)]
    return sorted(cases, key=lambda case: case["case"])


def _read(file: Path) -> list[Case]:
    found = yaml.safe_load(file.read_text("utf-8"))
    assert isinstance(found, list), file
    return found


def scaffold(root: Path, method: str, catalog: Catalog) -> Path:
    """Create a lab with the experiment that ``sf new`` makes for ``method``."""
    root.mkdir(exist_ok=True)
    init_lab(root, "en")
    recipe = catalog.recipe(method)
    digests = runtime_digests(recipe)
    return new_experiment(Lab(root), "case", recipe, catalog, runtime=digests, lang="en")


def prepare_case(case: Case, root: Path, catalog: Catalog) -> Prepared:
    """Write the experiment of a case and prepare it."""
    folder = scaffold(root, case["method"], catalog)
    if "model" in case:
        size = case["model"].pop("weights", None)
        made = make_model(folder / "model", **case["model"])
        if size is not None:
            _weights(made / "model.safetensors", size)
        case = {**case, "experiment": {"model": "model", **case.get("experiment", {})}}
    for name, content in (case.get("files") or {}).items():
        (folder / name).write_text(_as_text(content), "utf-8")
    if "rows" in case:
        (folder / "data/train.jsonl").write_text(_as_text(case["rows"]), "utf-8")
    _merge(folder / "experiment.yaml", _experiment(case))
    _merge(folder / "config.yaml", case.get("config"))
    return prepare(
        folder, sets=case.get("sets", ()), catalog=catalog, trial=case.get("trial", False)
    )


def _weights(file: Path, size: int) -> None:
    """Write weights of ``size`` bytes in 16 bit, sparse: they take no room."""
    tensor = {"dtype": "BF16", "shape": [size // 2], "data_offsets": [0, size]}
    header = json.dumps({"weight": tensor}).encode()
    with file.open("wb") as stream:
        stream.write(len(header).to_bytes(8, "little") + header)
        stream.truncate(8 + len(header) + size)


def _experiment(case: Case) -> dict[str, Any]:
    params = {"params": case["params"]} if "params" in case else {}
    return params | case.get("experiment", {})


def _merge(file: Path, changes: Any) -> None:
    """Put ``changes`` over what the file holds; text replaces the file as it is."""
    if not changes:
        return
    if not isinstance(changes, str):
        before = yaml.safe_load(file.read_text("utf-8")) or {}
        changes = yaml.safe_dump(_over(before, changes), allow_unicode=True, sort_keys=False)
    file.write_text(changes, "utf-8")


def _over(before: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    result = dict(before)
    for key, value in changes.items():
        old = before.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        result[key] = _over(old, value) if both else value
    return result


def _as_text(content: Any) -> str:
    """Return text as it is, and rows as JSON lines (see :func:`_expand`).

    Of ``{times: N, row: ...}`` every row has its number where ``#`` stands.
    """
    if isinstance(content, str):
        return content
    lines: list[str] = []
    for row in content:
        many = isinstance(row, dict) and set(row) == {"times", "row"}
        times, one = (row["times"], row["row"]) if many else (1, row)
        line = json.dumps(_expand(one), ensure_ascii=False)
        lines += [line.replace("#", str(number)) for number in range(times)]
    return "\n".join(lines) + "\n"


def _expand(value: Any) -> Any:
    """Write out ``{repeat: [text, count]}`` wherever it stands."""
    if isinstance(value, dict):
        if set(value) == {"repeat"}:
            text, count = value["repeat"]
            return text * count
        return {key: _expand(one) for key, one in value.items()}
    return [_expand(one) for one in value] if isinstance(value, list) else value

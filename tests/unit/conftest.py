"""Experiments on disk for tests of checks and frameworks, read by the real lab."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from starforge.catalog.load import load_catalog
from starforge.lab.context import PrepareContext, Reward
from starforge.lab.experiment import load_experiment
from starforge.lab.files import code_files, own_files
from starforge.lab.inputs import LocalResolver
from starforge.lab.resolve import resolve
from starforge.lab.values import parse_profile

CHAT = [
    {
        "messages": [
            {"role": "user", "content": f"{i} + 1 = ?"},
            {"role": "assistant", "content": f"{i + 1}"},
        ]
    }
    for i in range(8)
]


def write_rows(path: Path, rows: list[Any] | str | bytes) -> None:
    """Write a data file: rows as JSON lines, or text as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(rows, bytes):
        path.write_bytes(rows)
    elif isinstance(rows, str):
        path.write_text(rows, "utf-8")
    else:
        path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), "utf-8")


@pytest.fixture
def make_context(tmp_path: Path) -> Callable[..., PrepareContext]:
    """Return a function that writes an experiment and gives its prepared context."""

    def make(
        train: list[Any] | str | bytes | None = None,
        *,
        method: str = "trl/sft",
        validation: list[Any] | str | bytes | None = None,
        model: str | None = "starforge:tiny",
        config: dict[str, Any] | None = None,
        files: dict[str, str] | None = None,
        sets: tuple[str, ...] = (),
        **keys: Any,
    ) -> PrepareContext:
        folder = tmp_path / "exp"
        folder.mkdir(exist_ok=True)
        data = {"map": keys.pop("columns")} if "columns" in keys else {}
        if train is None and method == "trl/sft":
            train = CHAT
        for split, rows in (("train", train), ("validation", validation)):
            if rows is not None:
                write_rows(folder / "data" / f"{split}.jsonl", rows)
                data[split] = f"data/{split}.jsonl"
        for name, content in (files or {}).items():
            (folder / name).write_text(content, "utf-8")
        written = {"method": method, **({"model": model} if model else {}), "data": data, **keys}
        (folder / "experiment.yaml").write_text(json.dumps(written), "utf-8")
        (folder / "config.yaml").write_text(json.dumps(config or {}), "utf-8")
        return read_context(folder, sets)

    return make


def read_context(folder: Path, sets: tuple[str, ...]) -> PrepareContext:
    """Read an experiment as ``prepare`` does; what the lab finds wrong fails the test."""
    experiment, findings = load_experiment(folder)
    assert experiment is not None
    catalog, resolver = load_catalog(), LocalResolver(folder)
    recipe = catalog.recipe(experiment.method)
    contract = catalog.contract(recipe)
    config, more = resolve(experiment, recipe, contract, sets)
    errors = [f for f in findings + more if f.severity == "error"]
    assert not errors, errors
    resources = parse_profile(experiment.resources, recipe)
    assert resources is not None
    return PrepareContext(
        experiment=experiment,
        recipe=recipe,
        contract=contract,
        config=config,
        model=resolver.model(experiment.model) if experiment.model else None,
        teacher=resolver.model(experiment.teacher, "teacher") if experiment.teacher else None,
        reward=Reward(file=experiment.reward) if experiment.reward else None,
        data={
            split: resolver.data(reference, split).renamed(experiment.data_map)
            for split, reference in experiment.data.items()
        },
        resources=resources,
        policies=experiment.policies,
        code_files=code_files(own_files(experiment, None)),
    )

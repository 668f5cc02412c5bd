from pathlib import Path

import pytest

from starforge.catalog.load import load_catalog
from starforge.lab.experiment import load_experiment
from starforge.lab.resolve import resolve

DATA = Path(__file__).parents[2] / "data/catalog"


@pytest.fixture
def catalog():
    return load_catalog(DATA)


@pytest.fixture
def write(tmp_path):
    """Write an experiment folder: ``write(experiment=..., config=..., files={...})``."""

    def write(experiment="method: mini/train\n", config=None, files=None, name="exp"):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "experiment.yaml").write_text(experiment, "utf-8")
        if config is not None:
            (folder / "config.yaml").write_text(config, "utf-8")
        for relative, content in (files or {}).items():
            path = folder / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8")
        return folder

    return write


@pytest.fixture
def resolved(write, catalog):
    """Resolve an experiment of mini/train (or ``method``) and return (config, findings)."""

    def resolved(params="", config=None, sets=(), method="mini/train"):
        body = f"method: {method}\n" + (f"params: {params}\n" if params else "")
        experiment, findings = load_experiment(write(body, config))
        recipe = catalog.recipe(method)
        made, more = resolve(experiment, recipe, catalog.contract(recipe), sets)
        return made, findings + more

    return resolved

"""Registered datasets and models."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from starforge.server.api.deps import CoreDep, require_user
from starforge.server.services import datasets, models, views
from starforge.server.store import registry as store
from starforge.wire.datasets import Dataset, DatasetCreate
from starforge.wire.models import Model, ModelCreate

router = APIRouter(tags=["registry"], dependencies=[Depends(require_user)])

PAGE = 1000


def _ref(name: str, version: str) -> str:
    return name if version == "latest" else f"{name}@{version}"


@router.get("/datasets")
def list_datasets(core: CoreDep, search: str | None = None) -> list[Dataset]:
    """All versions of all datasets, newest first."""
    with core.db.read() as tx:
        found = store.datasets(tx, search=search, limit=PAGE)
    return [views.dataset(row) for row in found.rows]


@router.post("/datasets", status_code=201)
def add_dataset(body: DatasetCreate, core: CoreDep) -> Dataset:
    """Register an uploaded file."""
    return views.dataset(datasets.create(core, body))


@router.get("/datasets/{name}")
def dataset_versions(name: str, core: CoreDep) -> list[Dataset]:
    """All versions of one dataset, newest first."""
    with core.db.read() as tx:
        store.dataset(tx, name)
        found = store.datasets(tx, name=name, limit=PAGE)
    return [views.dataset(row) for row in found.rows]


@router.get("/datasets/{name}/{version}")
def dataset(name: str, version: str, core: CoreDep) -> Dataset:
    """One version of a dataset."""
    with core.db.read() as tx:
        return views.dataset(store.dataset(tx, _ref(name, version)))


@router.get("/models")
def list_models(core: CoreDep, search: str | None = None) -> list[Model]:
    """All versions of all models, newest first."""
    with core.db.read() as tx:
        found = store.models(tx, search=search, limit=PAGE)
    return [views.model(row) for row in found.rows]


@router.post("/models", status_code=201)
def add_model(body: ModelCreate, core: CoreDep) -> Model:
    """Register a folder, a job's model, or uploaded files."""
    return views.model(models.create(core, body))


@router.get("/models/{name}")
def model_versions(name: str, core: CoreDep) -> list[Model]:
    """All versions of one model, newest first."""
    with core.db.read() as tx:
        store.model(tx, name)
        found = store.models(tx, name=name, limit=PAGE)
    return [views.model(row) for row in found.rows]


@router.get("/models/{name}/{version}")
def model(name: str, version: str, core: CoreDep) -> Model:
    """One version of a model."""
    with core.db.read() as tx:
        return views.model(store.model(tx, _ref(name, version)))

"""Methods, and validating and planning experiments."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends

from starforge.server.api.deps import CoreDep, LangDep, require_user
from starforge.wire.findings import Planned, PrepareRequest, Validation
from starforge.wire.methods import MethodDetail, MethodSummary

router = APIRouter(tags=["catalog"], dependencies=[Depends(require_user)])


@router.get("/methods", response_model=list[MethodSummary])
def methods(
    core: CoreDep,
    data: str | None = None,
    framework: str | None = None,
    search: str | None = None,
) -> list[dict[str, Any]]:
    """Methods of the catalog."""
    from starforge.catalog.public import summary
    from starforge.catalog.search import search as search_catalog

    found = search_catalog(core.catalog, data=data, framework=framework, text=search)
    return [summary(one) for one in found]


@router.get("/methods/{framework}/{name}", response_model=MethodDetail)
def method(framework: str, name: str, core: CoreDep) -> dict[str, Any]:
    """One method with parameters, pins and metrics."""
    from starforge.catalog.public import detail

    return detail(core.catalog.recipe(f"{framework}/{name}"))


@router.post("/validate")
def validate(body: PrepareRequest, core: CoreDep, lang: LangDep) -> Validation:
    """Everything the checks have to say about an uploaded experiment."""
    from starforge.server.services import preparation  # loads the lab: not at every start

    with preparation.prepared(core, body) as made:
        return preparation.validation(made, lang)


@router.post("/plan")
def plan(body: PrepareRequest, core: CoreDep, lang: LangDep) -> Planned:
    """The launch plan of an uploaded experiment."""
    from starforge.server.services import preparation  # loads the lab: not at every start

    with preparation.prepared(core, body) as made:
        return preparation.planned(made, lang)

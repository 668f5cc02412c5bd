"""Methods, and validating and planning experiments."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response

from starforge.server.api.deps import CoreDep, LangDep, require_user
from starforge.wire.findings import Explanation, Planned, PrepareRequest, Validation
from starforge.wire.keys import NativeKeys
from starforge.wire.methods import CatalogFiles, CatalogInfo, LeftOut, MethodDetail, MethodSummary

router = APIRouter(tags=["catalog"], dependencies=[Depends(require_user)])


@router.get("/methods", response_model=list[MethodSummary])
def methods(
    core: CoreDep,
    lang: LangDep,
    data: str | None = None,
    framework: str | None = None,
    search: str | None = None,
) -> list[dict[str, Any]]:
    """Methods that this server publishes."""
    from starforge.server.services import published

    return published.methods(core, lang, data=data, framework=framework, text=search)


@router.get("/methods/{framework}/{name}/keys")
def native_keys(
    *,
    framework: str,
    name: str,
    core: CoreDep,
    lang: LangDep,
    search: str | None = None,
    limit: Annotated[int, Query(ge=1, le=5000)] = 100,
) -> NativeKeys:
    """Native keys of the method's framework, for completion."""
    from starforge.server.services import keys

    return keys.keys(core, f"{framework}/{name}", lang, search=search, limit=limit)


@router.get("/methods/{framework}/{name}", response_model=MethodDetail)
def method(framework: str, name: str, core: CoreDep, lang: LangDep) -> dict[str, Any]:
    """One method with parameters, pins and metrics."""
    from starforge.server.services import published

    return published.method(core, f"{framework}/{name}", lang)


@router.get("/catalog")
def catalog(core: CoreDep) -> CatalogInfo:
    """What is published with its digests, what is hidden, what is broken."""
    from starforge.server.services import published

    return published.info(core)


@router.get("/catalog/left-out")
def catalog_left_out(core: CoreDep) -> LeftOut:
    """What is hidden or broken; cheap."""
    from starforge.server.services import published

    return published.left_out(core)


@router.get("/catalog/files", response_model=CatalogFiles)
def catalog_files(core: CoreDep, if_none_match: Annotated[str | None, Header()] = None) -> Response:
    """The deployment's own catalog files, for clients to prepare experiments with."""
    from starforge.server.services import published

    found = published.files(core)
    etag = f'"{found.digest[:32]}-{len(found.without)}"'
    if if_none_match == etag:
        return Response(status_code=304, headers={"ETag": etag})
    return Response(found.model_dump_json(), media_type="application/json", headers={"ETag": etag})


@router.get("/findings/{area}/{name}")
def explanation(area: str, name: str, lang: LangDep) -> Explanation:
    """Why there are findings of this code and how to mend them, as `sf explain` says it."""
    from starforge.server.services import explanations  # loads every check: not at every start

    return explanations.explanation(f"{area}/{name}", lang)


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

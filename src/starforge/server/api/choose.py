"""Choosing a method: by the data at hand, or by a few questions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from starforge.server.api.deps import CoreDep, LangDep, require_user
from starforge.wire.choose import Flowchart, Suggested, SuggestRequest

router = APIRouter(tags=["choose"], dependencies=[Depends(require_user)])


@router.post("/suggest")
def suggest(body: SuggestRequest, core: CoreDep, lang: LangDep) -> Suggested:
    """Say what kind of data these are and which methods fit, as `sf suggest` does."""
    from starforge.server.services import choosing  # loads the lab: not at every start

    return choosing.suggest(core, body, lang)


@router.get("/choose")
def choose(core: CoreDep, gpus: Annotated[int | None, Query(ge=0)] = None) -> Flowchart:
    """The flowchart of choosing a method, as questions with answers."""
    from starforge.server.services import choosing

    return choosing.flowchart(core, gpus)

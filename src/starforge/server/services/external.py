"""Scores of other sources: kept, listed, removed."""

from __future__ import annotations

import msgspec

from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.errors import not_found
from starforge.server.store import external as store
from starforge.wire import external as wire
from starforge.wire.base import from_unix


def add(core: Core, body: wire.ExternalScores) -> wire.ExternalAdded:
    """Keep scores."""
    rows = [store.NewExternal(**one.model_dump()) for one in body.scores]
    with core.db.write() as tx:
        new = store.add(tx, rows)
    return wire.ExternalAdded(added=new, known=len(rows) - new)


def find(core: Core, *, benchmark: str | None, model: str | None) -> list[wire.ExternalScore]:
    """Return scores by benchmark, metric and model."""
    with core.db.read() as tx:
        rows = store.find(tx, benchmark=benchmark, model=model)
    return [
        wire.ExternalScore.model_validate(
            msgspec.structs.asdict(row) | {"added_at": from_unix(row.added_at)}
        )
        for row in rows
    ]


def remove(core: Core, ident: int) -> None:
    """Remove one; a 404 when it is not there."""
    with core.db.write() as tx:
        if store.remove(tx, ident):
            return
    raise not_found(
        Text(f"there is no external score {ident}", f"没有编号为 {ident} 的外部得分"),
        Text("`sf board ls` lists them", "用 `sf board ls` 查看"),
        code="board/no-external",
    )

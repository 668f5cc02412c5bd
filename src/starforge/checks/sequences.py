"""Lengths of sequences against what the engine that samples them, or the trainer, can hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from starforge.checks import rules_training as rules
from starforge.findings import Finding
from starforge.lab.context import PrepareContext


def check_fits(context: PrepareContext, holder: str, parts: Iterable[str]) -> Iterator[Finding]:
    """Yield a finding when the lengths at ``parts`` add up to more than the one at ``holder``.

    All are native paths of numbers of tokens; one that is not set is left out.
    """
    config = context.config
    limit = config.get(holder)
    lengths = {path: config.get(path) for path in parts}
    given = {path: n for path, n in lengths.items() if isinstance(n, int) and n > 0}
    needed = sum(given.values())
    if not isinstance(limit, int) or limit <= 0 or needed <= limit:
        return
    names = {p.path: p.name for p in context.recipe.parameters}
    shown = " + ".join(f"`{names.get(path, path)}` {n}" for path, n in given.items())
    total = f" = {needed}" if len(given) > 1 else ""
    yield rules.DO_NOT_FIT.at(
        config.at(holder), parts=f"{shown}{total}", holder=names.get(holder, holder),
        limit=limit,
    )  # fmt: skip

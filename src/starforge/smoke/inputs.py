"""Gives ``prepare`` the stand-ins and the chosen rows in the place of what is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starforge.checks.chat_template import TemplateError
from starforge.checks.tokens import meter_of
from starforge.errors import StarForgeError
from starforge.findings import Finding
from starforge.i18n import Text
from starforge.lab.context import DataSource, PrepareContext
from starforge.lab.inputs import LocalResolver, rows_digest
from starforge.plan import InputRef
from starforge.smoke import rows
from starforge.smoke.shrink import Shrunk

PROMPTED = ("verifiable", "prompts")  # kinds of data whose answers are sampled


class SmokeResolver(LocalResolver):
    """Answers every reference with what was made for it."""

    offline = False

    def __init__(
        self,
        context: PrepareContext,
        models: dict[str, InputRef],
        data: dict[str, DataSource],
    ) -> None:
        super().__init__(context.experiment.folder, context.lab_root)
        self._models = models
        self._sources = data

    def model(self, reference: str, name: str = "model") -> InputRef | Finding:
        """Return the stand-in of a role; a step of ``then`` has none of its own."""
        return self._models.get(name) or super().model(reference, name)

    def data(self, reference: str, split: str) -> DataSource | Finding:
        """Return the chosen rows of a split, or the split itself where all are used."""
        return self._sources.get(split) or super().data(reference, split)


def choose_rows(
    context: PrepareContext, shrunk: Shrunk, work: Path
) -> tuple[dict[str, DataSource], dict[str, rows.Chosen]]:
    """Write the rows of every split below ``work``; return them with what was chosen.

    Raises :class:`StarForgeError` when rows lie on a server only.
    """
    sources: dict[str, DataSource] = {}
    chosen: dict[str, rows.Chosen] = {}
    if shrunk.rows is None:
        return sources, chosen
    columns = ("prompt",) if context.recipe.data.kind in PROMPTED else ()
    for split, source in context.data.items():
        if source.path is None:
            raise _elsewhere(source)
        count = shrunk.rows if split == "train" else min(shrunk.rows, 2)
        found = rows.choose(
            source, count, limit=shrunk.tokens, columns=columns, fits=_measure(context, shrunk)
        )
        # Training goes on to its second step, however few rows there are.
        least = count if split == "train" and shrunk.mode == "train" else 0
        sources[split] = taken(source, found, work, least)
        chosen[split] = found
    return sources, chosen


def _measure(context: PrepareContext, shrunk: Shrunk) -> rows.Fits | None:
    """Return what counts a row's tokens with the model's tokenizer, where that is here."""
    meter, limit = meter_of(context), shrunk.tokens
    if meter is None or limit is None:
        return None
    prompted = context.recipe.data.kind in PROMPTED

    def fits(row: dict[str, Any]) -> bool:
        try:
            measured = meter.measure(row)
        except (TemplateError, KeyError, TypeError, AttributeError, ValueError):
            return True  # what the template makes of it is to be seen
        tokens = measured.prompt if prompted else measured.total
        return (tokens or 0) <= limit

    return fits


def taken(source: DataSource, chosen: rows.Chosen, folder: Path, least: int = 0) -> DataSource:
    """Return a source of the chosen rows only, in a file of ``folder``."""
    split = source.split
    path = rows.write(source, chosen, least, folder / f"{split}.jsonl")
    digest, number = rows_digest(path)
    ref = InputRef(name=f"data.{split}", kind="blob", location=digest, digest=digest,
                   file=f"{split}.jsonl", rows=number)  # fmt: skip
    return DataSource(split=split, ref=ref, shown=source.shown, path=path)


def _elsewhere(source: DataSource) -> StarForgeError:
    return StarForgeError(
        "smoke/rows-elsewhere",
        Text(f"the rows of {source.shown} lie on a server, not on this machine",
             f"{source.shown} 的数据在服务上，不在本机"),
        Text(f"try it with a file of some of these rows: copy them into the experiment and name "
             f"the file as `data.{source.split}`",
             f"请取其中若干行存成实验里的文件，并写成 `data.{source.split}` 再试"),
    )  # fmt: skip

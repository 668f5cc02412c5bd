"""Data and models that ``sf new`` is given, as a new experiment names them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from starforge.lang import t

if TYPE_CHECKING:
    from starforge.catalog.models import Recipe
    from starforge.lab.lab import Lab
    from starforge.lab.scaffold import OwnData


def with_models(recipe: Recipe, model: str | None, teacher: str | None) -> Recipe:
    """Return the recipe with these models in its scaffold."""
    for word, given, need in (("model", model, recipe.model), ("teacher", teacher, recipe.teacher)):
        if given is not None and need == "none":
            raise click.UsageError(
                t(
                    "{method} takes no {word}",
                    "{method} 不需要 {word}",
                    method=recipe.name,
                    word=word,
                )
            )
    models = {"model": model, "teacher": teacher}
    said = {key: value for key, value in models.items() if value is not None}
    scaffold = msgspec.structs.replace(recipe.scaffold, **said)
    return msgspec.structs.replace(recipe, scaffold=scaffold)


def with_reward(recipe: Recipe, kind: str | None, *, sample: bool) -> tuple[Recipe, dict[str, str]]:
    """Return the recipe for a reward file of this kind, and the files it brings."""
    from starforge.lab.reward_kinds import reward_files, with_reward_file
    from starforge.lang import current_lang

    if kind is None:
        return recipe, {}
    if recipe.reward == "none":
        raise click.UsageError(
            t("{method} takes no reward", "{method} 不需要奖励", method=recipe.name)
        )
    rows = max(1, recipe.scaffold.rows) if sample else 0
    return with_reward_file(recipe), reward_files(kind, current_lang(), sample_rows=rows)


def own_data(lab: Lab, recipe: Recipe, data: Path | None, renames: Sequence[str]) -> OwnData | None:
    """Return the data for a new experiment, once they were looked at.

    JSON lines are named where they lie: below the lab relative to it, else in full. Rows of
    any other format are written into the experiment. Raises :class:`StarForgeError` for a
    file that can't be read and for a column that is not there.
    """
    from starforge.choose.columns import parse_map, rename
    from starforge.choose.source import LINES, read_source, write_lines
    from starforge.lab.scaffold import OwnData
    from starforge.lab.templates import SAMPLE_FILE

    columns = parse_map(renames)
    if data is None:
        if columns:
            raise click.UsageError(t("--map goes with --data", "--map 要与 --data 一起使用"))
        return None
    if recipe.data.train == "none":
        raise click.UsageError(
            t("{method} takes no training data", "{method} 不需要训练数据", method=recipe.name)
        )
    source = read_source(data)
    rename(source.rows, columns)  # says so when a column is not there
    file = source.file.absolute()
    if file.suffix.lower() in LINES:
        inside = file.is_relative_to(lab.root)
        train = file.relative_to(lab.root).as_posix() if inside else str(file)
        return OwnData(train=train, columns=columns)
    return OwnData(
        train=SAMPLE_FILE, columns=columns, write=lambda target: write_lines(file, target)
    )

"""The generated pages for choosing: the flowchart of methods, and the formats of data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs_methods import page_name

from starforge.catalog.load import Catalog
from starforge.catalog.models import DataKind, Recipe
from starforge.choose.columns import NAMES, PASS_RATES, PROCESS_REWARDS
from starforge.choose.flowchart import mermaid
from starforge.choose.kinds import KINDS
from starforge.choose.rules import BRANCHES, Advice, Branch
from starforge.lang import current_lang, t

INTROS = Path(__file__).parent / "docs_intro"


def choose_page(catalog: Catalog) -> str:
    """Return the page about choosing a method, in the language of this process."""
    parts = [_intro("choose"), "", "```mermaid", mermaid(), "```", ""]
    for branch in BRANCHES:
        parts += [f"## {KINDS[branch.kind].title.pick()}", "", *_branch(branch, catalog), ""]
    return "\n".join(parts)


def _branch(branch: Branch, catalog: Catalog) -> Iterator[str]:
    yield KINDS[branch.kind].about.pick()
    yield ""
    yield (f"| {t('method', '方法')} | {t('why', '理由')} | {t('comes first when', '何时优先')} "
           f"| {t('without a GPU', '没有 GPU')} |")  # fmt: skip
    yield "| --- | --- | --- | --- |"
    for advice in branch.advice:
        recipe = catalog.recipe(advice.method)
        cpu = t("runs", "可运行") if recipe.minimum.gpus == 0 else ""
        link = f"[`{advice.method}`](methods/{page_name(advice.method)})"
        yield f"| {link} | {advice.reason.pick()} | {_condition(advice)} | {cpu} |"


def _condition(advice: Advice) -> str:
    lifts = advice.lifted_by or advice.only_with
    return advice.when.pick() if advice.when is not None and lifts else ""


def formats_page(catalog: Catalog) -> str:
    """Return the page about formats of data, in the language of this process."""
    parts = [_intro("data-formats"), ""]
    for kind in KINDS:
        recipes = [catalog.recipe(h.name) for h in catalog.headers() if h.data == kind]
        if recipes and kind != "none":
            parts += [*_kind(kind, recipes), ""]
    parts += [*_aliases(), ""]
    return "\n".join(parts)


def _kind(kind: DataKind, recipes: list[Recipe]) -> Iterator[str]:
    about = KINDS[kind]
    yield f"## {about.title.pick()}"
    yield ""
    yield about.about.pick()
    yield ""
    for shape in dict.fromkeys(tuple(shape) for one in recipes for shape in one.data.shapes):
        takers = [one for one in recipes if list(shape) in one.data.shapes]
        columns = " + ".join(f"`{column}`" for column in shape)
        links = t(", ", "、").join(
            f"[`{one.name}`](methods/{page_name(one.name)})" for one in takers
        )
        yield f"**{columns}**{t(': ', '：')}{links}"
        yield ""
        yield "```json"
        yield from (json.dumps(row, ensure_ascii=False) for row in _rows(shape, takers))
        yield "```"
        yield ""


def _rows(shape: tuple[str, ...], takers: list[Recipe]) -> Iterator[dict[str, Any]]:
    """Yield a row as text and one as messages, from the recipes' own examples."""
    examples = [
        row
        for one in takers
        for row in one.data.example
        if max((s for s in one.data.shapes if row.keys() >= set(s)), key=len) == list(shape)
    ]
    if examples:
        seen: set[tuple[str, ...]] = set()
        for row in examples:
            form = tuple(type(row[column]).__name__ for column in shape)
            if form not in seen:
                seen.add(form)
                yield row
    elif shape == ("text",):
        yield {"text": t("The whole text to go on learning from.", "用于继续学习的完整文本。")}
    else:
        yield _example(shape)


def _example(shape: tuple[str, ...]) -> dict[str, Any]:
    user = {"role": "user", "content": "2 + 2?"}
    texts = {"chosen": "4", "rejected": "5", "completion": "4", "prompt": "2 + 2?"}
    if "prompt" in shape:
        return {column: texts.get(column, "...") for column in shape}
    return {column: [user, {"role": "assistant", "content": texts[column]}] for column in shape}


def _aliases() -> Iterator[str]:
    yield f"## {t('Names that are recognised', '能识别的列名')}"
    yield ""
    yield t("`sf suggest` knows these names for columns and gives the `--map` that renames them.",
            "`sf suggest` 认识下列列名，并给出相应的 `--map`。")  # fmt: skip
    yield ""
    yield f"| {t('column', '列')} | {t('also called', '别名')} |"
    yield "| --- | --- |"
    for column, names in NAMES.items():
        yield f"| `{column}` | {', '.join(f'`{name}`' for name in names)} |"
    yield (f"| {t('rewards of steps', '过程奖励')} "
           f"| {', '.join(f'`{name}`' for name in PROCESS_REWARDS)} |")  # fmt: skip
    yield f"| {t('pass rate', '通过率')} | {', '.join(f'`{name}`' for name in PASS_RATES)} |"


def _intro(page: str) -> str:
    return (INTROS / f"{page}.{current_lang()}.md").read_text("utf-8").rstrip()

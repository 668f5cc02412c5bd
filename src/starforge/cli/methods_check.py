"""``sf methods --check``: the catalog against the packages that are installed here."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from starforge.catalog.load import Catalog, load_catalog
from starforge.cli.output import note, print_json, print_table, say
from starforge.home import starforge_home
from starforge.lang import t
from starforge.proofs import Case, Outcome, cases_of, prove
from starforge.proofs.environment import how_to_get, python_for

Row = dict[str, Any]


def check_methods(names: list[str], *, as_json: bool) -> bool:
    """Prove the plans of ``names``; print a table; return whether nothing was refused.

    A method whose framework is not installed here is not proved, and that is said.
    """
    catalog = load_catalog()
    rows = {name: _row(catalog, name) for name in names}
    frameworks = {catalog.recipe(name).framework: None for name in names}
    for framework in frameworks:
        own = [name for name in names if catalog.recipe(name).framework == framework]
        _prove(catalog, framework, {name: rows[name] for name in own})
    if as_json:
        print_json(list(rows.values()))
    else:
        _show(list(rows.values()))
    return all(row["ok"] is not False for row in rows.values())


def _row(catalog: Catalog, name: str) -> Row:
    recipe = catalog.recipe(name)
    keys = len(catalog.contract(recipe).configs[recipe.config].keys)
    return {
        "method": name, "pin": recipe.pin, "parameters": len(recipe.parameters), "keys": keys,
        "cases": 0, "checked": 0, "ok": None, "problems": [], "missing": None,
    }  # fmt: skip


def _prove(catalog: Catalog, framework: str, rows: dict[str, Row]) -> None:
    """Fill in the rows of one framework, which is imported once for all of them."""
    recipe = catalog.recipe(next(iter(rows)))
    python = python_for(recipe, starforge_home())
    if recipe.runtime == "none" or python is None:
        own = t("runs your own script", "运行你自己的脚本")
        for row in rows.values():
            row["missing"] = own if recipe.runtime == "none" else how_to_get(recipe)
        return
    note(t("proving {name} ...", "正在验证 {name} ……", name=recipe.pin))
    cases: dict[str, list[Case]] = {}
    for name in rows:
        with tempfile.TemporaryDirectory() as work:
            cases[name] = cases_of(catalog, name, Path(work))
    every = [case for of_one in cases.values() for case in of_one]
    outcomes = {one.name: one for one in prove(framework, every, python)}
    for name, row in rows.items():
        row.update(_joined([outcomes[case.name] for case in cases[name]]))


def _joined(outcomes: list[Outcome]) -> Row:
    problems = [f"{one.name}: {problem}" for one in outcomes for problem in one.problems]
    return {
        "cases": len(outcomes),
        "checked": sum(one.checked for one in outcomes),
        "ok": all(one.ok for one in outcomes),
        "problems": problems,
    }


def _show(rows: list[Row]) -> None:
    words = {True: t("accepted", "通过"), False: t("REFUSED", "被拒绝"), None: "-"}
    print_table(
        [t("method", "方法"), t("pin", "版本"), t("parameters", "参数"),
         t("contract keys", "契约键"), t("cases", "用例"), t("values compared", "核对的值"),
         t("upstream", "上游")],
        [
            (row["method"], row["pin"], row["parameters"], row["keys"], row["cases"],
             row["checked"], row["missing"] or words[row["ok"]])
            for row in rows
        ],
    )  # fmt: skip
    for row in rows:
        for problem in row["problems"]:
            say(f"  {problem}")

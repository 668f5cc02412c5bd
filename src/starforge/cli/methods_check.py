"""``sf methods --check``: the catalog against the packages that are installed here."""

from __future__ import annotations

import tempfile
from pathlib import Path

from starforge.catalog.load import Catalog, load_catalog
from starforge.cli.output import note, print_json, print_table, say
from starforge.home import starforge_home
from starforge.lang import t
from starforge.proofs import Outcome, cases_of, prove
from starforge.proofs.environment import how_to_get, python_for


def check_methods(names: list[str], *, as_json: bool) -> bool:
    """Prove the plans of ``names``; print a table; return whether nothing was refused.

    A method whose framework is not installed here is not proved, and that is said.
    """
    catalog = load_catalog()
    rows = [_check(catalog, name) for name in names]
    if as_json:
        print_json(rows)
    else:
        _show(rows)
    return all(row["ok"] is not False for row in rows)


def _check(catalog: Catalog, name: str) -> dict[str, object]:
    recipe = catalog.recipe(name)
    keys = len(catalog.contract(recipe).configs[recipe.config].keys)
    row: dict[str, object] = {
        "method": name, "pin": recipe.pin, "parameters": len(recipe.parameters), "keys": keys,
        "cases": 0, "checked": 0, "ok": None, "problems": [], "missing": None,
    }  # fmt: skip
    if recipe.runtime == "none":
        row["missing"] = t("runs your own script", "运行你自己的脚本")
        return row
    python = python_for(recipe, starforge_home())
    if python is None:
        row["missing"] = how_to_get(recipe)
        return row
    note(t("proving {name} ...", "正在验证 {name} ……", name=name))
    with tempfile.TemporaryDirectory() as work:
        outcomes = prove(recipe.framework, cases_of(catalog, name, Path(work)), python)
    return row | _joined(outcomes)


def _joined(outcomes: list[Outcome]) -> dict[str, object]:
    problems = [f"{one.name}: {problem}" for one in outcomes for problem in one.problems]
    return {
        "cases": len(outcomes),
        "checked": sum(one.checked for one in outcomes),
        "ok": all(one.ok for one in outcomes),
        "problems": problems,
    }


def _show(rows: list[dict[str, object]]) -> None:
    words = {True: t("accepted", "通过"), False: t("REFUSED", "被拒绝"), None: "-"}
    print_table(
        [t("method", "方法"), t("pin", "版本"), t("parameters", "参数"),
         t("contract keys", "合约键"), t("cases", "用例"), t("values compared", "核对的值"),
         t("upstream", "上游")],
        [
            (row["method"], row["pin"], row["parameters"], row["keys"], row["cases"],
             row["checked"], row["missing"] or words[row["ok"]])  # type: ignore[index]
            for row in rows
        ],
    )  # fmt: skip
    for row in rows:
        for problem in row["problems"]:  # type: ignore[attr-defined]
            say(f"  {problem}")

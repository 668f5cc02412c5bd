"""Re-extract contracts from the real packages; show what changed and which recipes it touches.

python scripts/contracts.py                        every framework whose runtime is installed
python scripts/contracts.py --check                compare only; exit 1 on a change
python scripts/contracts.py trl --python PYTHON    another version: compare, store beside the old

Each ``frameworks/<name>/contract.py`` runs by itself inside an environment that has the
framework and prints the contract as JSON. NeMo-RL, which is no package, is read from the
checkout that ``STARFORGE_NEMO_RL_SRC`` names.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import starforge
from starforge.catalog.load import Catalog, load_catalog
from starforge.catalog.models import Recipe
from starforge.frameworks.base import module_name
from starforge.home import starforge_home
from starforge.proofs.environment import how_to_get, python_for

PACKAGE = Path(starforge.__file__).parent
CONTRACTS = PACKAGE / "catalog" / "data" / "contracts"
Contract = dict[str, Any]


def script_of(framework: str) -> Path:
    """Return the extraction of a framework; it may not exist (``custom``)."""
    return PACKAGE / "frameworks" / module_name(framework) / "contract.py"


def extract(framework: str, python: Path) -> Contract:
    """Run a framework's own extraction with ``python``."""
    done = subprocess.run(
        [str(python), str(script_of(framework))], check=True, capture_output=True, text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    return json.loads(done.stdout)


def compare(old: Contract, new: Contract) -> list[str]:
    """Say key by key what is gone, new or moved."""
    lines: list[str] = []
    for config in sorted(old.get("configs", {}).keys() | new["configs"].keys()):
        before, after = _keys(old, config), _keys(new, config)
        lines += [f"{config}: gone     {key}" for key in sorted(before.keys() - after.keys())]
        lines += [f"{config}: new      {key}" for key in sorted(after.keys() - before.keys())]
        for key in sorted(before.keys() & after.keys()):
            lines += [f"{config}: {moved}" for moved in _moved(key, before[key], after[key])]
    if old.get("packages") != new.get("packages"):
        lines.append(f"packages: {old.get('packages')} -> {new.get('packages')}")
    return lines


def _keys(contract: Contract, config: str) -> dict[str, dict[str, Any]]:
    return contract.get("configs", {}).get(config, {}).get("keys", {})


def _moved(key: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    for field in sorted(before.keys() | after.keys()):
        if before.get(field) != after.get(field):
            word = "default" if field == "default" else field
            yield f"{word:8} {key}: {before.get(field)!r} -> {after.get(field)!r}"


def affected(recipe: Recipe, old: Contract, new: Contract) -> list[str]:
    """Say what of a recipe a new contract breaks or changes."""
    before, after = _keys(old, recipe.config), _keys(new, recipe.config)
    if not after:
        return [f"its configuration `{recipe.config}` is gone"]
    named = [(p.path, f"parameter `{p.name}`") for p in recipe.parameters]
    named += [(pin.path, "a pin") for pin in recipe.pins]
    named += [(p, f"preset `{preset.name}`") for preset in recipe.presets
              for option in preset.options.values() for p in option.values]  # fmt: skip
    lines = []
    for path, what in dict.fromkeys(named):
        if path in before and path not in after:
            lines.append(f"{what}: `{path}` is gone")
        elif path in before and before[path] != after.get(path):
            changes = "; ".join(" ".join(line.split()) for line in
                                _moved(path, before[path], after[path]))  # fmt: skip
            lines.append(f"{what}: {changes}")
    return lines


def _refresh(catalog: Catalog, framework: str, python: Path, *, check: bool) -> bool:
    """Compare one framework with its stored contract; return whether it changed."""
    recipes = [r for r in map(catalog.recipe, catalog.names()) if r.framework == framework]
    stored = CONTRACTS / f"{framework}-{recipes[0].version}.json"
    new = extract(framework, python)
    path = CONTRACTS / f"{framework}-{new['version']}.json"
    old = json.loads(stored.read_text("utf-8")) if stored.exists() else {}
    lines = compare(old, new)
    print(f"{framework}@{recipes[0].version} -> {new['version']}: {len(lines)} changes")
    print("".join(f"  {line}\n" for line in lines), end="")
    for recipe in recipes:
        for line in affected(recipe, old, new):
            print(f"  {recipe.name}: {line}")
    if lines and not check:
        path.write_text(json.dumps(new, indent=1, sort_keys=True) + "\n", "utf-8")
        print(f"  wrote {path.name}")
    return bool(lines)


def main() -> int:
    """Compare the frameworks asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("frameworks", nargs="*", help="default: all that are installed here")
    parser.add_argument("--python", type=Path, help="an interpreter that has another version")
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a change")
    args = parser.parse_args()
    if args.python and len(args.frameworks) != 1:
        parser.error("--python goes with one framework")
    catalog, changed = load_catalog(), False
    recipes = {r.framework: r for r in map(catalog.recipe, catalog.names())}
    for framework in args.frameworks or sorted(recipes):
        if framework not in recipes or not script_of(framework).exists():
            if args.frameworks:
                parser.error(f"there is no extraction for `{framework}`")
            continue
        python = args.python or python_for(recipes[framework], starforge_home())
        if python is None:
            print(f"{framework}: not compared; {how_to_get(recipes[framework])}")
            changed = changed or args.check
            continue
        changed = _refresh(catalog, framework, python, check=args.check) or changed
    return int(args.check and changed)


if __name__ == "__main__":
    sys.exit(main())

"""Re-extract every contract from its real package; show what changed and store it.

``python scripts/contracts.py`` rewrites the stored contracts; ``--check`` only compares.
Each ``frameworks/<name>/contract.py`` runs by itself inside the framework's runtime and
prints the contract as JSON.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import starforge
from starforge.catalog.load import load_catalog
from starforge.home import starforge_home
from starforge.runtimes import detect_device, find

PACKAGE = Path(starforge.__file__).parent
CONTRACTS = PACKAGE / "catalog" / "data" / "contracts"


def extract(framework: str, python: Path) -> dict[str, Any]:
    """Run a framework's own extraction inside its runtime."""
    script = PACKAGE / "frameworks" / framework / "contract.py"
    done = subprocess.run([str(python), str(script)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def compare(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Say key by key what is gone, new or moved."""
    lines: list[str] = []
    for config in sorted(old.get("configs", {}).keys() | new["configs"].keys()):
        before = old.get("configs", {}).get(config, {}).get("keys", {})
        after = new["configs"].get(config, {}).get("keys", {})
        lines += [f"{config}: gone     {key}" for key in sorted(before.keys() - after.keys())]
        lines += [f"{config}: new      {key}" for key in sorted(after.keys() - before.keys())]
        lines += [
            f"{config}: changed  {key}: {before[key]} -> {after[key]}"
            for key in sorted(before.keys() & after.keys())
            if before[key] != after[key]
        ]
    if old.get("packages") != new.get("packages"):
        lines.append(f"packages: {old.get('packages')} -> {new.get('packages')}")
    return lines


def main() -> int:
    """Compare every contract that has an extraction and an installed runtime."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a change")
    check = parser.parse_args().check
    catalog, changed = load_catalog(), False
    recipes = {r.framework: r for r in map(catalog.recipe, catalog.names())}
    for framework, recipe in sorted(recipes.items()):
        if not (PACKAGE / "frameworks" / framework / "contract.py").exists():
            continue
        runtime = find(starforge_home(), recipe.runtime, detect_device())
        if runtime is None:
            print(f"{framework}: runtime {recipe.runtime} is not installed, not compared")
            changed = changed or check
            continue
        path = CONTRACTS / f"{framework}-{recipe.version}.json"
        new = extract(framework, runtime.python)
        old = json.loads(path.read_text("utf-8")) if path.exists() else {}
        lines = compare(old, new)
        print(f"{framework}@{recipe.version}: {len(lines)} changes")
        print("\n".join(f"  {line}" for line in lines), end="\n" if lines else "")
        if lines and not check:
            path.write_text(json.dumps(new, indent=1, sort_keys=True) + "\n", "utf-8")
        changed = changed or bool(lines)
    return int(check and changed)


if __name__ == "__main__":
    sys.exit(main())

"""Extract the model architectures that a framework's pinned transformers knows: names only.

python scripts/architectures.py FRAMEWORK-VERSION TRANSFORMERS_FOLDER [--check]

TRANSFORMERS_FOLDER is the package's folder: of an installed runtime, or of an unpacked wheel.
Nothing of it is imported; the names are read from the literals of its auto classes.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import starforge

TARGET = Path(starforge.__file__).parent / "catalog" / "data" / "architectures"
TYPES = "CONFIG_MAPPING_NAMES"
LANGUAGE = (
    "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES",
    "MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES",
)


def tables(folder: Path) -> dict[str, dict[str, str]]:
    """Return the literal tables of the auto classes: name -> {model type: class names}."""
    found: dict[str, dict[str, str]] = {}
    for name in ("auto_mappings.py", "configuration_auto.py", "modeling_auto.py"):
        file = folder / "models" / "auto" / name
        if file.is_file():
            for table, pairs in _literals(ast.parse(file.read_text("utf-8"))):
                found.setdefault(table, {}).update(pairs)
    return found


def _literals(tree: ast.Module) -> Iterator[tuple[str, dict[str, str]]]:
    for node in tree.body:
        target: ast.expr | None = None
        value: ast.expr | None = None
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign):
            target, value = node.target, node.value
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Attribute) and call.func.attr == "update":
                target, value = call.func.value, call.args[0]
        if isinstance(target, ast.Name) and value is not None:
            yield target.id, dict(_pairs(value))


def _pairs(value: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a dictionary or of ``OrderedDict([...])``; other values have none."""
    pairs: list[tuple[ast.expr | None, ast.expr]] = []
    if isinstance(value, ast.Dict):
        pairs = list(zip(value.keys, value.values, strict=True))
    elif isinstance(value, ast.Call) and value.args:
        inner = value.args[0]
        if isinstance(inner, ast.Dict):
            pairs = list(zip(inner.keys, inner.values, strict=True))
        elif isinstance(inner, ast.List):
            pairs = [
                (one.elts[0], one.elts[1])
                for one in inner.elts
                if isinstance(one, ast.Tuple) and len(one.elts) == 2
            ]
    for key, names in pairs:
        if isinstance(key, ast.Constant):
            classes = names.elts if isinstance(names, ast.Tuple) else [names]
            for one in classes:
                if isinstance(one, ast.Constant):
                    yield str(key.value), str(one.value)


def extract(folder: Path) -> dict[str, object]:
    """Return the version, the model types and the classes of language models."""
    found = tables(folder)
    version = re.search(r'__version__ = "([^"]+)"', (folder / "__init__.py").read_text("utf-8"))
    assert version is not None
    language = {name for table in LANGUAGE for name in found.get(table, {}).values()}
    return {
        "transformers": version[1],
        "types": sorted(found[TYPES]),
        "language": sorted(language),
    }


def main() -> int:
    """Write the names, or say whether they are as written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pin")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    text = json.dumps(extract(chosen.folder), indent=0) + "\n"
    target = TARGET / f"{chosen.pin}.json"
    if chosen.check:
        same = target.is_file() and target.read_text("utf-8") == text
        print("as written" if same else f"{target.name} differs")
        return 0 if same else 1
    target.parent.mkdir(exist_ok=True)
    target.write_text(text, "utf-8")
    print(f"wrote {target.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

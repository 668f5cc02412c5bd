"""The table of rooms in docs/architecture.md, held against the imports of the code."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "starforge"
OPEN = {"i18n", "lang", "errors"}  # "open to all rooms above them"


def room_of(file):
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


@functools.cache
def rooms():
    return {
        path.name.removesuffix(".py")
        for path in SOURCE.iterdir()
        if (path / "__init__.py").is_file() or (path.suffix == ".py" and path.stem != "__init__")
    }


@functools.cache
def table():
    """Room → the words of its row: the rooms that it may import, and what the rest says."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(
        r"^\| (`.+?`) \| .+ \| (.+?) \|$", text.partition("## The experiment")[0], re.M
    )
    return [(re.findall(r"`(\w+)`", names), may) for names, may in rows]


@functools.cache
def allowed():
    """Room → rooms that its row lets it import."""
    found, above = {}, set()
    for names, may in table():
        plain = re.sub(r"\([^)]*\)", "", may)
        words = set(re.findall(r"`(\w+)`", plain)) & rooms()
        if plain.startswith("all of the above but"):
            words = above - words
        elif plain.startswith("all but"):
            words = rooms() - words
        if plain.startswith("each other"):
            words |= set(names)
        found.update(dict.fromkeys(names, words | OPEN))
        above |= set(names)
    return found


@functools.cache
def imports():
    """Room → room it imports → the files that do."""
    found = {}
    for file in sorted(SOURCE.rglob("*.py")):
        if "data" in file.relative_to(SOURCE).parts:
            continue  # files for labs
        for node in ast.walk(ast.parse(file.read_bytes())):
            named = []
            if isinstance(node, ast.Import):
                named = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module == "starforge":
                named = [f"starforge.{one.name}" for one in node.names]
            elif isinstance(node, ast.ImportFrom):
                named = [node.module or ""]
            for target in (name.split(".")[1] for name in named if name.startswith("starforge.")):
                if target in rooms() and target != room_of(file):
                    places = found.setdefault(room_of(file), {}).setdefault(target, set())
                    places.add(str(file.relative_to(SOURCE)))
    return found


def test_every_room_has_one_row():
    named = [name for names, _ in table() for name in names]
    assert sorted(named) == sorted(rooms())


@pytest.mark.parametrize("room", sorted(rooms()))
def test_a_room_imports_what_its_row_says(room):
    wrong = {
        to: files for to, files in imports().get(room, {}).items() if to not in allowed()[room]
    }
    assert not wrong, "the table in docs/architecture.md does not allow this"


def test_every_arrow_of_the_table_is_an_import():
    """A row that names a room is no wish: somebody imports it."""
    real = imports()
    stale = [
        f"{name} → {target}"
        for names, may in table()
        if not may.startswith("all ")
        for target in set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", may))) & rooms()
        if target not in names and not any(target in real.get(name, {}) for name in names)
        for name in names[:1]
    ]
    assert not stale

"""What a deployment publishes: the bundled catalog, its own recipes, minus what it hides.

A deployment's own files lie in one folder of the layout of ``catalog/data``, with two files
more: ``catalog.yaml`` says what is hidden, ``runtimes.yaml`` where frameworks run
(``catalog.deployment``)::

    hide:
      - nemo-rl/*
      - {method: verl/remax, reason: our driver is too old}
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from starforge.catalog.load import DATA, Catalog
from starforge.catalog.source import broken, read_mapping
from starforge.errors import StarForgeError
from starforge.i18n import Text

SETTINGS = "catalog.yaml"
_DEFAULT_REASON = Text("hidden by the administrator", "已被管理员隐藏")
_MAX_FILES = 2000
_MAX_SIZE = 16 << 20


class Publication(msgspec.Struct, frozen=True, kw_only=True):
    """A catalog as a deployment publishes it.

    ``hidden`` are methods left out and why; ``broken`` are own files that can't be used and
    what is wrong with them. A broken file stops nothing but itself.
    """

    catalog: Catalog
    hidden: dict[str, Text] = {}
    broken: dict[str, str] = {}

    def digests(self) -> dict[str, str]:
        """Return every published method with the digest of its recipe."""
        return {name: self.catalog.recipe(name).digest for name in self.catalog.names()}

    def digest(self) -> str:
        """Return one digest of all that is published."""
        lines = (f"{name} {digest}\n" for name, digest in self.digests().items())
        return hashlib.sha256("".join(lines).encode()).hexdigest()


class Publisher:
    """Gives the publication of a folder, made anew when a file of it changed."""

    def __init__(self, folder: Path, root: Path = DATA) -> None:
        self.folder = folder
        self.root = root
        self._seen: object = None
        self._made: Publication | None = None

    def current(self) -> Publication:
        """Return what is published now; cheap when nothing changed."""
        seen = _state(self.folder)
        if self._made is None or seen != self._seen:
            self._made, self._seen = publish(self.folder, self.root), seen
        return self._made


def publish(folder: Path, root: Path = DATA) -> Publication:
    """Return the publication of a deployment's folder, which need not exist."""
    overlay = folder if folder.is_dir() else None
    whole = Catalog(root, overlay)
    problems: dict[str, str] = {}
    hidden: dict[str, Text] = {}
    if overlay is None:
        return Publication(catalog=whole)
    try:
        hidden = _hidden(folder / SETTINGS, whole.names())
    except StarForgeError as error:
        problems[SETTINGS] = error.message.en
    glossary = _own_glossary_problem(whole)
    if glossary is not None:
        # Without its glossary no recipe of the folder can be judged; the bundled ones can.
        return Publication(catalog=Catalog(root, None, frozenset(hidden)), hidden=hidden,
                           broken=problems | {"glossary": glossary})  # fmt: skip
    for name in whole.names():
        if whole.is_own(name):
            try:
                whole.recipe(name)
            except StarForgeError as error:
                problems[f"recipes/{name}.yaml"] = error.message.en
    bad = {path.removeprefix("recipes/").removesuffix(".yaml") for path in problems}
    left_out = frozenset(hidden) | {name for name in bad if name in whole.names()}
    return Publication(catalog=Catalog(root, overlay, left_out), hidden=hidden, broken=problems)


def own_files(folder: Path) -> dict[str, str]:
    """Return a deployment's catalog files by relative path, for clients to work with.

    Only what a catalog is made of: no settings of the deployment, no other files.
    """
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in _files(folder)}


def _hidden(file: Path, names: list[str]) -> dict[str, Text]:
    if not file.is_file():
        return {}
    settings = read_mapping(file)
    unknown = sorted(settings.keys() - {"hide"})
    if unknown:
        raise broken(file, [f"unknown key `{unknown[0]}`; there is `hide`"])
    hidden: dict[str, Text] = {}
    for entry in settings.get("hide") or []:
        pattern, reason = _hide_entry(file, entry)
        for name in fnmatch.filter(names, pattern):
            hidden[name] = reason
    return hidden


def _hide_entry(file: Path, entry: object) -> tuple[str, Text]:
    if isinstance(entry, str):
        return entry, _DEFAULT_REASON
    if isinstance(entry, dict) and isinstance(entry.get("method"), str):
        reason = entry.get("reason")
        if isinstance(reason, dict) and {"en", "zh"} <= reason.keys():
            return entry["method"], Text(str(reason["en"]), str(reason["zh"]))
        if reason is None or isinstance(reason, str):
            return entry["method"], Text(reason, reason) if reason else _DEFAULT_REASON
    raise broken(file, [f"hide: `{entry}` is neither a name nor {{method, reason}}"])


def _own_glossary_problem(catalog: Catalog) -> str | None:
    try:
        _ = catalog.glossary
    except StarForgeError as error:
        return error.message.en
    return None


def _files(folder: Path) -> Iterator[Path]:
    """Yield the catalog files below a deployment's folder, sorted; links are not followed."""
    total = 0
    for part in ("contracts", "glossary", "recipes", "scaffold"):
        for number, path in enumerate(sorted((folder / part).rglob("*"))):
            if path.is_symlink() or not path.is_file() or path.name.startswith("."):
                continue
            total += path.stat().st_size
            if number > _MAX_FILES or total > _MAX_SIZE:
                raise broken(folder / part, ["it holds too many or too large files"])
            yield path


def _state(folder: Path) -> object:
    """Return something that differs when a file of the folder was changed."""
    state = []
    stack = [folder]
    while stack:
        try:
            with os.scandir(stack.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        stack.append(Path(entry.path))
                    else:
                        info = entry.stat()
                        state.append((entry.path, info.st_mtime_ns, info.st_size))
        except OSError:
            continue
    return sorted(state)

"""The catalog: recipes and contracts from package data, loaded when they are needed."""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec

from starforge.catalog.kept import Kept
from starforge.catalog.models import Contract, DataKind, Recipe
from starforge.catalog.source import broken, read_contract, read_glossary, read_mapping
from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Lang, Text

DATA = Path(__file__).parent / "data"


_HEADER_FIELDS = ("algorithm", "framework", "version", "title", "summary", "runtime")


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What a list of methods shows; read without any contract."""

    name: str
    framework: str
    version: str
    algorithm: str
    title: Text
    summary: Text
    data: DataKind
    roles: list[str]
    runtime: str
    same_as: list[str] = []


class Catalog:
    """All methods of one data folder (see its README.md for the format).

    ``overlay`` is a folder of the same layout with a deployment's own recipes; they may use
    contracts, fragments, glossary and scaffold files of ``root``, and one of the same name
    stands in place of it. ``without`` names methods that are left out.

    Files are read when asked for, once. Every method raises :class:`StarForgeError` for an
    unknown method (with the nearest names) and for a file that is not valid.

    ``kept`` holds lists and recipes that earlier processes made of the very same files;
    only for ``root`` as it is, without an overlay and with all of its methods.
    """

    def __init__(
        self,
        root: Path,
        overlay: Path | None = None,
        without: frozenset[str] = frozenset(),
        *,
        kept: Kept | None = None,
    ) -> None:
        self.root = root
        self.overlay = overlay
        self.without = without
        self._kept = kept
        self._roots = [root] if overlay is None else [overlay, root]
        self._raw: dict[str, dict[str, Any]] = {}
        self._recipes: dict[str, Recipe] = {}
        self._contracts: dict[str, Contract] = {}
        self._fragments: dict[Path, dict[str, Any]] = {}

    @cached_property
    def _files(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for root in reversed(self._roots):
            for file in (root / "recipes").glob("*/*.yaml"):
                if not file.stem.startswith("_"):
                    found[f"{file.parent.name}/{file.stem}"] = file
        return {name: found[name] for name in sorted(found) if name not in self.without}

    @cached_property
    def glossary(self) -> dict[str, dict[str, Any]]:
        """Canonical parameter name to its fields."""
        return read_glossary(*(root / "glossary" for root in self._roots))

    @cached_property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """Canonical metric name to its fields; those of the overlay win."""
        found: dict[str, dict[str, Any]] = {}
        for root in reversed(self._roots):
            file = root / "metrics.yaml"
            if file.is_file():
                found |= read_mapping(file)
        return found

    def is_own(self, name: str) -> bool:
        """Say whether a method comes from the overlay."""
        file = self._files.get(name)
        return self.overlay is not None and file is not None and self.overlay in file.parents

    def names(self) -> list[str]:
        """Return the names of all methods, sorted; reads no file."""
        return list(self._files)

    def headers(self) -> list[Header]:
        """Return what a list shows of every method, sorted by name."""
        found = self._kept.read("headers", list[Header]) if self._kept else None
        if found is None:
            found = [self.header(name) for name in self.names()]
            if self._kept:
                self._kept.write("headers", found, list[Header])
        return found

    def header(self, name: str) -> Header:
        """Return what a list shows of a method; reads its recipe file only."""
        raw = self._recipe_file(name)
        try:
            fields = {field: raw[field] for field in _HEADER_FIELDS}
            roles = [role["name"] for role in raw.get("roles", [])]
            fields |= {"name": name, "data": raw["data"]["kind"], "roles": roles}
            fields["same_as"] = raw.get("same_as", [])
            return msgspec.convert(fields, Header)
        except (KeyError, TypeError, msgspec.ValidationError) as error:
            raise broken(self._files[name], [f"header: {error}"]) from error

    def recipe(self, name: str) -> Recipe:
        """Return a method, joined with glossary and contract and checked against both."""
        if name not in self._recipes:
            found = None
            if self._kept and name in self._files:
                found = self._kept.read(f"recipe {name}", Recipe)
            if found is None:
                found = self._join(name)
                if self._kept:
                    self._kept.write(f"recipe {name}", found, Recipe)
            self._recipes[name] = found
        return self._recipes[name]

    def _join(self, name: str) -> Recipe:
        from starforge.catalog.join import join_recipe

        raw = self._recipe_file(name)
        file = self._files[name]
        if raw.get("framework") != file.parent.name:
            raise broken(file, [f"framework: must be `{file.parent.name}`, as the folder"])
        contract = self._contract_file(file, str(raw["framework"]), str(raw.get("version")))
        return join_recipe(file, name, raw, self.glossary, contract, canonical=self.metrics)

    def contract(self, recipe: Recipe) -> Contract:
        """Return the contract of the recipe's ``framework@version``."""
        return self._contract_file(self._files[recipe.name], recipe.framework, recipe.version)

    def contract_digest(self, recipe: Recipe) -> str:
        """Return the digest of the part of the contract that the recipe uses."""
        from starforge.catalog.join import contract_digest

        return contract_digest(self.contract(recipe), recipe.config)

    def scaffold_file(self, recipe: Recipe, name: str, lang: Lang) -> Path:
        """Return the template file that ``sf new`` copies as ``name``."""
        own = self._files[recipe.name].with_suffix("")
        stem, dot, suffix = name.rpartition(".")
        names = [f"{stem}.zh{dot}{suffix}", name] if lang == "zh" else [name]
        # What several methods share lies in one place; a method's own file wins.
        folders = [own, *(root / "scaffold" for root in self._roots)]
        places = [folder / one for folder in folders for one in names]
        found = next((file for file in places if file.is_file()), None)
        if found is None:
            raise broken(self._files[recipe.name], [f"scaffold.files: {own / name} is missing"])
        return found

    def _recipe_file(self, name: str) -> dict[str, Any]:
        if name not in self._files:
            raise unknown_method(name, self.names())
        if name not in self._raw:
            from starforge.catalog.include import with_fragments

            file = self._files[name]
            folders = [root / "recipes" / file.parent.name for root in self._roots]
            self._raw[name] = with_fragments(file, read_mapping(file), folders, self._fragment)
        return self._raw[name]

    def _fragment(self, file: Path) -> dict[str, Any]:
        if file not in self._fragments:
            self._fragments[file] = read_mapping(file)
        return self._fragments[file]

    def _contract_file(self, recipe_file: Path, framework: str, version: str) -> Contract:
        pin = f"{framework}-{version}"
        if pin not in self._contracts:
            files = [root / "contracts" / f"{pin}.json" for root in self._roots]
            file = next((one for one in files if one.is_file()), None)
            if file is None:
                raise broken(recipe_file, [f"version: there is no contract {pin}.json"])
            contract = read_contract(file)
            if (contract.framework, contract.version) != (framework, version):
                raise broken(file, [f"it is the contract of {contract.pin}"])
            self._contracts[pin] = contract
        return self._contracts[pin]


def unknown_method(name: str, known: list[str]) -> StarForgeError:
    """Return the error for a method that is not in the catalog."""
    from starforge.findings import nearest

    near = ", ".join(f"`{one}`" for one in nearest(name, known)) or None
    hint = (
        Text(f"did you mean {near}?", f"是不是想写 {near}？")
        if near
        else Text("`sf methods` lists what there is", "用 `sf methods` 查看全部方法")
    )
    return StarForgeError(
        "catalog/unknown-method",
        Text(f"there is no method `{name}`", f"没有名为 `{name}` 的方法"),
        hint,
        exit_code=ExitCode.NOT_FINE,
        status=404,
    )


@lru_cache(maxsize=8)
def load_catalog(root: Path | None = None) -> Catalog:
    """Return the catalog of ``root``, by default the one that comes with StarForge."""
    return Catalog(root) if root else Catalog(DATA, kept=Kept(DATA))

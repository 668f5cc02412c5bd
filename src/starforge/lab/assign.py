"""Collect what the user sets: from config.yaml, from ``params`` and from ``--set``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from starforge.catalog.models import ContractConfig, Recipe, Renamed
from starforge.catalog.types import TypeExpr, parse_type
from starforge.findings import Finding, Location, nearest
from starforge.i18n import Text
from starforge.lab import rules_config as rules
from starforge.lab.document import Document
from starforge.lab.experiment import Experiment
from starforge.lab.foreign import explain_foreign
from starforge.lab.inherit import inherit
from starforge.lab.resolved import Layer
from starforge.lab.set_value import is_text, parse_value, printable
from starforge.lab.shell_form import as_yaml, shell_form

_GUESSES = 50


class Assignment(msgspec.Struct, frozen=True, kw_only=True):
    """One value the user set. ``path`` is native, ``name`` as it was written."""

    path: str
    name: str
    value: Any
    layer: Layer
    at: Location
    parameter: str | None = None
    preset: bool = False


class Collector:
    """Turns what is written into assignments, with findings for unknown names."""

    def __init__(self, recipe: Recipe, config: ContractConfig) -> None:
        self.recipe = recipe
        self.config = config
        self.findings: list[Finding] = []
        self.dropped: frozenset[str] = frozenset()  # sections of upstream's that were replaced
        self._by_path = {parameter.path: parameter.name for parameter in recipe.parameters}
        self._renamed = {renamed.old: renamed for renamed in recipe.renamed}
        self._sections = frozenset(
            path[:dot]
            for path in (*config.keys, *self._renamed)
            for dot, c in enumerate(path)
            if c == "."
        )

    def from_config(self, experiment: Experiment) -> list[Assignment]:
        """Return the native keys of config.yaml, nested or dotted."""
        document = experiment.config_document
        if document is None:
            return []
        found: list[Assignment] = []
        for written, value, at in self._written(experiment, document):
            path = self._plain_name(written)
            if self.is_native(path):
                found.append(self._native(path, value, "config.yaml", at))
            elif pasted := _pasted(written, value, at):
                self.findings.append(pasted)
            else:
                inner = next(iter(value), "") if isinstance(value, dict) else ""
                self.findings.append(self._unknown_key(path, at, str(inner)))
        return found

    def _written(
        self, experiment: Experiment, document: Document
    ) -> Iterator[tuple[str, Any, Location]]:
        """Yield the usable values of config.yaml, and of the files it starts from."""
        if self.config.dialect == "omegaconf":
            keys = set(self.config.keys)
            inherited, findings = inherit(
                experiment, document, self.config.base, keys, self._sections
            )
            self.findings += findings
            self.dropped = inherited.dropped
            yield from ((one.path, one.value, one.at) for one in inherited.values.values())
            return
        for written, value in self._flatten("", experiment.config):
            if document.is_usable(written):
                yield written, value, document.at(written)

    def from_params(self, experiment: Experiment) -> list[Assignment]:
        """Return the published parameters of experiment.yaml."""
        found: list[Assignment] = []
        for name, value in experiment.params.items():
            at = experiment.at(f"params.{name}")
            if not experiment.document.is_usable(f"params.{name}"):
                continue
            if self.recipe.preset(name) is not None:
                # First, so that whatever is set by its own name wins.
                found[:0] = self._from_preset(name, value, "experiment.yaml", at)
                continue
            parameter = self.recipe.parameter(name)
            if parameter is None:
                self.findings.append(self._unknown_parameter(name, at))
                continue
            found.append(
                Assignment(path=parameter.path, name=name, value=value, layer="experiment.yaml",
                           at=at, parameter=name)
            )  # fmt: skip
        return found

    def from_sets(self, sets: Sequence[str]) -> list[Assignment]:
        """Return the values of ``--set name=value``, in order."""
        found: list[Assignment] = []
        for text in sets:
            name, equals, written = text.partition("=")
            name = self._plain_name(name.strip())
            if not equals or not name:
                better = as_yaml(text) if text.startswith("--") else None
                wanted = better.replace(": ", "=", 1) if better else None
                hint = Text(f"write `--set {wanted}`", f"请写成 `--set {wanted}`")
                self.findings.append(
                    rules.SET_SYNTAX.at(
                        Location(key=name or None), hint=hint if wanted else None, text=text
                    )
                )
                continue
            value, problem = parse_value(written)
            if not is_text(text):
                problem = Text("it is not UTF-8", "它不是 UTF-8 编码")
            if problem is not None:
                at = Location(key=printable(name), value=printable(written))
                self.findings.append(rules.SET_VALUE.at(at, text=printable(text), problem=problem))
                continue
            at = Location(key=name, value=value)
            if self.recipe.preset(name) is not None:
                found[:0] = self._from_preset(name, value, "--set", at)
                continue
            made = self._from_set(name, value, at)
            if made is not None:
                found.append(made)
        return found

    def _from_preset(self, name: str, value: Any, layer: Layer, at: Location) -> list[Assignment]:
        preset = self.recipe.preset(name)
        if preset is None or value is None:
            return []
        words = {word.casefold(): option for word, option in preset.options.items()}
        option = words.get(str(value).casefold())
        if option is None:
            choices = ", ".join(preset.options)
            near = did_you_mean(nearest(str(value), preset.options, count=1))
            self.findings.append(
                rules.NOT_A_CHOICE.at(at, hint=near, key=name, value=value,
                                      pin=self.recipe.pin, choices=choices)
            )  # fmt: skip
            return []
        return [
            Assignment(path=path, name=name, value=set_to, layer=layer, at=at,
                       parameter=self._by_path.get(path), preset=True)
            for path, set_to in option.values.items()
        ]  # fmt: skip

    def _from_set(self, name: str, value: Any, at: Location) -> Assignment | None:
        parameter = self.recipe.parameter(name)
        if parameter is not None:
            if parameter.path != name and name in self.config.keys:
                self.findings.append(rules.SET_BOTH.at(at, key=name, path=parameter.path))
            return Assignment(path=parameter.path, name=name, value=value, layer="--set",
                              at=at, parameter=name)  # fmt: skip
        if self.is_native(name):
            return self._native(name, value, "--set", at)
        self.findings.append(self._unknown_key(name, at))
        return None

    def _native(self, path: str, value: Any, layer: Layer, at: Location) -> Assignment:
        renamed = self._renamed.get(path)
        if renamed is not None:
            hint = renamed.note if renamed.new is None else None
            self.findings.append(
                rules.DEPRECATED_KEY.at(
                    at, hint=hint, key=path, new=renamed.new, pin=self.recipe.pin
                )
            )
        return Assignment(path=path, name=path, value=value, layer=layer, at=at,
                          parameter=self._by_path.get(path))  # fmt: skip

    def _plain_name(self, written: str) -> str:
        """Return a key without what only a command line wants: ``--``, or Hydra's ``+``."""
        if self.config.dialect == "hydra" and written not in self.config.keys:
            written = written.lstrip("+")
        return written.removeprefix("--")

    def is_native(self, path: str) -> bool:
        """Say whether the contract takes ``path``, or a key inside a mapping of it."""
        if path in self.config.keys or self.config.open:
            return True
        return self.holder(path) is not None

    def holder(self, path: str) -> str | None:
        """Return the key of mapping type that ``path`` lies in, if any."""
        parent = path.rpartition(".")[0]
        while parent:
            key = self.config.keys.get(parent)
            if key is not None and takes_mapping(parse_type(key.type)):
                return parent
            parent = parent.rpartition(".")[0]
        return None

    def _flatten(self, prefix: str, mapping: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for key, value in mapping.items():
            path = f"{prefix}.{key}" if prefix else key
            if isinstance(value, dict) and path in self._sections:
                yield from self._flatten(path, value)
            else:
                yield path, value

    def _unknown_key(self, path: str, at: Location, inner: str = "") -> Finding:
        """Return the finding; ``inner`` is the first key below ``path``, which is no section."""
        recipe = self.recipe
        renamed = self._renaming(path)
        if renamed is not None:
            new = renamed.new
            hint = renamed.note if new is None else _use(new, renamed.note, self._by_path.get(new))
            return rules.RENAMED_KEY.at(at, hint=hint, key=path, new=new, pin=recipe.pin)
        parameter = recipe.parameter(path)
        if parameter is not None:
            hint = Text(
                f"`{path}` is the published name: put it under `params` in experiment.yaml, "
                f"or write upstream's key `{parameter.path}` here",
                f"`{path}` 是公开参数名：请写到 experiment.yaml 的 `params` 下，"
                f"或在这里写上游的键 `{parameter.path}`",
            )
        else:
            names = {p.name for p in recipe.parameters} if at.file is None else set()
            hint = self._foreign(path)
            meant = f"{path}.{inner}" if inner else path
            hint = hint or did_you_mean(self._near(meant, self.config.keys.keys() | names))
        return rules.UNKNOWN_KEY.at(at, hint=hint, key=path, pin=recipe.pin, method=recipe.name)

    def _renaming(self, path: str) -> Renamed | None:
        """Return what became of a key of other versions, or of the section it lies in."""
        found = self._renamed.get(path)
        while found is None and "." in path:
            path = path.rpartition(".")[0]
            section = self._renamed.get(path)
            found = section if section is not None and section.new is None else None
        return found

    def _unknown_parameter(self, name: str, at: Location) -> Finding:
        recipe = self.recipe
        published = self._by_path.get(name)
        renamed = self._renamed.get(name)
        if published is not None:
            hint: Text | None = Text(
                f"`{name}` is upstream's key; its parameter is called `{published}`",
                f"`{name}` 是上游的键，对应的参数名是 `{published}`",
            )
        elif renamed is not None and renamed.new is not None:
            hint = _use(renamed.new, renamed.note, self._by_path.get(renamed.new))
        elif name in self.config.keys:
            hint = Text(
                f"`{name}` is upstream's own key: put it into config.yaml",
                f"`{name}` 是上游自己的键，请写到 config.yaml 中",
            )
        else:
            hint = self._foreign(name) or did_you_mean(self._near_parameter(name))
        return rules.UNKNOWN_PARAMETER.at(at, hint=hint, key=name, method=recipe.name)

    def _foreign(self, name: str) -> Text | None:
        if len(self.findings) >= _GUESSES:
            return None
        hint, exact = explain_foreign(name, self.recipe, self.config)
        if hint is None or exact:
            return hint
        near = did_you_mean(self._near(name.lstrip("+-"), self.config.keys))
        if near is None:
            return hint
        return Text(f"{hint.en}; {near.en}", f"{hint.zh}；{near.zh}")

    def _near_parameter(self, name: str) -> list[str]:
        by_any_name = {p.name: p.name for p in self.recipe.parameters} | self._by_path
        near = self._near(name, by_any_name)
        return list(dict.fromkeys(by_any_name[one] for one in near))

    def _near(self, name: str, candidates: Iterable[str]) -> list[str]:
        # A file of nothing but unknown names is no slip: guessing would only take time.
        return nearest(name, candidates) if len(self.findings) < _GUESSES else []


def _pasted(written: str, value: Any, at: Location) -> Finding | None:
    """Return the finding for words of a command line under a key, or as one."""
    first = value[0] if isinstance(value, list) and value else value
    for word in (written, first):
        better = as_yaml(word) if isinstance(word, str) and "=" in word else None
        if better is not None:
            return shell_form(at, word, better)
    return None


def takes_mapping(expr: TypeExpr) -> bool:
    """Say whether a mapping fits the type."""
    if expr.kind == "union":
        return any(takes_mapping(member) for member in expr.args)
    return expr.kind in ("dict", "any")


def did_you_mean(near: list[str]) -> Text | None:
    """Return the hint that names the nearest right names."""
    if not near:
        return None
    listed_en, listed_zh = (glue.join(f"`{one}`" for one in near) for glue in (" or ", " 或 "))
    return Text(f"did you mean {listed_en}?", f"是不是想写 {listed_zh}？")


def use_instead(new: str, parameter: str | None) -> Text:
    """Return the hint to use another key (and its parameter, when it is published)."""
    also_en = f" (parameter `{parameter}`)" if parameter and parameter != new else ""
    also_zh = f"（参数名 `{parameter}`）" if parameter and parameter != new else ""
    return Text(f"use `{new}`{also_en}", f"请改用 `{new}`{also_zh}")


def _use(new: str, note: Text | None, parameter: str | None) -> Text:
    also_en = f" (parameter `{parameter}`)" if parameter and parameter != new else ""
    also_zh = f"（参数名 `{parameter}`）" if parameter and parameter != new else ""
    why_en, why_zh = (f" ({note.en})", f"（{note.zh}）") if note else ("", "")
    return Text(f"did you mean `{new}`{also_en}?{why_en}", f"是不是想写 `{new}`{also_zh}？{why_zh}")

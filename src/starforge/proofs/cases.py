"""Cases to prove: plans of fresh experiments, and of ones with every parameter set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from starforge import frameworks
from starforge.catalog.load import Catalog
from starforge.catalog.models import Recipe
from starforge.errors import StarForgeError
from starforge.findings import Finding
from starforge.i18n import Text
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.lab.templates import to_yaml
from starforge.plan import LaunchPlan
from starforge.prepare import Prepared, prepare
from starforge.proofs.away import away

_EXPERIMENT = "proof"


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One plan for upstream's parser, and what must arrive there.

    ``processes`` are the argvs and ``files`` the generated files of the plan, both with
    their ``${PLACEHOLDER}``s; ``expect`` maps native paths to the values meant.
    """

    name: str
    method: str
    processes: list[list[str]]
    files: dict[str, str]
    expect: dict[str, Any]


def cases_of(catalog: Catalog, method: str, work: Path) -> list[Case]:
    """Return the cases of a method; ``work`` is an empty folder to make experiments in.

    The first is the experiment as created. The others set published parameters away from
    their defaults: as many in one case as go together, so that every one is in some case,
    and one case for each choice of a preset. Raises :class:`StarForgeError` when the fresh
    experiment does not validate.
    """
    return list(_Maker(catalog, method, work).cases())


class _Maker:
    def __init__(self, catalog: Catalog, method: str, work: Path) -> None:
        self.catalog = catalog
        self.recipe = catalog.recipe(method)
        self.keys = catalog.contract(self.recipe).configs[self.recipe.config].keys
        init_lab(work)
        self.folder = new_experiment(Lab(root=work), _EXPERIMENT, self.recipe, catalog)
        # A framework whose plans differ on a CPU is proved as it runs on GPUs.
        choose = getattr(frameworks.get(self.recipe.framework), "proof_profile", None)
        self.profile: str | None = choose(self.recipe) if choose else None

    def cases(self) -> Iterator[Case]:
        yield self._case("fresh", {})
        values = self._away_values()
        for number, chosen in enumerate(self._together(values), start=1):
            yield self._case(f"parameters-{number}", chosen)
        for preset in self.recipe.presets:
            for word in preset.options:
                yield self._case(f"{preset.name}-{word}", {preset.name: word})

    def _away_values(self) -> dict[str, Any]:
        values = {}
        for parameter in self.recipe.parameters:
            key = self.keys.get(parameter.path)
            value = away(parameter, key) if key is not None else None
            if value is not None:
                values[parameter.name] = value
        return values

    def _together(self, values: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Split ``values`` into groups that validate, or that hold one parameter."""
        waiting = dict(values)
        while waiting:
            group = dict(waiting)
            while group and (blamed := self._blamed(group)):
                for name in blamed:
                    del group[name]
            group = group or dict([next(iter(waiting.items()))])
            yield group
            waiting = {name: value for name, value in waiting.items() if name not in group}

    def _blamed(self, group: dict[str, Any]) -> list[str]:
        """Return the parameters to leave out of a group that does not validate."""
        findings = self._errors(group)
        if not findings:
            return []
        by_path = {self._path(name): name for name in group}
        keys = {finding.at.key or "" for finding in findings}
        named = {by_path.get(key, key.removeprefix("params.")) for key in keys}
        blamed = [name for name in group if name in named]
        # A rule that names none of them still names what it compares, in its message.
        said = " ".join(finding.message.en for finding in findings)
        blamed = blamed or [name for name in group if f"`{name}`" in said or f"{name}:" in said]
        return blamed or [list(group)[-1]]

    def _path(self, name: str) -> str:
        parameter = self.recipe.parameter(name)
        return parameter.path if parameter else name

    def _errors(self, values: dict[str, Any]) -> list[Finding]:
        made = prepare(self.folder, sets=_sets(values), profile=self.profile, catalog=self.catalog)
        return [finding for finding in made.findings if finding.severity == "error"]

    def _case(self, name: str, values: dict[str, Any]) -> Case:
        made = prepare(self.folder, sets=_sets(values), profile=self.profile, catalog=self.catalog)
        plan = made.plan or self._plan_anyway(name, made)
        paths = {self._path(one): value for one, value in values.items()}
        expect = {one.path: one.value for one in plan.differs if _is_plain(one.value)} | {
            path: value for path, value in paths.items() if path in self.keys
        }
        return Case(
            name=f"{self.recipe.name}/{name}", method=self.recipe.name,
            processes=[process.argv for process in plan.processes],
            files=_generated(plan), expect=expect,
        )  # fmt: skip

    def _plan_anyway(self, name: str, made: Prepared) -> LaunchPlan:
        """Plan a parameter that alone suits only other data: upstream's parser takes it too.

        Nothing is planned of a fresh experiment that does not validate, or when the setting
        itself is what is wrong.
        """
        wrong = [one for one in made.findings if one.severity == "error"]
        own = name == "fresh" or any(one.code.startswith("config/") for one in wrong)
        if own or made.context is None:
            raise _refused(self.recipe, name, wrong)
        return frameworks.get(self.recipe.framework).plan(made.context)


def _sets(values: dict[str, Any]) -> list[str]:
    return [f"{name}={to_yaml(value)}" for name, value in values.items()]


def _is_plain(value: Any) -> bool:
    """Say whether a value means the same everywhere: no placeholder, no interpolation."""
    if isinstance(value, str):
        return "${" not in value
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return True


def _generated(plan: LaunchPlan) -> dict[str, str]:
    return {
        file.path: file.content
        for file in plan.files
        if file.source == "generated" and file.content is not None
    }


def _refused(recipe: Recipe, what: str, findings: list[Finding]) -> StarForgeError:
    said = "; ".join(f"{one.code}: {one.message.en}" for one in findings)
    return StarForgeError(
        "proof/refused",
        Text(f"{recipe.name} ({what}) does not validate: {said}",
             f"{recipe.name}（{what}）未通过校验：{said}"),
    )  # fmt: skip

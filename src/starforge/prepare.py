"""From an experiment on disk to findings and, when none is an error, a launch plan."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from starforge import frameworks
from starforge.catalog.load import Catalog, load_catalog
from starforge.catalog.models import Need, Recipe
from starforge.checks import run_checks
from starforge.errors import StarForgeError
from starforge.findings import Finding, Location, nearest
from starforge.i18n import Text
from starforge.lab import rules_experiment as rules
from starforge.lab import rules_then as then_rules
from starforge.lab.assign import did_you_mean
from starforge.lab.context import DataSource, PrepareContext, Reward
from starforge.lab.experiment import Experiment, load_experiment
from starforge.lab.files import OwnFile, code_files, collect_files
from starforge.lab.foreign import place_keys
from starforge.lab.inputs import (
    BUILTIN_MODELS,
    DATA_FORMS,
    MODEL_FORMS,
    REWARD_FORMS,
    STAGE,
    LocalResolver,
    Resolver,
)
from starforge.lab.lock import Lock, compare_lock, make_lock, read_lock
from starforge.lab.resolve import resolve
from starforge.lab.secrets import find_secrets, mask
from starforge.lab.then import placed, read_then, write_experiment
from starforge.lab.values import PROFILES, parse_profile
from starforge.plan import FollowUp, InputRef, LaunchPlan, Resources
from starforge.runtimes import lock_digest

__all__ = ["LocalResolver", "Prepared", "Resolver", "prepare", "runtime_digests"]


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """Everything known of an experiment after all checks.

    ``plan`` and ``lock`` are there when no finding is an error; ``context`` as soon as the
    method is known. ``files`` is what a bundle of the experiment holds.
    """

    findings: list[Finding]
    experiment: Experiment | None = None
    recipe: Recipe | None = None
    context: PrepareContext | None = None
    plan: LaunchPlan | None = None
    lock: Lock | None = None
    files: list[OwnFile] = []

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.severity == "error" for finding in self.findings)


def prepare(
    folder: Path,
    *,
    sets: Sequence[str] = (),
    profile: str | None = None,
    replace: Mapping[str, str] | None = None,
    resolver: Resolver | None = None,
    catalog: Catalog | None = None,
    trial: bool = False,
) -> Prepared:
    """Read, check and plan the experiment in ``folder``.

    ``sets`` are the texts of ``--set``; ``profile`` replaces ``resources`` of the file, and
    ``replace`` its inputs by name (``model``, ``data.train``; see ``Experiment.replaced``).
    ``resolver`` finds inputs (default: this machine's files); when it has a ``lab_root``,
    the lab's shared files are looked for there. The plan depends on the experiment, its
    inputs and the catalog only, never on the machine. ``trial`` lets the checks run the
    experiment's own code (its reward) on a few rows, which only its author may want. Raises
    :class:`StarForgeError` only for a catalog that is itself broken, or a malformed variable.
    """
    experiment, findings = load_experiment(folder)
    if experiment is None:
        return Prepared(findings=_sorted(findings))
    catalog = catalog or load_catalog()
    if experiment.method not in catalog.names():
        findings.append(_unknown_method(experiment, catalog.names()))
        return Prepared(findings=_sorted(findings), experiment=experiment)
    step = _Preparation(experiment, catalog, resolver, findings, replace or {})
    return step.run(sets, profile, trial)


class _Preparation:
    """One run of :func:`prepare`, once the method is known."""

    def __init__(
        self,
        experiment: Experiment,
        catalog: Catalog,
        resolver: Resolver | None,
        findings: list[Finding],
        replace: Mapping[str, str],
    ) -> None:
        self.written = experiment  # as its files say: what travels does not depend on `replace`
        self.experiment = experiment.replaced(replace)
        self.catalog = catalog
        self.recipe = catalog.recipe(experiment.method)
        self.contract = catalog.contract(self.recipe)
        self.contract_digest = catalog.contract_digest(self.recipe)
        self.resolver = resolver or LocalResolver.for_folder(experiment.folder)
        self.lab_root: Path | None = getattr(self.resolver, "lab_root", None)
        self.findings = place_keys(findings, self.recipe, self.contract.configs[self.recipe.config])

    def run(self, sets: Sequence[str], profile: str | None, trial: bool) -> Prepared:
        """Collect findings from every source, then plan when none is an error."""
        config, more = resolve(self.experiment, self.recipe, self.contract, sets)
        self.findings += more
        files, more = collect_files(self.written, self.lab_root)
        secrets, hidden = find_secrets(files, sets)
        self.findings += more + secrets
        context = PrepareContext(
            experiment=self.experiment, recipe=self.recipe, contract=self.contract,
            config=config, model=self._model("model", self.recipe.model), data=self._data(),
            teacher=self._model("teacher", self.recipe.teacher), reward=self._reward(files),
            resources=self._resources(profile), policies=self.experiment.policies,
            code_files=code_files(files), lab_root=self.lab_root,
            trial=trial,
        )  # fmt: skip
        framework = frameworks.get(self.recipe.framework)
        self.findings += run_checks(context)
        self.findings += framework.checks(context)
        then = self._then(context)
        lock = self._lock(context)
        plan = None
        if not any(finding.severity == "error" for finding in self.findings):
            plan = framework.plan(context)
            if then:
                plan = msgspec.structs.replace(plan, then=then)
        return Prepared(
            findings=_sorted(mask(self.findings, hidden)), experiment=self.experiment,
            recipe=self.recipe, context=context, plan=plan, lock=lock if plan else None,
            files=files,
        )  # fmt: skip

    def _then(self, context: PrepareContext) -> list[FollowUp]:
        """Read the steps of ``then``; each benchmark is checked as the experiment it becomes."""
        steps, findings = read_then(self.experiment, self.recipe)
        self.findings += findings
        for index, step in steps:
            if step.kind == "benchmark":
                self.findings += self._check_benchmark(context, index, step)
        return [step for _, step in steps]

    def _check_benchmark(
        self, context: PrepareContext, index: int, step: FollowUp
    ) -> list[Finding]:
        document = self.experiment.document
        roots = [self.experiment.folder, *([self.lab_root] if self.lab_root else [])]
        with tempfile.TemporaryDirectory(prefix="sf-then-") as temp:
            folder = Path(temp) / "step"
            try:
                # Its own model does not exist yet; any that answers stands in for it.
                write_experiment(
                    step, folder, model=BUILTIN_MODELS[0], roots=roots,
                    gpus=context.resources.gpus,
                )  # fmt: skip
            except StarForgeError as error:
                return [
                    then_rules.DATA.at(document.at(f"then.{index}.data"), problem=error.message)
                ]
            resolver = _StepResolver(folder, self.resolver)
            found = prepare(folder, resolver=resolver, catalog=self.catalog).findings
        return [placed(one, document, index) for one in found]

    def _model(self, key: str, need: Need) -> InputRef | None:
        reference = getattr(self.experiment, key)
        if not self._wanted(key, reference, need, MODEL_FORMS):
            return None
        return self._model_ref(key, str(reference))

    def _model_ref(self, key: str, reference: str) -> InputRef | None:
        found = self.resolver.model(reference, key)
        if isinstance(found, Finding):
            self._place(found, key)
            return None
        if found.kind in ("job", "registry"):
            self._offline(key, reference)
        return found

    def _reward(self, files: list[OwnFile]) -> Reward | None:
        reference = self.experiment.reward
        if not self._wanted("reward", reference, self.recipe.reward, REWARD_FORMS):
            return None
        if not str(reference).endswith(".py"):
            model = self._model_ref("reward", str(reference))
            return Reward(model=model) if model is not None else None
        name = os.path.normpath(str(reference))
        own = next((one for one in files if one.name == name), None)
        if own is None:
            at = self.experiment.at("reward")
            self.findings.append(rules.REWARD_NOT_FOUND.at(at, ref=reference))
            return None
        return Reward(file=own.name)

    def _data(self) -> dict[str, DataSource]:
        spec = self.recipe.data
        wanted = {"train": spec.train, "validation": spec.validation, "test": spec.test}
        sources = {}
        for split, need in wanted.items():
            key, reference = f"data.{split}", self.experiment.data.get(split)
            if not self._wanted(key, reference, need, DATA_FORMS):
                continue
            found = self.resolver.data(str(reference), split)
            if isinstance(found, Finding):
                self._place(found, key)
                continue
            if found.path is None:
                self._offline(key, str(reference))
            sources[split] = found.renamed(self.experiment.data_map)
        return sources

    def _wanted(self, key: str, reference: str | None, need: str, forms: Text) -> bool:
        """Say whether an input is to be resolved; note one that is missing or not used."""
        at = self.experiment.at(key)
        if reference is None:
            # A value of a wrong type already has its finding.
            if need == "required" and self.experiment.document.get(key) is None:
                method = self.recipe.name
                self.findings.append(rules.INPUT_MISSING.at(at, key=key, method=method, form=forms))
            return False
        if need == "none":
            self.findings.append(rules.INPUT_UNUSED.at(at, key=key, method=self.recipe.name))
            return False
        return True

    def _place(self, finding: Finding, key: str) -> None:
        at = self.experiment.at(key)
        self.findings.append(msgspec.structs.replace(finding, at=at))

    def _offline(self, key: str, reference: str) -> None:
        """Note what only a server can look up; what a stage will leave is nowhere yet."""
        if reference.startswith(STAGE) or not getattr(self.resolver, "offline", False):
            return
        self.findings.append(rules.INPUT_OFFLINE.at(self.experiment.at(key), ref=reference))

    def _resources(self, profile: str | None) -> Resources:
        wanted = profile or self.experiment.resources
        resources = parse_profile(wanted, self.recipe)
        if resources is not None:
            return resources
        at = self.experiment.at("resources")
        if profile:
            at = Location(key="--profile", value=profile)
        self.findings.append(
            rules.UNKNOWN_PROFILE.at(at, profile=wanted, known=", ".join(PROFILES))
        )
        return Resources(cpus=self.recipe.minimum.cpus, gpus=self.recipe.minimum.gpus)

    def _lock(self, context: PrepareContext) -> Lock:
        inputs = [source.ref for source in context.data.values()]
        inputs[:0] = context.models
        current = make_lock(
            self.recipe, self.contract_digest, runtime=runtime_digests(self.recipe), inputs=inputs
        )
        locked, findings = read_lock(self.experiment.folder)
        self.findings += findings
        if locked is not None:
            self.findings += compare_lock(locked, current)
        return current


class _StepResolver(LocalResolver):
    """Finds the items of a step: a file that lies beside it, or a registered data set."""

    def __init__(self, folder: Path, outer: Resolver) -> None:
        super().__init__(folder)
        self._outer = outer
        self.offline = getattr(outer, "offline", False)

    def data(self, reference: str, split: str) -> DataSource | Finding:
        """Ask the outer resolver for what is registered."""
        if reference.startswith("dataset:"):
            return self._outer.data(reference, split)
        return super().data(reference, split)


def runtime_digests(recipe: Recipe) -> dict[str, str]:
    """Return the digest of the runtime's lock for each device; empty without a runtime."""
    if recipe.runtime == "none":
        return {}
    devices: tuple[Literal["cpu", "cuda"], ...] = ("cpu", "cuda")
    return {device: lock_digest(recipe.runtime, device) for device in devices}


def _unknown_method(experiment: Experiment, known: list[str]) -> Finding:
    near = did_you_mean(nearest(experiment.method, known))
    return rules.UNKNOWN_METHOD.at(
        experiment.at("method"), hint=near, method=experiment.method, known=", ".join(known)
    )


def _sorted(findings: list[Finding]) -> list[Finding]:
    """Order findings as a reader meets them: by file and line, each only once."""
    files = {name: rank for rank, name in enumerate(("experiment.yaml", "config.yaml"))}

    def place(finding: Finding) -> tuple[int, str, int, int]:
        at = finding.at
        return (files.get(at.file or "", 2), at.file or "", at.line or 0, at.column or 0)

    unique: list[Finding] = []
    for finding in sorted(findings, key=place):
        if finding not in unique:
            unique.append(finding)
    return unique

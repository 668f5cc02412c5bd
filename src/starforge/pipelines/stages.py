"""Prepare every stage as the experiment it is, before any of them runs.

What other stages will leave stands in the plan as ``stage:NAME``; the server puts the job's
own result in its place when the stage starts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec

from starforge.catalog.load import Catalog
from starforge.errors import StarForgeError
from starforge.findings import Finding, Location
from starforge.lab.context import DataSource
from starforge.lab.experiment import CONFIG_FILE, EXPERIMENT_FILE, LOCK_FILE
from starforge.lab.inputs import STAGE, LocalResolver, Resolver
from starforge.lab.lab import find_input
from starforge.pipelines import rules
from starforge.pipelines.model import METHOD, Pipeline, Stage
from starforge.plan import InputRef
from starforge.prepare import Prepared, prepare

ResolverFor = Callable[[Path, Path | None], Resolver]
"""Makes what finds the inputs of an experiment's folder, within the lab if there is one."""
_OWN = frozenset({EXPERIMENT_FILE, CONFIG_FILE, LOCK_FILE})
_CHAINED = ("model", "teacher")  # a reward model is no model of the kind it was made from
_TEMPLATE = "chat_template"
_BENCHMARKS = frozenset({"params.benchmarks", "benchmarks", "tasks"})


class StageResolver:
    """Takes what a stage will leave for found; everything else is asked of ``inner``."""

    def __init__(self, inner: Resolver) -> None:
        self._inner = inner
        self.offline: bool = getattr(inner, "offline", False)
        self.lab_root: Path | None = getattr(inner, "lab_root", None)

    def model(self, reference: str, name: str = "model") -> InputRef | Finding:
        """Find a model."""
        if reference.startswith(STAGE):
            return InputRef(name=name, kind="job", location=reference)
        return self._inner.model(reference, name)

    def data(self, reference: str, split: str) -> DataSource | Finding:
        """Find the rows of a split."""
        if not reference.startswith(STAGE):
            return self._inner.data(reference, split)
        ref = InputRef(
            name=f"data.{split}", kind="job", location=reference, file=f"{split}.jsonl"
        )  # fmt: skip
        return DataSource(split=split, ref=ref, shown=reference)


def inputs_of(stage: Stage) -> dict[str, str]:
    """Return what stands instead of the inputs of a stage's experiment."""
    return stage.replace | {name: one.reference for name, one in stage.results.items()}


class PreparedStage(msgspec.Struct, frozen=True, kw_only=True):
    """A stage whose experiment was read and checked.

    ``inputs`` are what stands instead of the experiment's; ``findings`` have their places in
    the files the author wrote. ``prepared`` is ``None`` when there is no experiment.
    """

    stage: Stage
    inputs: dict[str, str]
    findings: list[Finding]
    prepared: Prepared | None = None


class Preparation:
    """Prepares the stages of one pipeline on this machine.

    ``folder`` is where pipeline.yaml lies, ``lab_root`` the lab around it; experiments of
    benchmarks are written below ``work``, which must stay until they were sent. ``trial`` lets
    checks run the experiments' own code for a moment.
    """

    def __init__(
        self, pipeline: Pipeline, folder: Path, lab_root: Path | None, work: Path, *,
        catalog: Catalog | None = None, trial: bool = False,
        resolver: ResolverFor = LocalResolver,
    ) -> None:  # fmt: skip
        self.pipeline = pipeline
        self.roots = list(dict.fromkeys(root for root in (lab_root, folder) if root))
        self.lab_root = lab_root
        self.work = work
        self.catalog = catalog
        self.trial = trial
        self.resolver = resolver

    def run(self) -> dict[str, PreparedStage]:
        """Prepare all stages, by name."""
        done = {name: self._stage(stage) for name, stage in self.pipeline.stages.items()}
        for name, one in done.items():
            roots = {what: self._root(one.stage, what, done) for what in _CHAINED}
            models = {what: root for what, root in roots.items() if root is not None}
            if models and one.prepared is not None:
                done[name] = msgspec.structs.replace(one, findings=self._with_models(one, models))
        return done

    def _root(self, stage: Stage, what: str, done: dict[str, PreparedStage]) -> str | None:
        """Return the model at the start of the chain of stages that makes a stage's ``what``.

        Training changes neither its tokenizer nor its shape, so what does not fit it can be
        told now. A script may change anything, and a stage with a chat template of its own
        gives the model that one.
        """
        if what not in stage.results:
            return None
        seen = {stage.name}
        name: str | None = stage.results[what].stage
        while name is not None and name not in seen:
            seen.add(name)
            giver = done.get(name)
            context = giver.prepared.context if giver and giver.prepared else None
            if giver is None or context is None or context.recipe.framework == "custom":
                return None
            if _TEMPLATE in context.config.paths and context.parameter(_TEMPLATE):
                return None
            ref = context.model
            if ref is not None and not ref.location.startswith(STAGE):
                return ref.location if ref.kind == "path" else context.experiment.model
            following = giver.stage.results.get("model")
            name = following.stage if following is not None else None
        return None

    def _with_models(self, one: PreparedStage, models: dict[str, str]) -> list[Finding]:
        """Return what there is to say of a stage with the models that its chains start from.

        Errors that show only without a model stay: with one of them there is no plan.
        """
        assert one.prepared is not None and one.prepared.experiment is not None
        folder = one.prepared.experiment.folder
        found = self._prepare(one.stage, folder, one.inputs | models).findings
        placed = [self._placed(finding, one.stage, folder) for finding in found]
        known = [(finding.code, finding.at) for finding in placed]  # values may be of any kind
        kept = [
            finding
            for finding in one.findings
            if finding.severity == "error" and (finding.code, finding.at) not in known
        ]
        return [*placed, *kept]

    def _stage(self, stage: Stage) -> PreparedStage:
        named = {key: self._absolute(reference) for key, reference in stage.replace.items()}
        inputs = inputs_of(msgspec.structs.replace(stage, replace=named))
        folder = self._folder(stage)
        if folder is None:
            at = self.pipeline.at_stage(stage.name, "experiment")
            found = rules.NO_EXPERIMENT.at(at, name=stage.experiment)
            return PreparedStage(stage=stage, inputs=inputs, findings=[found])
        if stage.kind == "benchmark" and "model" not in inputs:
            at = self.pipeline.at_stage(stage.name)
            found = rules.NO_MODEL.at(at, name=stage.name)
            return PreparedStage(stage=stage, inputs=inputs, findings=[found])
        try:
            done = self._prepare(stage, folder, inputs)
        except StarForgeError as error:
            found = Finding(
                code=error.code, severity="error", message=error.message, hint=error.hint,
                at=self.pipeline.at_stage(stage.name),
            )  # fmt: skip
            return PreparedStage(stage=stage, inputs=inputs, findings=[found])
        placed = [self._placed(one, stage, folder) for one in done.findings]
        return PreparedStage(stage=stage, inputs=inputs, findings=placed, prepared=done)

    def _prepare(self, stage: Stage, folder: Path, inputs: dict[str, str]) -> Prepared:
        return prepare(
            folder, sets=stage.set_texts, profile=stage.resources, replace=inputs,
            resolver=StageResolver(self.resolver(folder, self.lab_root)),
            catalog=self.catalog, trial=self.trial,
        )  # fmt: skip

    def _folder(self, stage: Stage) -> Path | None:
        """Return the folder of a stage's experiment; one for a benchmark is written."""
        if stage.experiment is None:
            return self._write_benchmark(stage)
        for root in self.roots:
            for place in (root / "experiments" / stage.experiment, root / stage.experiment):
                if (place / EXPERIMENT_FILE).is_file():
                    return place.resolve()
        return None

    def _write_benchmark(self, stage: Stage) -> Path:
        folder = self.work / stage.name
        folder.mkdir(parents=True)
        written = {"method": METHOD, "params": {"benchmarks": stage.benchmarks}}
        # JSON is YAML, and quotes whatever needs quoting.
        text = json.dumps(written, ensure_ascii=False, indent=2)
        (folder / EXPERIMENT_FILE).write_text(text + "\n", "utf-8")
        return folder

    def _absolute(self, reference: str) -> str:
        """Make a path of the lab absolute: it means the same in every stage."""
        for root in self.roots:
            found = find_input(reference, root, None)
            if found is not None:
                return str(found.resolve())
        return reference

    def _placed(self, finding: Finding, stage: Stage, folder: Path) -> Finding:
        """Return a finding of a stage's experiment with its place in what the author wrote."""
        at, key = finding.at, finding.at.key or ""
        own = at.file is None or at.file in _OWN
        if own and key in stage.results:
            at = self.pipeline.at_stage(stage.name, stage.results[key].key)
        elif own and key in stage.replace:
            at = self.pipeline.at_stage(stage.name, key)
        elif at.file is None and key in stage.sets:
            at = self.pipeline.document.at(f"stages.{stage.name}.set.{key}")
        elif at.file is None and key == "--profile":
            at = self.pipeline.at_stage(stage.name, "resources")
        elif at.file is None or (stage.kind == "benchmark" and at.file in _OWN):
            named = "benchmark" if key in _BENCHMARKS else ""
            at = self.pipeline.at_stage(stage.name, named)
        else:
            at = msgspec.structs.replace(at, file=self._shown(at, folder))
        return msgspec.structs.replace(finding, at=at)

    def _shown(self, at: Location, folder: Path) -> str:
        """Return a file's name as seen from the lab."""
        file = str(at.file)
        path = folder / file
        if not path.exists() or self.lab_root is None or not path.is_relative_to(self.lab_root):
            return file
        return path.relative_to(self.lab_root).as_posix()

"""A pipeline of a lab: find it, read it, and check everything before anything runs."""

from __future__ import annotations

from pathlib import Path

import msgspec

from starforge.catalog.load import Catalog
from starforge.errors import StarForgeError
from starforge.findings import Finding, nearest
from starforge.i18n import Text
from starforge.lab.inputs import LocalResolver
from starforge.lab.lab import Lab, exists, find_lab
from starforge.lab.rules_experiment import INPUT_UNUSED
from starforge.pipelines.check import check_pipeline, check_stages
from starforge.pipelines.graph import order
from starforge.pipelines.load import load_pipeline
from starforge.pipelines.model import PIPELINE_FILE, PIPELINES, Pipeline
from starforge.pipelines.rules import NOT_TAKEN
from starforge.pipelines.stages import Preparation, PreparedStage, ResolverFor


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """A pipeline with all that was found. ``order`` is one in which its stages can run."""

    file: Path
    lab_root: Path | None
    pipeline: Pipeline
    stages: dict[str, PreparedStage]
    findings: list[Finding]
    order: list[str]

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.severity == "error" for finding in self.findings)


def examine(
    file: Path,
    work: Path,
    *,
    catalog: Catalog | None = None,
    trial: bool = False,
    resolver: ResolverFor = LocalResolver,
) -> Examined:
    """Read and check a pipeline.yaml, each of its stages as the job it will be.

    ``work`` is a folder for the experiments of benchmarks; it must stay until they were sent.
    ``resolver`` finds the inputs of an experiment's folder.
    Raises :class:`StarForgeError` when the file can't be read.
    """
    lab = find_lab(file.parent)
    root = lab.root if lab else None
    shown = file.relative_to(root).as_posix() if root else file.name
    pipeline, findings = load_pipeline(_read(file), file.parent.name, shown)
    findings += check_pipeline(pipeline)
    preparation = Preparation(
        pipeline, file.parent, root, work, catalog=catalog, trial=trial, resolver=resolver
    )
    stages = preparation.run()
    prepared = {name: one.prepared for name, one in stages.items() if one.prepared is not None}
    for one in stages.values():
        findings += one.findings
    findings += check_stages(pipeline, prepared)
    return Examined(
        file=file, lab_root=root, pipeline=pipeline, stages=stages,
        findings=_sorted(_told_once(findings)), order=order(pipeline.stages),
    )  # fmt: skip


def _told_once(findings: list[Finding]) -> list[Finding]:
    """Leave out that an input is unused where it is refused: the experiment knows no better."""
    refused = {(one.at.file, one.at.key) for one in findings if one.code == NOT_TAKEN.code}
    return [
        one for one in findings
        if one.code != INPUT_UNUSED.code or (one.at.file, one.at.key) not in refused
    ]  # fmt: skip


def _sorted(findings: list[Finding]) -> list[Finding]:
    """Order findings by file and line, each only once: stages may share an experiment."""
    files = {finding.at.file: rank for rank, finding in reversed(list(enumerate(findings)))}
    kept: list[Finding] = []
    for finding in sorted(
        findings, key=lambda one: (files[one.at.file], one.at.line or 0, one.at.column or 0)
    ):
        if finding not in kept:
            kept.append(finding)
    return kept


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise StarForgeError(
            "pipeline/unreadable",
            Text(f"{file} can't be read: {reason}", f"无法读取 {file}：{reason}"),
            Text("check that it is a file, and its permissions", "请确认它是文件并检查权限"),
        ) from error


def pipelines_of(lab: Lab) -> list[Path]:
    """Return the pipeline.yaml of every pipeline of a lab, sorted by name."""
    folder = lab.root / PIPELINES
    if not folder.is_dir():
        return []
    return sorted(file for file in folder.glob(f"*/{PIPELINE_FILE}") if file.is_file())


def find_pipeline(text: str, start: Path | None = None) -> Path:
    """Return the pipeline.yaml of a pipeline given by its name in the lab, folder or file.

    Raises :class:`StarForgeError` with the nearest names when there is none.
    """
    base = (start or Path.cwd()).absolute()
    lab = find_lab(base)
    places = [base / text, base / text / PIPELINE_FILE]
    if lab is not None:
        places.append(lab.root / PIPELINES / text / PIPELINE_FILE)
    for place in places:
        if text and exists(place) and place.is_file():
            return place.resolve()
    names = [file.parent.name for file in pipelines_of(lab)] if lab else []
    near = nearest(text, names)
    hint = Text("`sf pipeline new NAME --template sft-dpo-benchmark` makes one",
                "用 `sf pipeline new 名字 --template sft-dpo-benchmark` 新建一个")  # fmt: skip
    if near:
        listed = ", ".join(f"`{one}`" for one in near)
        hint = Text(f"did you mean {listed}?", f"是不是想写 {listed}？")
    raise StarForgeError(
        "pipeline/not-found",
        Text(f"there is no pipeline `{text}`", f"没有名为 `{text}` 的流水线"),
        hint,
        status=404,
    )

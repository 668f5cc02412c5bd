"""What validate, plan and submit share: prepare an experiment, show its findings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starforge.cli.findings_view import count_line, print_findings
from starforge.cli.output import note

if TYPE_CHECKING:
    from starforge.prepare import Prepared

EXPERIMENT = (
    "An experiment of this lab by name, or its folder.",
    "当前 lab 中实验的名字，或实验所在的文件夹。",
)


def prepare_named(text: str, sets: Sequence[str], profile: str | None) -> Prepared:
    """Find an experiment and prepare it."""
    from starforge.lab.lab import find_experiment
    from starforge.prepare import prepare

    return prepare(find_experiment(text), sets=sets, profile=profile)


def public_findings(prepared: Prepared) -> list[dict[str, Any]]:
    """Return the findings in their published shape, in the language of this process."""
    return [finding.to_public() for finding in prepared.findings]


def validation(prepared: Prepared, *, strict: bool = False) -> dict[str, Any]:
    """Return the published shape of ``sf validate``."""
    findings = public_findings(prepared)
    refused = {"error", "warning"} if strict else {"error"}
    return {
        "ok": not any(finding["severity"] in refused for finding in findings),
        "method": prepared.experiment.method if prepared.experiment else None,
        "findings": findings,
    }


def show_findings(prepared: Prepared, folder: Path | None, *, err: bool = False) -> None:
    """Print findings with their source lines."""
    print_findings(public_findings(prepared), source_folders(prepared, folder), err=err)


def source_folders(prepared: Prepared, folder: Path | None) -> list[Path]:
    """Return where the files that findings name may lie."""
    folders = [folder] if folder else []
    if prepared.experiment is not None:
        folders.append(prepared.experiment.folder)
    if prepared.context is not None and prepared.context.lab_root is not None:
        folders.append(prepared.context.lab_root)
    return folders


def refuse(prepared: Prepared, *, as_json: bool) -> None:
    """Say why an experiment is not planned or submitted; the caller exits with 1."""
    if as_json:
        from starforge.cli.output import print_json

        print_json(validation(prepared))
    else:
        show_findings(prepared, None, err=True)
        note(count_line(public_findings(prepared)))

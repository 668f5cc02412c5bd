"""What validate, plan and submit share: prepare an experiment, show its findings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.findings_view import count_line, print_findings
from starforge.cli.output import note
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.prepare import Prepared

EXPERIMENT = (
    "An experiment of this lab by name, or its folder.",
    "当前 lab 中实验的名字，或实验所在的文件夹。",
)


def prepare_named(
    text: str, sets: Sequence[str], profile: str | None, *, launch: bool = False
) -> Prepared:
    """Find an experiment and prepare it; its reward is tried on a few rows.

    With ``launch`` the server is started when a dataset has to be looked up there.
    """
    from starforge.client.catalogs import connected_catalog
    from starforge.client.inputs import connected
    from starforge.lab.lab import find_experiment
    from starforge.prepare import prepare

    catalog, _ = connected_catalog()
    folder = find_experiment(text)
    return prepare(
        folder, sets=sets, profile=profile, catalog=catalog, trial=True,
        resolver=connected(folder, launch=launch),
    )  # fmt: skip


def chosen_folders(experiment: str | None, *, every: bool) -> list[Path]:
    """Return the experiment that was named, or with ``--all`` every one of a lab.

    With ``--all``, a name is the folder of that lab; the lab around the working folder is
    meant without one.
    """
    from starforge.cli.lab import this_lab
    from starforge.lab.lab import find_experiment

    if every:
        return this_lab(experiment).experiments()
    if experiment is None:
        raise click.UsageError(
            t("give one experiment, or --all for every one of this lab",
              "请给出一个实验，或用 --all 表示当前 lab 的全部实验")
        )  # fmt: skip
    return [find_experiment(experiment)]


def public_findings(prepared: Prepared, *, hidden: bool = False) -> list[dict[str, Any]]:
    """Return the findings in their published shape, in the language of this process.

    ``hidden``: the experiment's own file was written by us (``sf bench run``), so places
    in it tell a person nothing and are left out.
    """
    found = [finding.to_public() for finding in prepared.findings]
    nowhere = {"file": None, "line": None, "column": None}
    if hidden:
        return [one | nowhere if one["file"] == "experiment.yaml" else one for one in found]
    return found


def validation(prepared: Prepared, *, strict: bool = False, hidden: bool = False) -> dict[str, Any]:
    """Return the published shape of ``sf validate``."""
    findings = public_findings(prepared, hidden=hidden)
    refused = {"error", "warning"} if strict else {"error"}
    return {
        "ok": not any(finding["severity"] in refused for finding in findings),
        "method": prepared.experiment.method if prepared.experiment else None,
        "findings": findings,
    }


def show_findings(prepared: Prepared, *, err: bool = False, hidden: bool = False) -> None:
    """Print findings with their source lines."""
    print_findings(public_findings(prepared, hidden=hidden), source_folders(prepared), err=err)


def source_folders(prepared: Prepared) -> list[Path]:
    """Return where the files that findings name may lie."""
    folders = []
    if prepared.experiment is not None:
        folders.append(prepared.experiment.folder)
    if prepared.context is not None and prepared.context.lab_root is not None:
        folders.append(prepared.context.lab_root)
    return folders


def refuse(prepared: Prepared, *, as_json: bool, hidden: bool = False) -> None:
    """Say why an experiment is not planned or submitted; the caller exits with 1."""
    if as_json:
        from starforge.cli.output import print_json

        print_json(validation(prepared, hidden=hidden))
    else:
        show_findings(prepared, err=True, hidden=hidden)
        note(count_line(public_findings(prepared)))

"""Experiments for programs without files of their own: made from a form, or those of jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from starforge.server.api.deps import CoreDep, JobDep, LangDep, require_user
from starforge.wire.config import JobConfig
from starforge.wire.experiments import ExperimentBundle, ExperimentForm, Profiles

router = APIRouter(tags=["experiments"], dependencies=[Depends(require_user)])
ZIP = "application/zip"
ARCHIVE: dict[int | str, dict[str, Any]] = {
    200: {"content": {ZIP: {}}, "description": "a zip with one folder"}
}


@router.post("/experiments", status_code=201)
def make(body: ExperimentForm, core: CoreDep, lang: LangDep) -> ExperimentBundle:
    """Make an experiment from a form, as `sf new` and an editor would, ready to be prepared."""
    from starforge.server.services import experiments  # loads the lab: not at every start

    return experiments.make(core, body, lang)


@router.post("/experiments/archive", response_class=FileResponse, responses=ARCHIVE)
def archive_form(body: ExperimentForm, core: CoreDep, lang: LangDep) -> FileResponse:
    """The experiment of a form as a zip: a folder for the `experiments/` of a lab."""
    from starforge.server.services import experiment_archive

    return _download(experiment_archive.of_form(core, body, lang), body.name)


@router.get("/jobs/{job}/experiment")
def of_job(found: JobDep, core: CoreDep, lang: LangDep) -> ExperimentBundle:
    """The experiment of a job, to run it again or to change it."""
    from starforge.server.services import experiments

    return experiments.of_job(core, found, lang)


@router.get("/jobs/{job}/experiment/archive", response_class=FileResponse, responses=ARCHIVE)
def archive_job(found: JobDep, core: CoreDep, lang: LangDep) -> FileResponse:
    """The experiment of a job as a zip."""
    from starforge.server.services import experiment_archive

    path, name = experiment_archive.of_job(core, found, lang)
    return _download(path, name)


@router.get("/jobs/{job}/config")
def config(found: JobDep, core: CoreDep, lang: LangDep, against: str | None = None) -> JobConfig:
    """The resolved configuration of a job, and its differences from another job."""
    from starforge.server.services import job_config, jobs

    other = jobs.find(core, against) if against is not None else None
    return job_config.config(core, found, lang, other)


@router.get("/profiles")
def profiles(core: CoreDep, method: str | None = None) -> Profiles:
    """Resource profiles with their sizes, and what this machine has."""
    from starforge.server.services import profiles as sizes

    return sizes.profiles(core, method)


def _download(path: Path, name: str) -> FileResponse:
    removal = BackgroundTask(path.unlink, missing_ok=True)
    return FileResponse(path, media_type=ZIP, filename=f"{name}.zip", background=removal)

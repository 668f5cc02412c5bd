"""Experiments as zip archives that are experiment folders when unpacked."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

from starforge.i18n import Lang
from starforge.lab.names import is_plain_name
from starforge.server.core import Core
from starforge.server.services.experiment_values import Origin, origin
from starforge.server.services.experiments import Laid, laid_of_job, laid_out
from starforge.server.store.faults import disk_fault
from starforge.server.store.records import Job
from starforge.wire.experiments import ExperimentForm

_WHEN = (1980, 1, 1, 0, 0, 0)  # the first time a zip knows: the same files, the same bytes


def of_form(core: Core, form: ExperimentForm, lang: Lang) -> Path:
    """Write the archive of what a form describes; whoever asks removes the file."""
    with laid_out(core, form, lang) as laid:
        return _archive(core, laid, form.name)


def of_job(core: Core, job: Job, lang: Lang) -> tuple[Path, str]:
    """Write the archive of a job's experiment; return it and the name of its folder.

    The files are those that were submitted. Where ``--set`` or data outside of the folder
    came on top, the files say so instead.
    """
    with origin(core, job) as one:
        laid = laid_of_job(core, one)
        name = laid.values.name
        if _is_whole(one):
            return _archive(core, laid, name), name
    form = ExperimentForm(name=name, method=laid.values.method, base=job.id)
    return of_form(core, form, lang), name


def _is_whole(one: Origin) -> bool:
    """Say whether the files alone are the experiment."""
    own = (ref for ref in one.experiment.data.values() if not ref.startswith("dataset:"))
    return not one.sets and one.profile is None and all(is_plain_name(ref) for ref in own)


def _archive(core: Core, laid: Laid, name: str) -> Path:
    with tempfile.NamedTemporaryFile(prefix="sf-archive-", suffix=".zip", delete=False) as file:
        path = Path(file.name)
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for one in laid.files():
                _add(archive, f"{name}/{one.name}", one.path, executable=one.executable)
            for place, digest in laid.rows.files.items():
                _add(archive, f"{name}/{place}", core.blobs.path(digest), executable=False)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise disk_fault(error, path) from error
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _add(archive: zipfile.ZipFile, name: str, path: Path, *, executable: bool) -> None:
    info = zipfile.ZipInfo(name, date_time=_WHEN)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (0o100755 if executable else 0o100644) << 16
    with path.open("rb") as source, archive.open(info, "w", force_zip64=True) as target:
        while part := source.read(1 << 20):
            target.write(part)

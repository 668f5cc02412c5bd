"""Experiments made from a form: the files that ``sf new`` and an editor would make."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from starforge.catalog.models import Recipe
from starforge.i18n import Lang
from starforge.lab.bundle import pack
from starforge.lab.experiment import CONFIG_FILE, EXPERIMENT_FILE, LOCK_FILE, load_experiment
from starforge.lab.files import OwnFile, file_digest
from starforge.lab.inputs import parse_model
from starforge.lab.lock import encode_lock, make_lock
from starforge.lab.scaffold import check_name, fill_experiment
from starforge.lab.templates import experiment_file, to_yaml
from starforge.prepare import runtime_digests
from starforge.server.core import Core
from starforge.server.services import experiment_commands, jobs, published
from starforge.server.services.experiment_data import Rows, rows_of
from starforge.server.services.experiment_files import put_files
from starforge.server.services.experiment_values import (
    Origin,
    origin,
    prepared_input,
    request_of,
    values_of,
    values_of_job,
)
from starforge.server.services.job_names import usable_name
from starforge.server.store.records import Job
from starforge.wire.experiments import (
    ExperimentBundle,
    ExperimentFile,
    ExperimentForm,
    ExperimentRequest,
    ExperimentValues,
    PreparedInput,
)

TEXT_LIMIT = 256 * 1024  # bytes of a file that is shown
MODELS = ("model", "teacher", "reward")


class Laid(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment in a folder of its own; its data lie in the store, not in it.

    ``made``: of a form; otherwise the files are those of a job.
    """

    folder: Path
    recipe: Recipe
    values: ExperimentValues
    inputs: list[PreparedInput]
    rows: Rows
    made: bool

    def files(self) -> list[OwnFile]:
        """List its files by name."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return [_own_file(path, self.folder) for path in sorted(found)]


def make(core: Core, form: ExperimentForm, lang: Lang) -> ExperimentBundle:
    """Make the experiment that a form describes and keep it, ready to be prepared."""
    with laid_out(core, form, lang) as laid:
        bundle = pack(laid.files())
        core.blobs.put([bundle.data], digest=bundle.sha256)
        request = ExperimentRequest(
            bundle=bundle.sha256, sets=laid.values.sets, inputs=laid.inputs
        )  # fmt: skip
        return _answer(core, laid, request, lang)


def of_job(core: Core, job: Job, lang: Lang) -> ExperimentBundle:
    """Return the experiment of a job as it was submitted."""
    with origin(core, job) as one:
        laid = laid_of_job(core, one)
        return _answer(core, laid, request_of(one), lang)


def laid_of_job(core: Core, one: Origin) -> Laid:
    """Return the experiment of a job as :func:`laid_out` would."""
    published.require(core, one.experiment.method)
    files = {
        reference: ref.digest
        for split, reference in one.experiment.data.items()
        if (ref := one.inputs.get(f"data.{split}")) and ref.kind == "blob" and ref.digest
    }
    return Laid(
        folder=one.folder,
        recipe=core.catalog.recipe(one.experiment.method),
        values=values_of_job(core, one, experiment_name(one.job.name)),
        inputs=[],
        rows=Rows(references=one.experiment.data, files=files),
        made=False,
    )


def experiment_name(text: str) -> str:
    """Make the name of an experiment of any text."""
    kept = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in text)
    kept = kept.strip("-._")[:60]
    return kept or usable_name("experiment")


@contextlib.contextmanager
def laid_out(core: Core, form: ExperimentForm, lang: Lang) -> Iterator[Laid]:
    """Write the files of a form into a folder that is there for a while.

    Raises :class:`StarForgeError` for a bad name, a method that is not published, and
    content that is not here. What is wrong with the values is for the checks to say.
    """
    check_name(form.name)
    published.require(core, form.method)
    recipe = core.catalog.recipe(form.method)
    with contextlib.ExitStack() as stack:
        one = stack.enter_context(origin(core, jobs.find(core, form.base))) if form.base else None
        temp = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sf-experiment-")))
        values = _merged(core, form, one)
        rows = rows_of(core, values, recipe)
        folder = temp / form.name
        _fill(core, folder, recipe, values, rows=rows, one=one, lang=lang)
        put_files(core, folder, form.files)
        _lock(core, folder, recipe)
        yield Laid(
            folder=folder, recipe=recipe, values=values, rows=rows,
            inputs=[*_model_inputs(values, one, folder), *rows.inputs], made=True,
        )  # fmt: skip


def _merged(core: Core, form: ExperimentForm, one: Origin | None) -> ExperimentValues:
    """Return the values of a form; what it does not say is its base's, or the sample's."""
    said = {key: getattr(form, key) for key in form.model_fields_set if key != "files"}
    if one is None:
        sample = core.catalog.recipe(form.method).scaffold
        start = ExperimentValues(
            name=form.name, method=form.method, model=sample.model, teacher=sample.teacher,
            reward=sample.reward, params=sample.params, resources=sample.resources,
        )  # fmt: skip
        said = {key: value for key, value in said.items() if value is not None}
    else:
        start = values_of_job(core, one, form.name)
    return start.model_copy(update=said)


def _fill(
    core: Core,
    folder: Path,
    recipe: Recipe,
    values: ExperimentValues,
    *,
    rows: Rows,
    one: Origin | None,
    lang: Lang,
) -> None:
    """Write what the experiment starts from, and what the form says of it."""
    wanted = with_values(recipe, values)
    if one is None:
        folder.mkdir()
        data = rows.own(values.map)
        fill_experiment(folder, values.name, wanted, core.catalog, lang=lang, data=data)
    else:
        one.folder.rename(folder)
    own = rows.own(values.map)
    text = experiment_file(
        values.name, wanted, lang,
        train=own.train, splits=own.splits, columns=own.columns, sample=rows.sample,
    )  # fmt: skip
    (folder / EXPERIMENT_FILE).write_text(text + _further(values, recipe), "utf-8")
    if values.config is not None:
        (folder / CONFIG_FILE).write_text(values.config, "utf-8")


def with_values(recipe: Recipe, values: ExperimentValues) -> Recipe:
    """Return the recipe with these values in its scaffold."""
    scaffold = msgspec.structs.replace(
        recipe.scaffold,
        **{key: getattr(values, key) or None for key in MODELS},
        params=values.params,
        resources=values.resources,
    )
    return msgspec.structs.replace(recipe, scaffold=scaffold)


def _further(values: ExperimentValues, recipe: Recipe) -> str:
    """Return the keys that the text of a new experiment has no place for."""
    unused = {key: getattr(values, key) for key in MODELS if getattr(recipe, key) == "none"}
    told = {
        **unused,
        **{key: getattr(values, key) for key in ("policies", "then", "description", "tags")},
        "priority": values.priority,
    }
    lines = [f"{key}: {to_yaml(value)}\n" for key, value in told.items() if value]
    return "\n" + "".join(lines) if lines else ""


def _lock(core: Core, folder: Path, recipe: Recipe) -> None:
    digest = core.catalog.contract_digest(recipe)
    lock = make_lock(recipe, digest, runtime=runtime_digests(recipe))
    (folder / LOCK_FILE).write_bytes(encode_lock(lock))


def _model_inputs(
    values: ExperimentValues, one: Origin | None, folder: Path
) -> list[PreparedInput]:
    """Return the models that are folders: those of the base, and folders of this machine."""
    inputs = []
    for key in MODELS:
        reference = getattr(values, key)
        if not reference or (key == "reward" and reference.endswith(".py")):
            continue
        known = one.inputs.get(key) if one is not None else None
        if one is not None and known is not None and getattr(one.experiment, key) == reference:
            inputs.append(prepared_input(known))
            continue
        parsed = parse_model(reference, folder, None)
        if parsed is not None and parsed.kind == "path" and Path(reference).is_absolute():
            inputs.append(PreparedInput(name=key, kind="path", location=reference))
    return inputs


def _answer(core: Core, laid: Laid, request: ExperimentRequest, lang: Lang) -> ExperimentBundle:
    values = laid.values
    experiment, _ = load_experiment(laid.folder)
    if laid.made and experiment is not None:
        kept: dict[str, Any] = {"sets": values.sets, "base": values.base}
        choices: Any = laid.rows.choices
        values = values_of(experiment, values.name, choices).model_copy(update=kept)
    return ExperimentBundle(
        name=values.name,
        method=values.method,
        values=values,
        request=request,
        files=[_shown(one) for one in laid.files()],
        commands=experiment_commands.commands(core, laid, values, lang),
    )


def _own_file(path: Path, folder: Path) -> OwnFile:
    info = path.stat()
    return OwnFile(
        name=path.relative_to(folder).as_posix(), path=path, size=info.st_size,
        executable=bool(info.st_mode & 0o100),
    )  # fmt: skip


def _shown(one: OwnFile) -> ExperimentFile:
    text = None
    if one.size <= TEXT_LIMIT:
        with contextlib.suppress(UnicodeDecodeError):
            read = one.path.read_bytes().decode("utf-8")
            text = None if "\x00" in read else read
    return ExperimentFile(
        name=one.name, size=one.size, sha256=file_digest(one.path), executable=one.executable,
        text=text,
    )  # fmt: skip

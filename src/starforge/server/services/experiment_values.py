"""What the experiment of a job says, as values that a form can change."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from starforge.catalog.models import Recipe
from starforge.i18n import Text
from starforge.lab.assign import Assignment, Collector
from starforge.lab.bundle import unpack
from starforge.lab.experiment import CONFIG_FILE, Experiment, load_experiment
from starforge.lab.templates import to_yaml
from starforge.plan import InputRef
from starforge.server.core import Core
from starforge.server.errors import not_found
from starforge.server.store.records import Job
from starforge.wire.experiments import (
    DataChoice,
    ExperimentRequest,
    ExperimentValues,
    PreparedInput,
)

_BAD = Text("its experiment can't be read any more", "已无法读取它的实验文件")
_NONE = Text("it was not made of an experiment", "它不是由实验提交的")
_GONE = Text("its uploaded files are gone", "它上传的文件已不存在")


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The experiment of a job: its files, unpacked, and what was sent beside them."""

    job: Job
    folder: Path
    experiment: Experiment
    sets: list[str]
    inputs: dict[str, InputRef]

    @property
    def profile(self) -> str | None:
        """The profile that replaced the file's own, if one did."""
        used = self.job.plan.resources.profile
        return None if used == self.experiment.resources else used


@contextlib.contextmanager
def origin(core: Core, job: Job) -> Iterator[Origin]:
    """Unpack the experiment of a job for a while; a 404 when it has none."""
    if job.bundle is None or not core.blobs.has(job.bundle):
        raise _missing(job, _NONE if job.bundle is None else _GONE)
    with tempfile.TemporaryDirectory(prefix="sf-experiment-") as temp:
        folder = Path(temp) / "experiment"
        unpack(core.blobs.path(job.bundle), folder)
        experiment, _ = load_experiment(folder)
        if experiment is None:
            raise _missing(job, _BAD)
        yield Origin(
            job=job, folder=folder,
            experiment=experiment.replaced(job.experiment.get("replace") or {}),
            sets=list(job.experiment.get("sets") or []),
            inputs={ref.name: ref for ref in job.plan.inputs},
        )  # fmt: skip


def _missing(job: Job, why: Text) -> Exception:
    return not_found(
        Text(f"job {job.id} has no experiment: {why.en}", f"任务 {job.id} 没有实验：{why.zh}"),
        Text("`sf job show` says what is known of it", "用 `sf job show` 查看它的信息"),
        code="job/no-experiment",
    )


def request_of(one: Origin) -> ExperimentRequest:
    """Return the body that prepares the experiment of a job again, just as it was sent."""
    assert one.job.bundle is not None
    return ExperimentRequest(
        bundle=one.job.bundle,
        sets=one.sets,
        profile=one.profile,
        inputs=[prepared_input(ref) for ref in one.inputs.values()],
        replace=one.job.experiment.get("replace") or {},
    )


def prepared_input(ref: InputRef) -> PreparedInput:
    """Return an input of a plan as it is sent."""
    return PreparedInput(**msgspec.to_builtins(ref))


def values_of_job(core: Core, one: Origin, name: str) -> ExperimentValues:
    """Return what the experiment of a job says, with what ``--set`` changed."""
    data = {
        split: _choice(reference, one.inputs.get(f"data.{split}"))
        for split, reference in one.experiment.data.items()
    }
    values = values_of(one.experiment, name, data)
    changed = values.model_copy(update={"base": one.job.id, "sets": one.sets})
    if one.profile is not None:
        changed.resources = one.profile
    if one.experiment.method in core.catalog.names():
        return _folded(changed, core, one)
    return changed


def _choice(reference: str, ref: InputRef | None) -> DataChoice:
    if ref is None or ref.kind == "registry" or ref.digest is None:
        return DataChoice(reference=reference)
    # The content is JSON lines, whatever its name said.
    name = PurePosixPath(reference.replace("\\", "/")).name or "data"
    return DataChoice(digest=ref.digest, file=str(PurePosixPath(name).with_suffix(".jsonl")))


def values_of(
    experiment: Experiment, name: str, data: dict[Any, DataChoice] | None
) -> ExperimentValues:
    """Return what the files of an experiment say; ``data`` are its splits as they travel."""
    config = experiment.folder / CONFIG_FILE
    return ExperimentValues(
        name=name,
        method=experiment.method,
        model=experiment.model,
        teacher=experiment.teacher,
        reward=experiment.reward,
        data=data,
        map=experiment.data_map,
        params=_plain(experiment.params),
        config=config.read_text("utf-8", "replace") if config.is_file() else None,
        resources=experiment.resources,
        policies=_plain(experiment.document.get("policies") or {}),
        then=_plain(experiment.then),
        description=experiment.description,
        tags=experiment.tags,
        priority=experiment.priority,
    )


def _plain(value: Any) -> Any:
    """Return a value with texts as keys, as JSON wants them."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _folded(values: ExperimentValues, core: Core, one: Origin) -> ExperimentValues:
    """Write what ``--set`` changed where the files would say it."""
    recipe = core.catalog.recipe(one.experiment.method)
    config = core.catalog.contract(recipe).configs[recipe.config]
    native = dict(one.experiment.config)
    for text in one.sets:
        found = Collector(recipe, config).from_sets([text])
        if not found:
            continue
        first = found[0]
        if recipe.preset(first.name) is not None:
            values.params = {**values.params, first.name: text.partition("=")[2].strip()}
        else:
            values.config, native = _dropped(values.config, native, first.path)
            name = _published(recipe, first)
            if name is not None:
                values.params = {**values.params, name: first.value}
            else:
                line = f"{to_yaml(first.path)}: {to_yaml(first.value)}\n"
                values.config = f"{(values.config or '').rstrip()}\n{line}".lstrip()
                native = {**native, first.path: first.value}
        values.sets = [other for other in values.sets if other != text]
    return values


def _published(recipe: Recipe, one: Assignment) -> str | None:
    return one.parameter if one.parameter and recipe.parameter(one.parameter) else None


def _dropped(
    text: str | None, written: dict[str, Any], path: str
) -> tuple[str | None, dict[str, Any]]:
    """Return config.yaml without a native key; its comments go only when the key was there."""
    kept = _without(written, path.split("."))
    if kept == written:
        return text, written
    return "".join(f"{to_yaml(key)}: {to_yaml(value)}\n" for key, value in kept.items()), kept


def _without(node: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return nested or dotted keys without the one at ``path``."""
    kept: dict[str, Any] = {}
    for key, value in node.items():
        parts = str(key).split(".")
        if parts == list(path):
            continue
        if isinstance(value, dict) and list(path[: len(parts)]) == parts:
            value = _without(value, path[len(parts) :])  # noqa: PLW2901 - the same key
        kept[key] = value
    return kept

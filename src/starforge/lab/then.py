"""``then`` of experiment.yaml: what follows a job's success.

A step is ``export``, the name of a benchmark, ``evalkit/benchmark`` (the pack ``basics``), or
a mapping: ``{export: model | adapter}``, ``{benchmark: NAME or list, data, resources,
PARAMETER: value, ...}`` with the published parameters of ``evalkit/benchmark``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from starforge.catalog.models import Recipe
from starforge.errors import StarForgeError
from starforge.findings import Finding
from starforge.i18n import Text
from starforge.lab import rules_then as rules
from starforge.lab.document import Document
from starforge.lab.experiment import EXPERIMENT_FILE, Experiment
from starforge.lab.lab import BENCHMARKS
from starforge.lab.values import shown
from starforge.plan import FollowUp

EXPORT = "export"
BENCHMARK = "benchmark"
METHOD = "evalkit/benchmark"
DEFAULT_PACK = "basics"
REWARD_ALGORITHM = "rm"
_FORMS = ("model", "adapter")


def read_then(
    experiment: Experiment, recipe: Recipe
) -> tuple[list[tuple[int, FollowUp]], list[Finding]]:
    """Return the usable steps with their place in the list, and what is wrong with the others.

    Benchmarks and their parameters are checked by preparing the experiment that each step
    stands for, see :func:`write_experiment`.
    """
    steps: list[tuple[int, FollowUp]] = []
    findings: list[Finding] = []
    scores = recipe.algorithm == REWARD_ALGORITHM
    for index, written in enumerate(experiment.then):
        at = experiment.at(f"then.{index}")
        step = _step(written, recipe.framework, scores=scores)
        if step is None:
            findings.append(rules.STEP.at(at, value=shown(written)))
        elif _leaves_nothing(recipe):
            findings.append(rules.NO_MODEL.at(at, method=recipe.name))
        elif step.kind == BENCHMARK and scores:
            findings.append(rules.REWARD_MODEL.at(at, method=recipe.name))
        elif any(step == other for _, other in steps):
            findings.append(rules.TWICE.at(at, value=shown(written)))
        else:
            steps.append((index, step))
    return steps, findings


def _leaves_nothing(recipe: Recipe) -> bool:
    """Say whether a method leaves no model. Scripts of users may leave any."""
    has_final = recipe.checkpoint is not None and recipe.checkpoint.final is not None
    return recipe.framework != "custom" and not has_final


def _step(written: Any, framework: str, *, scores: bool) -> FollowUp | None:
    if isinstance(written, str):
        name = DEFAULT_PACK if written == METHOD else written
        written = {EXPORT: "model"} if name == EXPORT else {BENCHMARK: name}
    if not isinstance(written, dict) or not all(isinstance(key, str) for key in written):
        return None
    if EXPORT in written:
        form = written[EXPORT] or "model"
        if form not in _FORMS or len(written) > 1:
            return None
        form = cast(Literal["model", "adapter"], form)
        return FollowUp(kind="export", method=f"{framework}/export", form=form, scores=scores)
    return _benchmark(written)


def _benchmark(written: dict[str, Any]) -> FollowUp | None:
    rest = dict(written)
    names = rest.pop(BENCHMARK, None)
    names = [names] if isinstance(names, str) else names
    data, resources = rest.pop("data", None), rest.pop("resources", None)
    texts = (data is None or isinstance(data, str)) and (
        resources is None or isinstance(resources, str)
    )
    if not isinstance(names, list) or not names or not texts or "benchmarks" in rest:
        return None
    if not all(isinstance(name, str) and name.strip() for name in names):
        return None
    return FollowUp(
        kind="benchmark", method=METHOD, params={"benchmarks": names, **rest}, data=data,
        resources=resources,
    )  # fmt: skip


def pack_names(then: Sequence[Any]) -> set[str]:
    """Return the benchmarks that steps name, so that a lab's own ones travel along."""
    found: set[str] = set()
    for written in then:
        names = written.get(BENCHMARK) if isinstance(written, dict) else written
        found.update(name for name in (names if isinstance(names, list) else [names])
                     if isinstance(name, str))  # fmt: skip
    return found


def label(step: FollowUp) -> str:
    """Return a step in a few words, for names of jobs and lists."""
    if step.kind == "export":
        return EXPORT if step.form == "model" else f"{EXPORT} ({step.form})"
    return "+".join(str(name) for name in step.params["benchmarks"])


def write_experiment(
    step: FollowUp, folder: Path, *, model: str, roots: Sequence[Path], gpus: int
) -> None:
    """Write the experiment of a benchmark step into the new ``folder``.

    Own packs and the file of ``data`` are copied from the first of ``roots`` that has them.
    Without ``resources`` a job that trained on GPUs is scored on one. A file outside of the
    roots is :class:`StarForgeError` ``then/data``.
    """
    folder.mkdir(parents=True)
    written: dict[str, Any] = {"method": step.method, "model": model, "params": step.params}
    resources = step.resources or ("gpu:1" if gpus else None)
    if resources is not None:
        written["resources"] = resources
    if step.data is not None:
        written["data"] = {"test": step.data}
        if not step.data.startswith("dataset:"):
            _copy_data(step.data, folder, roots)
    # JSON is YAML, and quotes whatever needs quoting.
    text = json.dumps(written, ensure_ascii=False, indent=2)
    (folder / EXPERIMENT_FILE).write_text(text + "\n", "utf-8")
    for name in step.params["benchmarks"]:
        places = [root / BENCHMARKS / name for root in roots]
        # Only a plain name: `..` would leave the folder of packs.
        source = next((one for one in places if one.is_dir() and one.name == name), None)
        if source is not None:
            shutil.copytree(source, folder / BENCHMARKS / name)


def _copy_data(data: str, folder: Path, roots: Sequence[Path]) -> None:
    inside = not Path(data).is_absolute() and ".." not in Path(data).parts
    source = next((root / data for root in roots[:1] if (root / data).is_file()), None)
    if not inside or source is None:
        raise StarForgeError(
            rules.DATA.code,
            Text(f"`{data}` is not a file of the experiment's folder",
                 f"`{data}` 不是实验文件夹中的文件"),
            rules.DATA.hint,
        )  # fmt: skip
    target = folder / data
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def placed(finding: Finding, document: Document, index: int) -> Finding:
    """Return a finding about a step's experiment with its place in the file that has the step."""
    key = finding.at.key or ""
    step = f"then.{index}"
    path = f"{step}.{key.removeprefix('params.')}" if key else step
    if key in ("params.benchmarks", "tasks", "benchmarks"):
        path = f"{step}.{BENCHMARK}"
    elif key == "data.test":
        path = f"{step}.data"
    at = document.at(path)
    return msgspec.structs.replace(finding, at=at)

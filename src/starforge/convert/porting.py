"""The same experiment for another method: parameters by common name, units converted.

What a user set is carried over or listed; besides, what makes the training what it is
(:data:`ESSENTIAL`) keeps its value where the two methods have different defaults.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from starforge.catalog.load import Catalog
from starforge.catalog.models import ContractConfig, Parameter, Recipe
from starforge.convert.files import config_text, experiment_text, readme_text
from starforge.convert.fit import fit
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lab.experiment import CONFIG_FILE, EXPERIMENT_FILE, LOCK_FILE, Experiment
from starforge.lab.ignore import load_ignore
from starforge.lab.lab import Lab
from starforge.lab.scaffold import create_experiment
from starforge.lab.values import shown
from starforge.lang import t
from starforge.prepare import Prepared

ESSENTIAL = frozenset({
    "learning_rate", "weight_decay", "max_grad_norm", "beta", "label_smoothing", "temperature",
    "top_p", "group_size", "updates_per_batch", "prompts_per_step", "max_tokens",
    "max_completion_tokens", "gamma", "gae_lambda", "sft_loss_coef", "critic_learning_rate",
})  # fmt: skip
_OWN = frozenset({EXPERIMENT_FILE, CONFIG_FILE, LOCK_FILE, "README.md"})


class PortNote(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one setting; for a conversion ``why`` shows the arithmetic."""

    kind: Literal["changed", "lost", "dropped", "todo"]
    what: str
    why: Text
    line: int = 0


class Port(msgspec.Struct, kw_only=True):
    """A port in the making.

    ``values`` are the source's effective parameters, ``user`` the names a person set;
    ``seen`` are names that a conversion has dealt with, ``params`` the target's.
    """

    source: Recipe
    target: Recipe
    contract: ContractConfig
    values: dict[str, Any]
    user: set[str]
    gpus: int
    rows: int | None
    steps: int | None
    params: dict[str, Any] = {}
    seen: set[str] = set()
    notes: list[PortNote] = []

    def has(self, name: str) -> bool:
        """Say whether the target publishes a parameter."""
        return self.target.parameter(name) is not None

    def get(self, name: str, default: Any = None) -> Any:
        """Return the source's value of a parameter."""
        value = self.values.get(name)
        return default if value is None else value

    def start(self, name: str) -> Any:
        """Return the target's default of a parameter."""
        parameter = self.target.parameter(name)
        return parameter.default if parameter else None

    def put(self, name: str, value: Any, why: Text | None = None) -> bool:
        """Set a parameter of the target; ``why`` is the arithmetic, for the report."""
        parameter = self.target.parameter(name)
        if parameter is None:
            return False
        ok, made = fit(parameter, self.contract, value)
        if not ok:
            return False
        if made == parameter.default:
            self.params.pop(name, None)
        else:
            self.params[name] = made
        if why is not None:
            self.notes.append(PortNote(kind="changed", what=f"{name}={shown(made)}", why=why))
        return True

    def lost(self, name: str, why: Text) -> None:
        """Say that a parameter a user set is not carried over."""
        if name in self.user:
            what = f"{name}={shown(self.values.get(name))}"
            self.notes.append(PortNote(kind="lost", what=what, why=why))


class Ported(msgspec.Struct, frozen=True, kw_only=True):
    """The new experiment: the head of experiment.yaml, parameters, native keys, the report."""

    recipe: Recipe
    head: dict[str, Any]
    params: dict[str, Any]
    notes: list[PortNote]
    config: dict[str, Any] = {}


def port_experiment(prepared: Prepared, origin: Path, method: str, catalog: Catalog) -> Ported:
    """Return the experiment for ``method``.

    Raises :class:`StarForgeError` when the source can't be read, ``method`` is unknown, or
    the two methods learn from different kinds of data.
    """
    from starforge.convert.units import CONVERSIONS

    source, experiment, context = prepared.recipe, prepared.experiment, prepared.context
    if source is None or experiment is None or context is None:
        raise _unreadable(origin)
    target = catalog.recipe(method)
    _check_kinds(source, target)
    train = context.data.get("train")
    port = Port(
        source=source, target=target,
        contract=catalog.contract(target).configs[target.config],
        values=dict(context.config.parameters), user=_set_by_user(experiment, source),
        gpus=max(1, context.resources.gpus), rows=train.ref.rows if train else None,
        steps=prepared.plan.total_steps if prepared.plan else None,
        params={}, seen=set(), notes=[],
    )  # fmt: skip
    for convert in CONVERSIONS:
        convert(port)
    _rest(port)
    _presets(port, experiment)
    _native(port, experiment)
    head = _head(port, experiment)
    ordered = [one.name for one in target.parameters if one.name in port.params]
    ordered += [name for name in port.params if name not in ordered]
    return Ported(recipe=target, head=head, params={name: port.params[name] for name in ordered},
                  notes=port.notes)  # fmt: skip


def write_port(
    ported: Ported,
    origin: Path,
    lab: Lab,
    name: str,
    catalog: Catalog,
    *,
    runtime: dict[str, str],
) -> Path:
    """Create ``experiments/NAME`` with the source's own files; it appears whole or not at all."""
    said = t("ported from {name}", "移植自 {name}", name=origin.name)

    def fill(folder: Path) -> None:
        _copy_files(origin, folder)
        texts = {
            EXPERIMENT_FILE: experiment_text(name, ported.recipe, ported.head, ported.params),
            CONFIG_FILE: config_text(ported.recipe, ported.config, set()),
            "README.md": readme_text(name, ported.recipe, said, ported.notes),
        }
        for relative, text in texts.items():
            (folder / relative).write_text(text, "utf-8")

    return create_experiment(lab, name, ported.recipe, catalog, fill, runtime=runtime)


def _copy_files(origin: Path, folder: Path) -> None:
    ignore = load_ignore(origin)

    def left_out(parent: str, names: list[str]) -> set[str]:
        top = Path(parent) == origin
        return {
            name
            for name in names
            if (top and name in _OWN)
            or ignore.matches(Path(parent, name).relative_to(origin).as_posix(),
                              is_dir=Path(parent, name).is_dir())
        }  # fmt: skip

    shutil.copytree(origin, folder, ignore=left_out, dirs_exist_ok=True, symlinks=True)


def _rest(port: Port) -> None:
    """Carry over by name what no conversion has dealt with."""
    for parameter in port.source.parameters:
        name = parameter.name
        if name in port.seen or not (name in port.user or name in ESSENTIAL):
            continue
        value = port.values.get(name)
        if not port.has(name):
            port.lost(name, Text(f"{port.target.name} has no such parameter",
                                 f"{port.target.name} 没有这个参数"))  # fmt: skip
        elif (value is None and name not in port.user) or _is_reference(value):
            continue
        elif not port.put(name, value):
            port.lost(name, _not_taken(port, name))


def _not_taken(port: Port, name: str) -> Text:
    parameter = port.target.parameter(name)
    choices = parameter.choices if isinstance(parameter, Parameter) else None
    if choices:
        listed = ", ".join(shown(one) for one in choices)
        return Text(
            f"{port.target.name} takes one of {listed}", f"{port.target.name} 只接受：{listed}"
        )
    return Text(f"{port.target.name} does not take this value", f"{port.target.name} 不接受这个值")


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and "${" in value


def _presets(port: Port, experiment: Experiment) -> None:
    for preset in port.source.presets:
        if preset.name not in experiment.params or preset.name in port.seen:
            continue
        word = experiment.params[preset.name]
        other = port.target.preset(preset.name)
        if other is not None and str(word) in other.options:
            port.params[preset.name] = word
        elif not port.put(preset.name, word):
            why = Text(f"{port.target.name} has no such choice", f"{port.target.name} 没有这个选项")
            port.notes.append(PortNote(kind="lost", what=f"{preset.name}={word}", why=why))


def _native(port: Port, experiment: Experiment) -> None:
    published = {one.path for one in port.source.parameters}
    why = Text(f"a key of {port.source.framework} itself", f"{port.source.framework} 自己的键")
    for path, value in flat(experiment.config):
        if path not in published:
            note = PortNote(kind="lost", what=f"{path}={shown(value)}", why=why)
            port.notes.append(note)


def _set_by_user(experiment: Experiment, recipe: Recipe) -> set[str]:
    """Return the parameters set under their own name, in either file."""
    by_path = {one.path: one.name for one in recipe.parameters}
    native = {by_path[path] for path, _ in flat(experiment.config) if path in by_path}
    return native | {name for name in experiment.params if recipe.parameter(name) is not None}


def flat(mapping: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested keys, by dotted path."""
    for key, value in mapping.items():
        path = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, dict) and value:
            yield from flat(value, path)
        else:
            yield path, value


def _head(port: Port, experiment: Experiment) -> dict[str, Any]:
    """Return everything of experiment.yaml but parameters, for the target."""
    head: dict[str, Any] = {"method": port.target.name}
    for key, value in experiment.document.mapping.items():
        if key in ("method", "params") or value is None:
            continue
        need = getattr(port.target, key, None) if key in ("model", "teacher", "reward") else None
        if need == "none":
            why = Text(f"{port.target.name} takes none", f"{port.target.name} 不使用它")
            port.notes.append(PortNote(kind="lost", what=f"{key}={shown(value)}", why=why))
        else:
            head[key] = value
    return head


def _check_kinds(source: Recipe, target: Recipe) -> None:
    if source.data.kind == target.data.kind:
        return
    raise StarForgeError(
        "port/other-data",
        Text(f"{source.name} learns from {source.data.kind} data, {target.name} from "
             f"{target.data.kind} data",
             f"{source.name} 使用 {source.data.kind} 类数据，{target.name} 使用 "
             f"{target.data.kind} 类数据"),
        Text(f"`sf methods --data {source.data.kind}` lists the methods for the same data",
             f"用 `sf methods --data {source.data.kind}` 查看适用同类数据的方法"),
    )  # fmt: skip


def _unreadable(origin: Path) -> StarForgeError:
    return StarForgeError(
        "port/unreadable",
        Text(f"{origin.name} can't be read as an experiment", f"无法将 {origin.name} 作为实验读取"),
        Text(f"`sf validate {origin.name}` says why", f"用 `sf validate {origin.name}` 查看原因"),
    )

"""``sf recipe``: what an experiment is locked to, and taking it to what the catalog has now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import Group, argument, json_option, option
from starforge.cli.complete import complete_experiment
from starforge.cli.experiment import EXPERIMENT, chosen_folders
from starforge.cli.output import note, print_json, say, style
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.catalog.load import Catalog
    from starforge.catalog.models import Recipe
    from starforge.choose.drift import Change, Drift

_PARTS = {
    "method": ("method", "方法"), "version": ("framework version", "框架版本"),
    "recipe": ("recipe", "配方"), "contract": ("contract", "契约"),
    "runtime": ("runtime", "运行环境"), "model": ("model", "模型"), "data": ("data", "数据"),
}  # fmt: skip
_ALL = ("Every experiment of this lab.", "当前 lab 的全部实验。")


@click.group(
    "recipe",
    cls=Group,
    text=(
        "See what changed since an experiment was locked, and accept it.\n\nrecipe.lock.json pins "
        "the recipe, the framework's version, its contract and runtime, and the revisions of "
        "model and data. A submission is refused when recipe, version or contract are others.",
        "查看实验锁定之后的变化，并接受这些变化。\n\nrecipe.lock.json 固定了配方、框架版本、"
        "契约、运行环境以及模型和数据的版本。配方、版本或契约有变时，提交会被拒绝。",
    ),
    examples=[
        ("sf recipe status my-sft", ("what changed", "查看变化")),
        ("sf recipe upgrade --all", ("accept it for the whole lab", "为整个 lab 接受变化")),
    ],
)
def recipe() -> None:
    """Nothing happens without a subcommand."""


@recipe.command(
    "status",
    text=(
        "Say what changed since an experiment was locked.\n\nNames parameters that are gone, new "
        "or have another default, and keys of the experiment that are not taken any more. Exits "
        "with 1 when a submission would be refused.",
        "说明实验锁定之后有哪些变化。\n\n列出消失、新增、默认值变化的参数，"
        "以及实验中不再被接受的键。提交会被拒绝时退出码为 1。",
    ),
    examples=[
        ("sf recipe status my-sft", ("one experiment", "查看一个实验")),
        ("sf recipe status --all --json", ("the whole lab, for a script", "整个 lab，供脚本使用")),
    ],
)
@argument(
    "experiment", EXPERIMENT, metavar="[EXP]", required=False, shell_complete=complete_experiment
)
@option("--all", "every", is_flag=True, text=_ALL)
@json_option
def status(experiment: str | None, every: bool, as_json: bool) -> None:
    """JSON is a list of ``{name, method, locked, refused, changes, parameters, dead}``.

    One that can't be read is ``{name, error}`` there.
    """
    from starforge.choose.drift import public

    found, broken = _drifts(experiment, every=every)
    if as_json:
        print_json([*(public(one) for one in found), *broken])
    else:
        for one in found:
            _show(one)
    if broken or any(one.refused for one in found):
        raise click.exceptions.Exit(1)


@recipe.command(
    "upgrade",
    text=(
        "Lock an experiment to what the catalog has now.\n\nRewrites recipe.lock.json. A key of "
        "config.yaml that merely has another name is renamed where it stands, comments and all; "
        "what needs a decision is listed. Look first with `sf recipe status`.",
        "把实验锁定到目录的现状。\n\n重写 recipe.lock.json。config.yaml 中仅仅改了名字的键会在"
        "原处改名，注释保持不变；需要自行决定的会列出来。请先用 `sf recipe status` 查看。",
    ),
    examples=[
        ("sf recipe upgrade my-sft", ("one experiment", "升级一个实验")),
        ("sf recipe upgrade --all", ("the whole lab", "升级整个 lab")),
    ],
)
@argument(
    "experiment", EXPERIMENT, metavar="[EXP]", required=False, shell_complete=complete_experiment
)
@option("--all", "every", is_flag=True, text=_ALL)
@json_option
def upgrade(experiment: str | None, every: bool, as_json: bool) -> None:
    """JSON is as of ``status`` with ``renamed`` and ``by_hand`` (old key to new)."""
    from starforge.client.catalogs import connected_catalog

    catalog, _ = connected_catalog()
    results = []
    drifts, broken = _drifts(experiment, every=every)
    for drift in drifts:
        renaming = _rename(drift.folder, catalog.recipe(drift.method), catalog)
        results.append(_lock(drift.folder) | renaming)
        if not as_json:
            _show(drift)
            _show_upgraded(drift, results[-1])
    if as_json:
        print_json([*results, *broken])
    if broken:
        raise click.exceptions.Exit(1)


def _drifts(experiment: str | None, *, every: bool) -> tuple[list[Drift], list[dict[str, Any]]]:
    """Return what became of the chosen experiments, and those that can't be read.

    With ``--all`` one broken experiment does not keep the others from being looked at.
    """
    from starforge.choose.drift import drift_of
    from starforge.client.catalogs import connected_catalog
    from starforge.errors import StarForgeError

    catalog, _ = connected_catalog()
    found: list[Drift] = []
    broken: list[dict[str, Any]] = []
    for folder in chosen_folders(experiment, every=every):
        try:
            found.append(drift_of(folder, catalog))
        except StarForgeError as error:
            if not every:
                raise
            message = error.message.pick()
            note(f"{folder.name}: {message}")
            broken.append({"name": folder.name, "error": {"code": error.code, "message": message}})
    return found, broken


def _rename(folder: Path, recipe: Recipe, catalog: Catalog) -> dict[str, dict[str, str]]:
    from starforge.choose.rename_keys import rename_keys

    config = catalog.contract(recipe).configs[recipe.config]
    renaming = rename_keys(folder, recipe, config)
    if renaming is None:
        return {"renamed": {}, "by_hand": {}}
    if renaming.done:
        (folder / "config.yaml").write_text(renaming.text, "utf-8")
    return {"renamed": renaming.done, "by_hand": renaming.by_hand}


def _lock(folder: Path) -> dict[str, Any]:
    """Write the lock of an experiment as it is now, and return its new status."""
    from starforge.choose.drift import drift_of, public
    from starforge.client.catalogs import connected_catalog
    from starforge.lab.lock import write_lock

    catalog, _ = connected_catalog()
    drift = drift_of(folder, catalog)
    write_lock(folder, drift.current)
    return public(drift_of(folder, catalog))


def update_lock(experiment: str) -> None:
    """Accept all changes for ``sf submit --update-lock``; say what they are."""
    from starforge.lab.lock import write_lock

    for drift in _drifts(experiment, every=False)[0]:
        if drift.changes or drift.locked is None:
            _show(drift, err=True)
            write_lock(drift.folder, drift.current)
            click.echo(t("recipe.lock.json updated", "已更新 recipe.lock.json"), err=True)


def _show(drift: Drift, *, err: bool = False) -> None:
    for line in _lines(drift):
        click.echo(line, err=err)


def _lines(drift: Drift) -> list[str]:
    name = style(drift.folder.name, bold=True)
    if drift.locked is None:
        return [f"{name} ({drift.method}): " + t("no recipe.lock.json", "没有 recipe.lock.json"),
                *_dead(drift)]  # fmt: skip
    if not drift.changes:
        return [f"{name} ({drift.method}): " + t("as locked", "与锁定时一致"), *_dead(drift)]
    lines = [f"{name} ({drift.method}): " + t("changed since it was locked", "锁定之后有变化")]
    lines += [f"  {_change(change)}" for change in drift.changes]
    moves = drift.moves
    for label, names in ((t("parameters gone", "消失的参数"), moves.gone),
                         (t("new parameters", "新增的参数"), moves.new)):  # fmt: skip
        if names:
            lines.append(f"  {label}: {', '.join(names)}")
    lines += [f"  {name}: {was} → {now}" for name, (was, now) in moves.moved.items()]
    return [*lines, *_dead(drift)]


def _change(change: Change) -> str:
    def short(text: str | None) -> str:
        digest = text is not None and len(text) == 64 and "/" not in text
        return "-" if text is None else (text[:12] if digest else text)

    name = t(*_PARTS[change.part])
    if "." in change.name:
        name += f" {change.name.partition('.')[2]}"
    line = f"{name}: {short(change.was)} → {short(change.now)}"
    return line + (t(" (a submission is refused)", "（提交会被拒绝）") if change.refused else "")


def _dead(drift: Drift) -> list[str]:
    lines = []
    for finding in drift.dead:
        place = ":".join(str(part) for part in (finding.at.file, finding.at.line) if part)
        hint = f" ({finding.hint.pick()})" if finding.hint else ""
        lines.append(f"  {place}: {finding.message.pick()}{hint}")
    return lines


def _show_upgraded(drift: Drift, result: dict[str, Any]) -> None:
    for old, new in result["renamed"].items():
        say(t("  renamed in config.yaml: {old} → {new}", "  已在 config.yaml 中改名：{old} → {new}",
              old=old, new=new))  # fmt: skip
    for old, new in result["by_hand"].items():
        say(t("  move by hand in config.yaml: {old} → {new}",
              "  请在 config.yaml 中手动移动：{old} → {new}", old=old, new=new))  # fmt: skip
    say(style(t("  locked to {pin}", "  已锁定到 {pin}",
                pin=f"{drift.current.framework}@{drift.current.version}"), "green"))  # fmt: skip

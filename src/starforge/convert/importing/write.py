"""Write an imported launch as an experiment of the lab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from starforge.catalog.load import Catalog
from starforge.catalog.models import Recipe
from starforge.convert.files import config_text, experiment_text, readme_text
from starforge.convert.importing.data import TakenData, take_data, write_rows
from starforge.convert.importing.model import Note, Upstream
from starforge.convert.importing.place import Placed, place
from starforge.convert.importing.reward import TakenReward, take_reward
from starforge.i18n import Text
from starforge.lab.lab import Lab
from starforge.lab.scaffold import create_experiment


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What an import comes to, before anything is written. ``head`` is experiment.yaml's rest."""

    recipe: Recipe
    head: dict[str, Any]
    placed: Placed
    data: dict[str, TakenData]
    reward: TakenReward
    notes: list[Note]


def assemble(upstream: Upstream, catalog: Catalog, lab_root: Path) -> Imported:
    """Decide what the experiment will hold."""
    recipe = catalog.recipe(upstream.method)
    placed = place(upstream, recipe, catalog.contract(recipe).configs[recipe.config])
    notes = [*upstream.notes, *placed.notes]
    head: dict[str, Any] = {"method": recipe.name}
    if recipe.model != "none":
        head["model"] = _model("model", upstream.model, upstream, recipe.model, notes)
    if recipe.teacher != "none":
        head["teacher"] = _model("teacher", upstream.teacher, upstream, recipe.teacher, notes)
    reward = TakenReward(reference=None)
    if recipe.reward != "none" and upstream.reward is not None:
        reward = take_reward(upstream.reward, upstream.folder)
        notes += reward.notes
        head["reward"] = reward.reference
    elif recipe.reward == "required":
        why = Text("write a reward file, or name a reward model", "请写奖励文件，或指定奖励模型")
        notes.append(Note(kind="todo", what="reward", why=why))
    data = {}
    for split, ref in upstream.data.items():
        data[split] = take_data(split, ref, upstream.folder, lab_root)
        notes += data[split].notes
    if recipe.data.train == "required" and "train" not in data:
        why = Text("the launch names no data that could be taken over", "启动中没有可沿用的数据")
        notes.append(Note(kind="todo", what="data.train", why=why))
        data["train"] = TakenData(reference="data/train.jsonl")
    head["data"] = {split: one.reference for split, one in data.items()}
    head["resources"] = _resources(upstream, notes)
    kept = {key: value for key, value in head.items() if value not in (None, {})}
    return Imported(recipe=recipe, head=kept, placed=placed, data=data, reward=reward,
                    notes=notes)  # fmt: skip


def write(
    imported: Imported,
    upstream: Upstream,
    lab: Lab,
    name: str,
    catalog: Catalog,
    *,
    description: str,
    runtime: dict[str, str],
) -> Path:
    """Create ``experiments/NAME``; it appears whole or not at all."""

    def fill(folder: Path) -> None:
        head = {**imported.head, "description": description}
        texts = {
            "experiment.yaml": experiment_text(name, imported.recipe, head, imported.placed.params),
            "config.yaml": config_text(imported.recipe, imported.placed.config, upstream.sections),
            "README.md": readme_text(name, imported.recipe, description, imported.notes),
            **imported.reward.files,
        }
        for relative, text in texts.items():
            (folder / relative).write_text(text, "utf-8")
        for split, taken in imported.data.items():
            if taken.files:
                write_rows(taken, upstream.data[split], folder)

    return create_experiment(lab, name, imported.recipe, catalog, fill, runtime=runtime)


def _model(
    key: str, reference: str | None, upstream: Upstream, need: str, notes: list[Note]
) -> str | None:
    if reference is None:
        if need == "required":
            why = Text("the launch does not name it; add it to experiment.yaml",
                       "启动中没有指定，请补到 experiment.yaml")  # fmt: skip
            notes.append(Note(kind="todo", what=key, why=why))
        return None
    try:
        local = upstream.folder / Path(reference).expanduser()
        if local.is_dir():
            return str(local.resolve())
    except (OSError, RuntimeError):
        pass
    return reference


def _resources(upstream: Upstream, notes: list[Note]) -> str:
    if upstream.value("use_cpu") is True:
        return "local"
    if upstream.gpus is not None:
        return f"gpu:{max(1, upstream.gpus)}"
    why = Text(
        "the launch does not say how many GPUs it takes; if it is not one, change `resources`",
        "启动中没有说明使用几张 GPU；若不是一张，请修改 `resources`",
    )
    notes.append(Note(kind="changed", what="resources=gpu:1", why=why))
    return "gpu:1"

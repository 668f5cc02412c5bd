"""Methods for a situation, best first, with the reason and the next command. Pure functions."""

from __future__ import annotations

import shlex

import msgspec

from starforge.catalog.load import Catalog
from starforge.catalog.models import DataKind, Recipe
from starforge.choose.detect import Detected
from starforge.choose.rules import TRAITS, Advice, Trait, branch_of
from starforge.i18n import Text

# Bytes of GPU memory a parameter takes in full training with Adam in mixed precision: weights
# and gradients in 16 bits, two moments and a master copy in 32 (ZeRO, arXiv:1910.02054, sec. 3.1).
BYTES_FULL = 16
SHARE = 0.6  # of the memory; the rest is for activations and the rollout engine
TIGHT = 3e9  # parameters that a usual small model has; less than this is tight
# Where there is no GPU: the stacks by how little they ask for.
_ON_CPU = ("trl", "verl", "openrlhf", "nemo-rl")


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """What is at hand beside the data; ``gpu_memory`` in GB for each GPU, if known."""

    gpus: int
    gpu_memory: float | None = None
    teacher: str | None = None


class Recommendation(msgspec.Struct, frozen=True, kw_only=True):
    """A method, why it stands where it stands, and the command that begins with it."""

    method: str
    title: Text
    reason: Text
    command: str


def recommend(
    found: Detected, situation: Situation, catalog: Catalog, data: str
) -> list[Recommendation]:
    """Return the methods of ``catalog`` that fit, best first.

    ``data`` is the file for the commands.
    """
    traits = traits_of(found, situation)
    picked: dict[str, tuple[Advice, Recipe]] = {}
    for kind in _kinds(found, situation):
        for one, recipe in advised(kind, traits, situation.gpus, catalog):
            if fits(recipe, found):
                picked.setdefault(one.method, (one, recipe))
    best = list(picked.values())
    if situation.gpus == 0:
        best.sort(key=lambda pair: pair[1].minimum.gpus > 0)
    return [
        Recommendation(
            method=recipe.name, title=recipe.title,
            reason=_reason(one, recipe, situation, traits),
            command=command(recipe, found, situation, data),
        )
        for one, recipe in best
    ]  # fmt: skip


def advised(
    kind: DataKind, traits: frozenset[Trait], gpus: int, catalog: Catalog
) -> list[tuple[Advice, Recipe]]:
    """Return what a branch advises with the methods of ``catalog``, best first."""
    known = set(catalog.names())
    branch = [one for one in _branch(kind, traits, catalog) if one.method in known]
    recipes = [(one, catalog.recipe(one.method)) for one in branch]
    if gpus == 0:
        recipes.sort(key=lambda pair: _cpu_rank(pair[0], pair[1], traits))
    return recipes


def traits_of(found: Detected, situation: Situation) -> frozenset[Trait]:
    """Return what of the data and of the machine decides between methods."""
    traits: set[Trait] = set(found.traits)
    traits.add("teacher" if situation.teacher else "no_teacher")
    if is_tight(situation):
        traits.add("tight_memory")
    return frozenset(traits)


def is_tight(situation: Situation) -> bool:
    """Say whether full training of even a small model would not fit the GPUs."""
    size = largest_model(situation)
    return situation.gpus > 0 and size is not None and size < TIGHT


def largest_model(situation: Situation) -> float | None:
    """Return about how many parameters full training has room for on all GPUs together."""
    if not situation.gpu_memory:
        return None
    return situation.gpus * situation.gpu_memory * 1e9 * SHARE / BYTES_FULL


def fits(recipe: Recipe, found: Detected) -> bool:
    """Say whether the rows have the columns of one of the method's shapes."""
    columns = set().union(*(row.keys() for row in found.rows))
    return not recipe.data.shapes or any(columns >= set(shape) for shape in recipe.data.shapes)


def _kinds(found: Detected, situation: Situation) -> list[DataKind]:
    """Return the branches to go down: a teacher opens distillation for whatever has prompts."""
    kinds = [found.kind]
    has_prompt = "prompt" in found.shape and found.kind in ("instruction", "verifiable")
    if situation.teacher and has_prompt:
        kinds.insert(0, "prompts")
    if found.kind == "prompts" and not situation.teacher:
        kinds.append("verifiable")
    return kinds


def _branch(kind: DataKind, traits: frozenset[Trait], catalog: Catalog) -> list[Advice]:
    listed = [
        one for one in branch_of(kind).advice if one.only_with is None or one.only_with in traits
    ]
    listed.sort(key=lambda one: one.lifted_by not in traits)
    ruled = {one.method for one in branch_of(kind).advice}
    own = [
        Advice(method=header.name, reason=catalog.recipe(header.name).use_when)
        for header in catalog.headers()
        if header.data == kind and header.name not in ruled
    ]
    return listed + own


def _cpu_rank(advice: Advice, recipe: Recipe, traits: frozenset[Trait]) -> tuple[bool, bool, int]:
    lifted = advice.lifted_by in traits
    place = _ON_CPU.index(recipe.framework) if recipe.framework in _ON_CPU else len(_ON_CPU)
    return (not lifted, advice.when is not None, place)


def _reason(advice: Advice, recipe: Recipe, situation: Situation, traits: frozenset[Trait]) -> Text:
    parts = [advice.reason]
    if advice.lifted_by in traits and advice.lifted_by not in (None, "no_teacher"):
        parts.insert(0, TRAITS[advice.lifted_by])
    elif "tight_memory" in traits and (lora := _lora(recipe)):
        parts.append(Text(f"set `{lora}` to save memory", f"设置 `{lora}` 可省显存"))
    if situation.gpus == 0 and recipe.minimum.gpus == 0:
        parts.insert(0, Text("runs without a GPU", "没有 GPU 也能运行"))
    elif situation.gpus < recipe.minimum.gpus:
        count = recipe.minimum.gpus
        parts.insert(
            0, Text(f"needs {count} GPU{'s' if count > 1 else ''}", f"需要 {count} 块 GPU")
        )
    if recipe.teacher == "required" and not situation.teacher:
        parts.append(Text("needs a teacher (`--teacher`)", "需要教师模型（`--teacher`）"))
    return Text("; ".join(part.en for part in parts), "；".join(part.zh for part in parts))


def _lora(recipe: Recipe) -> str | None:
    """Return the parameter that switches adapters on, as a setting."""
    names = [one.name for one in recipe.parameters if one.group == "lora"]
    if recipe.name.endswith("-lora"):
        return None
    for name, setting in (("lora", "lora: true"), ("lora_rank", "lora_rank: 16")):
        if name in names:
            return setting
    return None


def command(recipe: Recipe, found: Detected, situation: Situation, data: str) -> str:
    """Return the ``sf new`` that begins an experiment with these data."""
    name = "my-" + recipe.name.partition("/")[2]
    parts = ["sf", "new", name, "--method", recipe.name, "--data", data]
    read = {column for shape in recipe.data.shapes for column in shape}
    for old, new in found.mapping.items():
        if recipe.data.kind != "verifiable" and new not in read:
            continue  # this method does not look at the column
        parts += ["--map", f"{new}={old}"]
    if recipe.teacher == "required" and situation.teacher:
        parts += ["--teacher", situation.teacher]
    return shlex.join(parts)

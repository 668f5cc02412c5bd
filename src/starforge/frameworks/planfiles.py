"""What the plans of all frameworks share: files with their content, streams, assembly."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from typing import Any, Literal

import msgspec

from starforge import layout
from starforge.catalog.join import contract_digest
from starforge.catalog.models import Recipe
from starforge.lab.context import PrepareContext
from starforge.plan import (
    CheckpointPlan,
    InputRef,
    LaunchPlan,
    PlanFile,
    Policies,
    Process,
    RuntimePin,
    Stream,
)
from starforge.runtimes import lock_digest

NO_RUNTIME = "none"  # Recipe.runtime of methods that run in the user's own interpreter
DRIVER_DIR = f"{layout.RECORD}/driver"
CONFIG_PATH = f"{layout.RECORD}/config.json"


def text_file(path: str, content: str, source: str = "generated") -> PlanFile:
    """Return a plan file that carries its own text; ``path`` is relative to the job folder."""
    data = content.encode("utf-8")
    return PlanFile(
        path=path,
        source="driver" if source == "driver" else "generated",
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        content=content,
    )


def driver_files(folder: str, *names: str) -> list[PlanFile]:
    """Return driver files by name; ``folder`` is below ``frameworks`` (``trl/drivers``).

    ``_drivers`` holds what the drivers of several frameworks share.
    """
    root = resources.files("starforge.frameworks").joinpath(*folder.split("/"))
    return [
        text_file(f"{DRIVER_DIR}/{name}", (root / name).read_text("utf-8"), "driver")
        for name in names
    ]


def config_file(value: dict[str, Any]) -> PlanFile:
    """Return ``record/config.json``, what a driver reads."""
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
    return text_file(CONFIG_PATH, text + "\n")


def library_files() -> list[PlanFile]:
    """Return ``lib/starforge``: the reporter, the layout it writes by, the built-in rewards."""
    files = [text_file(f"{layout.LIB}/starforge/__init__.py", "", "driver")]
    for name, content in layout.library_sources().items():
        files.append(text_file(f"{layout.LIB}/starforge/{name}", content, "driver"))
    return files


def metric_names(recipe: Recipe) -> dict[str, str]:
    """Map every upstream metric name of a recipe to its canonical name."""
    return {native: m.name for m in recipe.metrics for native in m.native if native != m.name}


def inputs_of(context: PrepareContext) -> list[InputRef]:
    """Return the job's inputs: the models first, then the data splits by name."""
    return context.models + [context.data[split].ref for split in sorted(context.data)]


def runtime_pin(context: PrepareContext) -> RuntimePin | None:
    """Return the runtime the job needs, for the device its resources ask for."""
    name = context.recipe.runtime
    if name == NO_RUNTIME:
        return None
    device: Literal["cpu", "cuda"] = "cuda" if context.resources.gpus else "cpu"
    return RuntimePin(name=name, device=device, lock_digest=lock_digest(name, device))


def policies_of(context: PrepareContext) -> Policies:
    """Return the policies; without a choice of the user the loss metrics are watched for NaN."""
    policies = context.policies
    if policies.nan_metrics:
        return policies
    losses = [m.name for m in context.recipe.metrics if m.primary and m.name.endswith("loss")]
    return msgspec.structs.replace(policies, nan_metrics=losses)


def checkpoint_plan(recipe: Recipe) -> CheckpointPlan | None:
    """Return where the recipe says checkpoints lie."""
    if recipe.checkpoint is None:
        return None
    return CheckpointPlan(**msgspec.structs.asdict(recipe.checkpoint))


def training_streams(recipe: Recipe, events: str = layout.TENSORBOARD) -> list[Stream]:
    """Return what a training run writes: event files below ``events``, reports and samples."""
    return [
        Stream(
            format="tensorboard",
            path=f"{events}/events.out.tfevents.*",
            names=metric_names(recipe),
        ),
        Stream(format="report", path=f"{layout.METRICS}/*.jsonl"),
        Stream(format="samples", path=f"{layout.SAMPLES}/*.jsonl"),
    ]


def assemble(
    context: PrepareContext,
    *,
    processes: list[Process],
    files: list[PlanFile],
    streams: list[Stream],
    total_steps: int | None = None,
) -> LaunchPlan:
    """Join what a framework decided with what follows from the context alone."""
    recipe = context.recipe
    return LaunchPlan(
        method=recipe.name,
        framework=recipe.framework,
        version=recipe.version,
        recipe_digest=recipe.digest,
        contract_digest=contract_digest(context.contract, recipe.config),
        runtime=runtime_pin(context),
        processes=processes,
        files=[*files, *library_files(), *context.code_files],
        config=context.config.nested(),
        differs=context.config.differs,
        checkpoints=checkpoint_plan(recipe),
        metrics=streams,
        inputs=inputs_of(context),
        resources=context.resources,
        policies=policies_of(context),
        parameters=context.config.parameters,
        primary_metrics=[m.name for m in recipe.metrics if m.primary],
        stages=recipe.stages,
        total_steps=total_steps,
    )

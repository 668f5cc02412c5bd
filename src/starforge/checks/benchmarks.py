"""Which benchmarks an experiment chose, and where their items come from."""

from __future__ import annotations

from pathlib import Path

from starforge import layout
from starforge.evals.library import find_pack
from starforge.evals.pack import Pack
from starforge.lab.context import PrepareContext
from starforge.lab.lab import BENCHMARKS

TASKS = "tasks"  # the upstream key of the parameter `benchmarks`
HARNESS = "harness"
EVALSCOPE = "evalscope"


def pack_roots(context: PrepareContext) -> list[Path]:
    """Return where own packs may lie: the experiment, then the lab."""
    roots = [context.experiment.folder]
    if context.lab_root is not None:
        roots.append(context.lab_root)
    return roots


def chosen_names(context: PrepareContext) -> list[str]:
    """Return the names of the benchmarks chosen, each once; anything but a name is left out."""
    chosen = context.config.get(TASKS) or []
    names = [chosen] if isinstance(chosen, str) else chosen
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def chosen_packs(context: PrepareContext) -> list[Pack]:
    """Return the packs chosen; call it only when the checks found no error."""
    roots = pack_roots(context)
    return [find_pack(name, roots) for name in chosen_names(context)]


def rows_of(context: PrepareContext, pack: Pack) -> tuple[str | None, str | None]:
    """Return where a pack's items lie for the job, and their digest.

    Both are ``None`` when they come from a hub or travel with the plan.
    """
    test = context.data.get("test")
    if pack.takes_rows and test is not None:
        return f"${{DATA}}/{test.ref.file}", test.ref.digest or test.ref.location
    file = pack_file(context, pack)
    if file is None:
        return None, None
    digest = next((f.sha256 for f in context.code_files if f.path == f"{layout.CODE}/{file}"), None)
    return f"${{CODE}}/{file}", digest


def harness_of(context: PrepareContext) -> str:
    """Return the harness chosen."""
    return str(context.config.get(HARNESS, "lm-eval"))


def has_own_items(context: PrepareContext, pack: Pack) -> bool:
    """Say whether a pack's items come from itself or from the experiment."""
    return pack.data is not None or (pack.takes_rows and "test" in context.data)


def hub_dataset(context: PrepareContext, pack: Pack) -> str | None:
    """Return the hub data set that the chosen harness loads for a pack without items."""
    if harness_of(context) != EVALSCOPE:
        return pack.hub.dataset if pack.hub else None
    return (pack.evalscope.hub or pack.evalscope.dataset) if pack.evalscope else None


def pack_file(context: PrepareContext, pack: Pack) -> str | None:
    """Return the name in the bundle of the items of a lab's pack, when it has a file of them."""
    if pack.source == "bundled" or pack.data is None or not isinstance(pack.data.test, str):
        return None
    return f"{BENCHMARKS}/{pack.name}/{pack.data.test}"

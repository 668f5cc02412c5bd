"""What the shell completes: methods, experiments, jobs. Never slow, never an error.

Jobs come from the folders of the embedded server's home; a remote server is not asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_MOST = 200


def complete_method(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a method by the names of the bundled recipe files."""
    import starforge

    root = Path(starforge.__file__).parent / "catalog" / "data" / "recipes"
    files = (file for file in root.glob("*/*.yaml") if not file.stem.startswith("_"))
    names = sorted(f"{file.parent.name}/{file.stem}" for file in files)
    return _items((name, None) for name in names if name.startswith(incomplete))


def complete_experiment(
    _: click.Context, __: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete an experiment of the lab around the working folder, or a folder."""
    from click.shell_completion import CompletionItem

    names: list[str] = []
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "starforge.yaml").is_file():
            files = sorted(folder.glob("experiments/*/experiment.yaml"))
            names = [file.parent.name for file in files]
            break
    found = _items((name, None) for name in names if name.startswith(incomplete))
    return found or [CompletionItem(incomplete, type="dir")]


def complete_job(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a job's id, newest first, with its name as help."""
    from starforge.home import starforge_home

    try:
        folders = sorted((starforge_home() / "jobs").iterdir(), key=_age, reverse=True)
    except OSError:
        return []
    return _items(
        (folder.name, _method(folder)) for folder in folders if folder.name.startswith(incomplete)
    )


def _age(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def _method(folder: Path) -> str | None:
    try:
        plan = json.loads((folder / "record" / "plan.json").read_text(encoding="utf-8"))
        return str(plan["method"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _items(found: Iterable[tuple[str, str | None]]) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name, help=text) for name, text in islice(found, _MOST)]

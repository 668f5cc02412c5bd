"""Find labs and experiments on disk. A lab is a folder with ``starforge.yaml``."""

from __future__ import annotations

from pathlib import Path

import msgspec

from starforge.errors import ExitCode, StarForgeError
from starforge.findings import nearest
from starforge.i18n import Text
from starforge.lab.experiment import EXPERIMENT_FILE

LAB_FILE = "starforge.yaml"
EXPERIMENTS = "experiments"
BENCHMARKS = "benchmarks"


class Lab(msgspec.Struct, frozen=True):
    """A user's project on disk."""

    root: Path

    @property
    def name(self) -> str:
        """The name of the lab's folder."""
        return self.root.name

    def experiments(self) -> list[Path]:
        """Return the folders of all experiments, sorted by name."""
        folder = self.root / EXPERIMENTS
        if not folder.is_dir():
            return []
        return sorted(one for one in folder.iterdir() if (one / EXPERIMENT_FILE).is_file())


def find_lab(start: Path | None = None) -> Lab | None:
    """Return the lab that ``start`` (default: the current folder) lies in."""
    folder = (start or Path.cwd()).absolute()
    for parent in (folder, *folder.parents):
        if (parent / LAB_FILE).is_file():
            return Lab(parent)
    return None


def find_experiment(text: str, start: Path | None = None) -> Path:
    """Return the folder of an experiment given by path or by its name in the lab.

    Raises :class:`StarForgeError` with the nearest names when there is none.
    """
    base = (start or Path.cwd()).absolute()
    lab = find_lab(base)
    folder = base / _expand(text)
    if folder.name == EXPERIMENT_FILE and exists(folder):
        folder = folder.parent
    if exists(folder / EXPERIMENT_FILE):
        return folder.resolve()
    named = lab.root / EXPERIMENTS / text if lab else None
    # A folder without experiment.yaml is returned too: loading it says what is missing.
    for candidate in (named, folder):
        if text and candidate is not None and exists(candidate) and candidate.is_dir():
            return candidate.resolve()
    raise _no_experiment(text, lab)


def _no_experiment(text: str, lab: Lab | None) -> StarForgeError:
    names = [one.name for one in lab.experiments()] if lab else []
    near = nearest(text, names)
    if near:
        listed = ", ".join(f"`{one}`" for one in near)
        hint = Text(f"did you mean {listed}?", f"是不是想写 {listed}？")
    elif lab is None:
        hint = Text(
            "this folder is in no lab: `sf init LAB` makes one, or give the experiment's folder",
            "当前文件夹不在任何 lab 中：用 `sf init LAB` 新建一个，或直接给出实验文件夹",
        )
    else:
        hint = Text("`sf ls` lists the experiments", "用 `sf ls` 查看全部实验")
    return StarForgeError(
        "lab/no-experiment",
        Text(f"there is no experiment `{text}`", f"没有名为 `{text}` 的实验"),
        hint,
        exit_code=ExitCode.NOT_FINE,
        status=404,
    )


def find_input(reference: str, folder: Path, lab_root: Path | None) -> Path | None:
    """Resolve a path of ``model`` or ``data``: absolute, else from experiment, then lab."""
    places = input_places(reference, folder, lab_root)
    return next((place for place in places if exists(place)), None)


def exists(path: Path) -> bool:
    """Say whether a path that a person wrote is there; never raises."""
    try:
        return path.exists()
    except (OSError, ValueError):  # a name too long, a folder that may not be entered
        return False


def _expand(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # `~nobody`
        return Path(text)


def input_places(reference: str, folder: Path, lab_root: Path | None) -> list[Path]:
    """Return where a path reference is looked for, in order."""
    path = _expand(reference)
    if path.is_absolute():
        return [path]
    return [folder / path] + ([lab_root / path] if lab_root else [])

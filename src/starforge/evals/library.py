"""Finding packs: the lab's own first, then those that come with StarForge."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path

from starforge.errors import StarForgeError
from starforge.evals.pack import PACK_FILE, Pack, load_pack
from starforge.i18n import Text

BENCHMARKS = "benchmarks"  # the folder of own packs in a lab or an experiment


def bundled_root() -> Path:
    """Return the folder of the packs that come with StarForge."""
    return Path(str(resources.files("starforge.evals").joinpath("packs")))


@cache
def bundled() -> dict[str, Pack]:
    """Return the packs that come with StarForge, by name."""
    return {folder.name: load_pack(folder, "bundled") for folder in _folders(bundled_root())}


def own_folders(roots: Iterable[Path]) -> dict[str, Path]:
    """Return the folders of own packs below ``<root>/benchmarks``; earlier roots win."""
    found: dict[str, Path] = {}
    for root in roots:
        for folder in _folders(root / BENCHMARKS):
            found.setdefault(folder.name, folder)
    return found


def pack_names(roots: Iterable[Path] = ()) -> list[str]:
    """Return every name that :func:`find_pack` knows."""
    return sorted(own_folders(roots).keys() | {f.name for f in _folders(bundled_root())})


def find_pack(name: str, roots: Iterable[Path] = ()) -> Pack:
    """Return the pack called ``name``; an own one wins over a bundled one.

    Raises :class:`StarForgeError` for an unknown name (with the nearest) or a broken pack.
    """
    own = own_folders(roots).get(name)
    if own is not None:
        return load_pack(own)
    found = bundled().get(name)
    if found is None:
        raise unknown(name, pack_names(roots))
    return found


def list_packs(roots: Iterable[Path] = ()) -> list[Pack]:
    """Return all packs by name, own ones in place of bundled ones; broken own ones raise."""
    return [find_pack(name, roots) for name in pack_names(roots)]


def unknown(name: str, known: list[str]) -> StarForgeError:
    """Return the error for a benchmark there is none of."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    listed = ", ".join(known)
    hint = Text(f"known benchmarks: {listed}", f"已有的评测包：{listed}")
    if near:
        hint = Text(f"did you mean `{near[0]}`? {hint.en}", f"是不是想写 `{near[0]}`？{hint.zh}")
    return StarForgeError(
        "eval/unknown-benchmark",
        Text(f"there is no benchmark `{name}`", f"没有名为 `{name}` 的评测包"),
        hint,
        status=404,
    )


def _folders(root: Path) -> Iterator[Path]:
    if not root.is_dir():
        return
    for folder in sorted(root.iterdir()):
        if (folder / PACK_FILE).is_file():
            yield folder
